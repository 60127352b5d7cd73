import type { ChildProcess } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { nodeProgram, startProgram } from '../../test/support/programs/node-program.ts';
import { digestOf } from '../core/text/digest.ts';
import { appendMessage } from './append.ts';
import type { Message } from './message.ts';
import { readMessages, readTail } from './read.ts';

const WRITERS = 20;
const KILLED = 5;
const MESSAGES = 1000;

/** Prints each id, unbuffered, once it is acknowledged. Some bodies are longer than a page. */
const WRITER = `
  import { writeSync } from 'node:fs';
  import { appendMessage } from './src/bus/append.ts';
  import { digestOf } from './src/core/text/digest.ts';
  const [, , bus, writer, count] = process.argv;
  writeSync(1, 'ready\\n');
  process.stdin.resume().once('end', async () => {
    for (let index = 0; index < Number(count); index++) {
      const text = writer + ' ' + index + '\\n---\\n' + 'x'.repeat(index % 10 === 0 ? 20_000 : index % 97);
      const { msgId } = await appendMessage(bus, { type: 'FACT', projectId: 'p', runId: writer, body: text + '\\n' + digestOf(text) });
      writeSync(1, msgId + '\\n');
    }
  });`;

test('twenty writers, five of them killed: what was acknowledged is there once, in order, and the file is whole', {
  timeout: 120_000,
}, async () => {
  const bus = join(testFolder(), 'TASK-MESSAGE-BUS.md');
  const program = await nodeProgram(WRITER);
  const writers = Array.from({ length: WRITERS }, (_, index) =>
    startWriter(program, [bus, `w${index}`, String(MESSAGES)], index < KILLED ? 100 + 120 * index : null),
  );
  onTestFinished(() => writers.forEach(({ child }) => void child.kill('SIGKILL')));
  await Promise.all(writers.map(({ ready }) => ready));
  for (const { child } of writers) child.stdin?.end();

  const halfRead: Message[] = [];
  const over = Promise.all(writers.map(({ ended }) => ended));
  // Reads all the while: only whole messages may appear.
  let looks = 0;
  for (const { child } of writers.slice(-2)) {
    child.stdout?.on('data', () => {
      looks++;
      const halves = readTail(bus, 5).messages.filter((message) => !isWhole(message));
      halfRead.push(...halves);
    });
  }
  const ends = await over;
  expect(looks).toBeGreaterThan(10);
  expect(halfRead).toEqual([]);
  expect(ends.map(({ signal }) => signal === 'SIGKILL')).toEqual(writers.map((_, index) => index < KILLED));

  // The next writer finds the bus in order, whatever the killed ones have left.
  const last = await appendMessage(bus, { type: 'INFO', projectId: 'p', body: 'last' });
  const { messages } = readMessages(bus);
  expect(messages.at(-1)).toEqual(last);
  expect(messages.slice(0, -1).filter((message) => !isWhole(message))).toEqual([]);
  expect(new Set(messages.map(({ msgId }) => msgId)).size).toBe(messages.length);
  // Each counted on from the one before it, so no two wrote at once; after a torn entry, the count starts over.
  const seqs = messages.map(({ msgId }) => Number(msgId.slice(-4)));
  const breaks = seqs.filter((seq, index) => index > 0 && seq !== ((seqs[index - 1] ?? 0) % 9999) + 1);
  expect(breaks.length).toBeLessThanOrEqual(KILLED);
  for (const [index, { acknowledged }] of writers.entries()) {
    const own = messages.filter(({ runId }) => runId === `w${index}`);
    expect(own.map(({ body }) => Number(body.split(/[ \n]/)[1]))).toEqual(own.map((_, position) => position));
    // A killed writer may have written one more than it could print.
    expect(own.map(({ msgId }) => msgId).slice(0, acknowledged.length)).toEqual(acknowledged);
    expect(own.length - acknowledged.length).toBeLessThanOrEqual(index < KILLED ? 1 : 0);
    expect(acknowledged.length).toBeGreaterThanOrEqual(index < KILLED ? 100 : MESSAGES);
  }
  expect(readdirSync(join(bus, '..'))).toEqual(['TASK-MESSAGE-BUS.md']);
});

function isWhole({ body }: Message): boolean {
  const cut = body.lastIndexOf('\n');
  return digestOf(body.slice(0, cut)) === body.slice(cut + 1);
}

interface Writer {
  readonly child: ChildProcess;
  readonly ready: Promise<void>;
  readonly ended: Promise<{ signal: NodeJS.Signals | null }>;
  readonly acknowledged: string[];
}

/** Kills the writer once it has printed this many ids: it keeps writing, so that it is hit at a random point. */
function startWriter(program: string, args: readonly string[], killAfter: number | null): Writer {
  const child = startProgram(program, args);
  const acknowledged: string[] = [];
  let rest = '';
  let tellReady: () => void;
  const ready = new Promise<void>((done) => (tellReady = done));
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line === 'ready') tellReady();
      else acknowledged.push(line);
    }
    if (killAfter !== null && acknowledged.length >= killAfter) child.kill('SIGKILL');
  });
  const ended = new Promise<{ signal: NodeJS.Signals | null }>((done) => {
    child.once('close', (_code, signal) => done({ signal }));
  });
  return { child, ready, ended, acknowledged };
}
