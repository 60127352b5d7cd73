import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { RalphError } from '../core/error.ts';
import { type Rehearsed, rehearse } from './rehearse.ts';
import type { Script } from './script/script.ts';

let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'rehearse-test-'));
});

afterEach(() => rmSync(cwd, { recursive: true, force: true }));

/** An agent in one line of Node; its output goes to the file `out`. */
function run(code: string, script: Script = { turns: [] }): Promise<Rehearsed> {
  const out = openSync(join(cwd, 'out'), 'w');
  return rehearse({
    script,
    command: [process.execPath, '-e', code],
    env: { ...process.env, XDG_CACHE_HOME: join(cwd, 'cache') },
    cwd,
    stdio: ['ignore', out, out],
  });
}

const printed = (): string => readFileSync(join(cwd, 'out'), 'utf8');

test('the command meets the scripted model, and its requests are returned', async () => {
  const { exitCode, requests } = await run(
    `const body = JSON.stringify({ model: 'm', tools: [{}], messages: [{ role: 'user', content: 'go' }] });
     fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', { method: 'POST', body })
       .then((reply) => reply.json()).then((reply) => { console.log(reply.content[0].text); process.exitCode = 3; });`,
    { turns: [{ match: 'go', say: 'Hello.' }] },
  );
  expect(printed()).toBe('Hello.\n');
  expect(exitCode).toBe(3);
  expect(requests).toMatchObject([{ path: '/v1/messages', answer: { kind: 'turn', index: 0 } }]);
});

test('the configuration folder is there during the run and gone after it', async () => {
  await run(`const dir = process.env.CLAUDE_CONFIG_DIR;
    require('fs').writeFileSync(dir + '/left-behind', ''); console.log(dir, require('fs').readdirSync(dir).length);`);
  const [dir = '', count] = printed().trim().split(' ');
  expect(count).toBe('3');
  expect(existsSync(dir)).toBe(false);
});

test('a death by a signal is 128 and its number', async () => {
  expect((await run(`process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000);`)).exitCode).toBe(137);
});

test('what the command leaves running in its group ends with it', async () => {
  await run(`const child = require('child_process').spawn('sleep', ['600'], { stdio: 'inherit' });
    console.log(child.pid); process.exit(0);`);
  const pid = Number(printed());
  // A killed orphan stays visible until it is reaped, but no longer runs.
  await expect.poll(() => isRunning(pid)).toBe(false);
});

test.each([
  ['a program that does not exist', ['/nowhere/at-all'], '/nowhere/at-all cannot be started (ENOENT).'],
  ['no program', [], 'There is no command to rehearse.'],
])('%s is a configuration error', async (_, command, message) => {
  const failed = rehearse({
    script: { turns: [] },
    command,
    env: { HOME: cwd },
    cwd,
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  await expect(failed).rejects.toThrow(RalphError);
  await expect(failed).rejects.toMatchObject({ message, advice: { exitCode: 2 } });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !(existsSync(`/proc/${pid}/stat`) && readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '));
}
