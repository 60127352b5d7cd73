/**
 * The minimum for a real harness in node: log the agent's stdout, split it on LF in Buffers, parse only the lines that
 * matter, show the assistant's text, write the state once per iteration. Usage: node-full.cjs <iterations> <folder>
 */
'use strict';
const { spawn } = require('node:child_process');
const { closeSync, openSync, renameSync, writeFileSync, writeSync } = require('node:fs');

const [iterations, folder] = [Number(process.argv[2]), process.argv[3]];
const ASSISTANT = Buffer.from('{"type":"assistant"');
const RESULT = Buffer.from('{"type":"result"');
const startsWith = (line, head) =>
  line.length >= head.length && line.compare(head, 0, head.length, 0, head.length) === 0;

function take(line) {
  if (startsWith(line, ASSISTANT)) {
    for (const block of JSON.parse(line.toString('utf8')).message.content) {
      if (block.type === 'text') process.stdout.write(`${block.text}\n`);
    }
  } else if (startsWith(line, RESULT)) process.stdout.write(`${JSON.parse(line.toString('utf8')).result}\n`);
}

function iterate(iteration) {
  const log = openSync(`${folder}/${iteration}.log`, 'w');
  const child = spawn('claude', ['-p', '--output-format', 'stream-json', '--verbose', 'x'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let held = [];
  child.stdout.on('data', (chunk) => {
    writeSync(log, chunk);
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const piece = chunk.subarray(start, end);
      take(held.length === 0 ? piece : Buffer.concat([...held, piece]));
      held = [];
      start = end + 1;
    }
    if (start < chunk.length) held.push(chunk.subarray(start));
  });
  child.on('close', (code) => {
    closeSync(log);
    writeFileSync(`${folder}/state.json.next`, JSON.stringify({ iteration, code }));
    renameSync(`${folder}/state.json.next`, `${folder}/state.json`);
    if (iteration < iterations) iterate(iteration + 1);
  });
}

iterate(1);
