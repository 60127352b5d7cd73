import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Output, type RehearseIo, rehearseCli } from './rehearse.ts';

let cwd: string;
let io: RehearseIo;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'rehearse-cli-test-'));
  io = { stdout: file('stdout'), stderr: file('stderr'), env: process.env, cwd };
});

afterEach(() => {
  closeSync(io.stdout.fd);
  closeSync(io.stderr.fd);
  rmSync(cwd, { recursive: true, force: true });
});

function file(name: string): Output {
  const fd = openSync(join(cwd, name), 'a');
  return { fd, write: (text) => writeSync(fd, text) };
}

const written = (name: string): string => readFileSync(join(cwd, name), 'utf8');

/** Asks the model twice for its next turn, then leaves with code 4. */
const agent = `(async () => {
  for (const _ of [1, 2]) {
    const body = JSON.stringify({ model: 'm', tools: [{}], messages: [{ role: 'user', content: 'go' }] });
    const reply = await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', { method: 'POST', body });
    console.log((await reply.json()).content[0].text);
  }
  process.exitCode = 4;
})()`;

test('the command inherits the output, and the report says what was played', async () => {
  writeFileSync(join(cwd, 's.json'), JSON.stringify({ turns: [{ say: 'one' }, { say: 'two' }, { say: 'three' }] }));
  expect(await rehearseCli({ script: 's.json', command: [process.execPath, '-e', agent] }, io)).toBe(4);
  expect(written('stdout')).toBe('one\ntwo\n');
  expect(written('stderr')).toBe('Rehearsal: 2 requests, 2 turns played, 1 left\n');
});

test('the report tells an exhausted script', async () => {
  writeFileSync(join(cwd, 's.json'), JSON.stringify({ turns: [{ say: 'one' }] }));
  await rehearseCli({ script: 's.json', command: [process.execPath, '-e', agent] }, io);
  expect(written('stderr')).toBe(
    'Rehearsal: 2 requests, 1 turns played, 0 left\nThe script was exhausted: 1 of the requests found no turn.\n',
  );
});

test('a script that cannot be read is a configuration error with its path', async () => {
  const failed = rehearseCli({ script: 'none.json', command: ['true'] }, io);
  await expect(failed).rejects.toMatchObject({
    message: `The script ${join(cwd, 'none.json')} cannot be read (ENOENT).`,
    advice: { exitCode: 2 },
  });
});
