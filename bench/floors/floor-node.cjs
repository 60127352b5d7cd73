/** The minimum for a loop in node: it starts the agent and counts its bytes. Usage: floor-node.cjs <iterations> */
'use strict';
const { spawn } = require('node:child_process');

let left = Number(process.argv[2]);
let bytes = 0;

function iterate() {
  const child = spawn('claude', ['-p', '--output-format', 'stream-json', '--verbose', 'x'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.stdout.on('data', (chunk) => {
    bytes += chunk.length;
  });
  child.on('close', () => {
    left -= 1;
    if (left > 0) iterate();
    else process.stdout.write(`${bytes}\n`);
  });
}

iterate();
