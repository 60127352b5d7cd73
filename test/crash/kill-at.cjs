/**
 * Preloaded into the real binary (`node --require`): kills the process with SIGKILL at an exact moment that cannot be
 * hit from outside. KILL_AT is `before|after|torn:<n-th journal record>` or `before-spawn|after-spawn:<n-th start>`; a
 * start is a spawn, or a request to the spawner.
 */
const childProcess = require('node:child_process');
const fs = require('node:fs');
const { Socket } = require('node:net');

const [moment, nth] = (process.env.KILL_AT ?? '').split(':');
// Must not affect the programs that ralph starts.
delete process.env.KILL_AT;
delete process.env.NODE_OPTIONS;
let records = 0;
let starts = 0;

const { writeSync } = fs;
fs.writeSync = (fd, data, ...rest) => {
  if (!isJournal(fd) || ++records !== Number(nth)) return writeSync(fd, data, ...rest);
  if (moment === 'before') die();
  if (moment === 'torn') {
    writeSync(fd, data.subarray(0, Math.ceil(data.length / 2)));
    die();
  }
  const written = writeSync(fd, data, ...rest);
  if (moment === 'after') die();
  return written;
};

const { spawn } = childProcess;
childProcess.spawn = (...args) => start(() => spawn(...args));

const { write } = Socket.prototype;
Socket.prototype.write = function (data, ...rest) {
  const isRequest = Buffer.isBuffer(data) && data.toString('latin1', 0, 4) === 'run ';
  return isRequest ? start(() => write.call(this, data, ...rest)) : write.call(this, data, ...rest);
};

function start(begin) {
  const isNth = ++starts === Number(nth);
  if (isNth && moment === 'before-spawn') die();
  const begun = begin();
  if (isNth && moment === 'after-spawn') die();
  return begun;
}

function isJournal(fd) {
  return moment !== undefined && fs.readlinkSync(`/proc/self/fd/${fd}`).endsWith('journal.jsonl');
}

function die() {
  process.kill(process.pid, 'SIGKILL');
  // The signal can take a moment to arrive, and nothing else may happen until then.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
