/**
 * The minimum for a harness that shows nothing: logs and counts the agent's stdout. Usage:
 * node-tee.cjs <iterations> <folder>
 */
'use strict';
const { spawn } = require('node:child_process');
const { closeSync, openSync, writeSync } = require('node:fs');

const [iterations, folder] = [Number(process.argv[2]), process.argv[3]];
let bytes = 0;

function iterate(iteration) {
  const log = openSync(`${folder}/${iteration}.log`, 'w');
  const child = spawn('claude', ['-p', '--output-format', 'text', 'x'], { stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.on('data', (chunk) => {
    writeSync(log, chunk);
    bytes += chunk.length;
  });
  child.on('close', () => {
    closeSync(log);
    if (iteration < iterations) iterate(iteration + 1);
    else process.stdout.write(`${bytes}\n`);
  });
}

iterate(1);
