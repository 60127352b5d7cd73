/**
 * A watcher of panes without a connection: a `capture-pane` process per pane and poll. Usage: exec-poll.cjs
 * <socket> <every ms> <pane…>
 */
'use strict';
const { execFile } = require('node:child_process');
const { createHash } = require('node:crypto');

const [socket, every, ...panes] = process.argv.slice(2);
const hashes = new Map();

function poll() {
  for (const pane of panes) {
    execFile('tmux', ['-L', socket, 'capture-pane', '-p', '-t', pane], (error, stdout) => {
      if (error) throw new Error('no capture', { cause: error });
      const last = stdout.trimEnd().split('\n').slice(-20).join('\n');
      hashes.set(pane, createHash('md5').update(last).digest('hex'));
    });
  }
}

poll();
setInterval(poll, Number(every));
