/** Loaded before each program of the darwin tier: makes Node behave as on a Mac, as far as programs notice. */
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');

Object.defineProperty(process, 'platform', { value: 'darwin' });
// The fake node at this path loads this file into child processes, too.
Object.defineProperty(process, 'execPath', { value: '/usr/local/bin/node' });

/**
 * A watch starts some time after the call and reports late; whenever one is opened or closed, events that the others
 * have not yet reported are lost (nodejs/node#52601, libuv's fsevents.c).
 */
const BEGINS_AFTER_MS = 2000;
const TELLS_AFTER_MS = 50;
let opened = 0;
const { watch } = fs;
fs.watch = (path, listener) => {
  const own = ++opened;
  const begins = Date.now() + BEGINS_AFTER_MS;
  let isClosed = false;
  const watcher = watch(path, (event, name) => {
    if (Date.now() < begins) return;
    const before = opened;
    setTimeout(() => {
      if (!isClosed && opened === before) listener(event, own % 2 === 0 ? name : null);
    }, TELLS_AFTER_MS);
  });
  const close = watcher.close.bind(watcher);
  watcher.close = () => {
    isClosed = true;
    opened++;
    close();
  };
  return watcher;
};

/** realpath(3) of macOS returns names as they are on the disk, however they were spelled. */
const { native } = fs.realpathSync;
const asOnDisk = (path) => path.replace(/\/WORK(?=\/|$)/, '/work');
fs.realpathSync.native = (path, options) => asOnDisk(native(path, options));
syncBuiltinESMExports();
