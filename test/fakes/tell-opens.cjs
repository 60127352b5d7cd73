/** Preloaded into a program of ralph: logs which files it opens, so that a test knows when it has looked. */
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');

const told = process.env.OPENS;
delete process.env.OPENS;
delete process.env.NODE_OPTIONS;

const { appendFileSync, openSync } = { ...fs };
fs.openSync = (path, ...rest) => {
  const fd = openSync(path, ...rest);
  appendFileSync(told, `${String(path)}\n`);
  return fd;
};
syncBuiltinESMExports();
