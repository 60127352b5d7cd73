/**
 * Preloaded into the real binary (`node --require`): logs, in order, what is written to a journal, what is synced to
 * disk and which programs are started, so that a test knows what would survive a power cut at each moment.
 */
const childProcess = require('node:child_process');
const fs = require('node:fs');

const told = process.env.SYNCS_TOLD;
// Programs that ralph starts must not log anything.
delete process.env.SYNCS_TOLD;
delete process.env.NODE_OPTIONS;

const { appendFileSync, fdatasync, fsyncSync, readlinkSync, spawn, writeSync } = { ...fs, ...childProcess };
const tell = (what) => {
  if (told !== undefined) appendFileSync(told, `${what}\n`);
};
const pathOf = (fd) => readlinkSync(`/proc/self/fd/${fd}`);

fs.writeSync = (fd, data, ...rest) => {
  if (pathOf(fd).endsWith('/journal.jsonl')) {
    for (const line of Buffer.from(data).toString('utf8').trimEnd().split('\n'))
      tell(`record ${JSON.parse(line).result.kind}`);
  }
  return writeSync(fd, data, ...rest);
};
fs.fsyncSync = (fd) => {
  fsyncSync(fd);
  tell(`sync ${pathOf(fd)}`);
};
fs.fdatasync = (fd, done) => {
  const path = pathOf(fd);
  fdatasync(fd, (error) => {
    tell(`sync ${path}`);
    done(error);
  });
};
childProcess.spawn = (program, args, options) => {
  tell(`start ${[program, ...args].join(' ')}`);
  return spawn(program, args, options);
};
if (!process.stdout.isTTY) {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (text, ...rest) => {
    tell(`say ${String(text).slice(0, 60)}`);
    return write(text, ...rest);
  };
}
