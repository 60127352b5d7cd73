#!/usr/bin/env node
// `docker sandbox …` as a thin client: the machines live in the engine, and go on when a client is killed.
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';

const args = process.argv.slice(2);
const isFed = args.includes('-i') && args.indexOf('-i') < 4;
const stdin = isFed ? readFileSync(0, 'base64') : '';
const socket = connect(process.env.DOCKER_ENGINE, () => socket.write(`${JSON.stringify({ args, stdin })}\n`));
socket.on('error', () => {
  process.stderr.write('Cannot connect to the Docker daemon. Is the docker daemon running?\n');
  process.exit(1);
});

let rest = '';
socket.setEncoding('utf8').on('data', (text) => {
  const lines = (rest + text).split('\n');
  rest = lines.pop();
  for (const line of lines) {
    const { out, err, exit } = JSON.parse(line);
    if (out !== undefined) process.stdout.write(Buffer.from(out, 'base64'));
    if (err !== undefined) process.stderr.write(Buffer.from(err, 'base64'));
    if (exit !== undefined) process.exitCode = exit;
  }
});
