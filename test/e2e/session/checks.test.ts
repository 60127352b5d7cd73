/** Checks of a loop inside a session: the hook runs them, and a promise counts only when they pass. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { LONGEST_CHECKS_SECONDS } from '../../../src/loops/session/request.ts';
import { testFolder } from '../../support/folder.ts';
import { processesOf } from '../../support/programs/processes.ts';
import { startProgram } from '../../support/programs/program.ts';
import { PLUGIN } from '../../support/session/plugin-hooks.ts';
import { DONE, type HookedSession, hookedSession, SESSION_HOOK } from '../../support/session/session-loop.ts';

const WORKED = { toolCalls: 1 };

test('a promise counts when all checks exit 0; until then their output goes to the agent', async () => {
  const session = hookedSession();
  await session.type(
    'ralph-loop',
    '"x" --check "test -e made || { echo no made; exit 3; }" --check "echo second >> ran"',
  );
  expect((await session.stop('no', WORKED)).reason).not.toContain('check');
  expect(existsSync(join(session.work, 'ran'))).toBe(false);
  const { reason = '' } = await session.stop(DONE);
  expect(reason).toContain('Promise detected, but a check failed');
  expect(reason).toContain('Check failed (exit 3): test -e made');
  expect(reason).toContain('no made');
  writeFileSync(join(session.work, 'made'), '');
  expect((await session.stop('I made it.')).reason).toContain('you did not output the completion promise');
  expect((await session.stop(DONE)).systemMessage).toContain('PROMISE_ACCEPTED');
  expect(readFileSync(join(session.work, 'ran'), 'utf8')).toBe('second\nsecond\n');
  expect(session.log()).toContain('promise found, rejected: 1 of 2 checks failed');
});

test('the output of a check is reported without colours, control characters and keys, and shortened', async () => {
  const session = hookedSession({ env: { MY_TOKEN: 'hush-hush-1234' } });
  const script = join(session.work, 'check.sh');
  writeFileSync(
    script,
    'printf "\\033[31mred\\033[0m \\001\\302\\233 $MY_TOKEN é\\n"; yes line | head -c 200000; exit 1',
  );
  await session.type('ralph-loop', '"x" --check "sh check.sh"');
  const { reason = '' } = await session.stop(DONE, WORKED);
  expect(reason).toContain('red  *** é\nline\nline');
  expect(reason).toContain('[…]');
  expect(reason.length).toBeLessThan(6000);
  expect(readFileSync(join(session.folder(), 'journal.jsonl'), 'utf8')).not.toContain('hush-hush');
});

test('the output of a check that prints without end is cut, in memory and on disk', async () => {
  const session = hookedSession();
  await session.type('ralph-loop', '"x" --check "yes | head -c 30000000; echo out; echo err >&2; exit 2"');
  const { reason = '' } = await session.stop(DONE, WORKED);
  expect(reason).toContain('Check failed (exit 2)');
  expect(statSync(join(session.folder(), 'check-1-1.log')).size).toBe(256 * 1024);
});

test('stdout and stderr of a check are reported in order, and keys are masked in its log as well', async () => {
  const session = hookedSession({ env: { MY_TOKEN: 'hush-hush-1234' } });
  await session.type('ralph-loop', '"x" --check "echo one; echo two >&2; echo $MY_TOKEN; exit 1"');
  expect((await session.stop(DONE, WORKED)).reason).toContain('one\ntwo\n***');
  expect(readFileSync(join(session.folder(), 'check-1-1.log'), 'utf8')).toBe('one\ntwo\n***\n');
});

test('a check that takes too long fails, and is ended with everything it started', async () => {
  const session = hookedSession();
  writeFileSync(join(session.work, 'slow.sh'), 'trap "" TERM; sleep 300 & sleep 300 & wait; wait');
  await session.type('ralph-loop', '"x" --check "sh slow.sh" --check "echo never > second" --check-timeout 1');
  const { reason = '' } = await session.stop(DONE, WORKED);
  expect(reason).toMatch(/2 checks failed/);
  expect(reason).toContain('Check failed (timed out after');
  expect(existsSync(join(session.work, 'second'))).toBe(false);
  expect(processesOf(session.work)).toEqual([]);
});

test('a check can use all of its time: the time to clean up is added to it', async () => {
  const session = hookedSession();
  await session.type('ralph-loop', '"x" --check "sleep 300" --check-timeout 2');
  expect((await session.stop(DONE, WORKED)).reason).toContain('Check failed (timed out after');
  const [first] = session.journal().flatMap(({ result }) => (result.kind === 'checked' ? [result] : []));
  expect(first?.durationMs).toBeGreaterThanOrEqual(1950);
});

test('a check that waits for its children waits for nothing else', async () => {
  const session = hookedSession();
  await session.type('ralph-loop', '"x" --check "true & wait; jobs; echo over > over"');
  expect((await session.stop(DONE, WORKED)).systemMessage).toContain('PROMISE_ACCEPTED');
  expect(existsSync(join(session.work, 'over'))).toBe(true);
});

test('what a check leaves in the background ends with it', async () => {
  const session = hookedSession();
  await session.type('ralph-loop', '"x" --check "sleep 300 & exit 0"');
  expect((await session.stop(DONE, WORKED)).systemMessage).toContain('PROMISE_ACCEPTED');
  expect(processesOf(session.work)).toEqual([]);
});

test('a check ends with its hook, even a killed one; the promise counts only if it is given again', async () => {
  const session = hookedSession();
  writeFileSync(
    join(session.work, 'check.sh'),
    'test -e again && exit 0; trap "touch told; exit" TERM; touch began; sleep 300 & wait',
  );
  await session.type('ralph-loop', '"x" --max-iterations 1 --check "sh check.sh"');
  const killed = startedStop(session);
  await appears(join(session.work, 'began'));
  process.kill(killed.pid, 'SIGKILL');
  await killed.exited;
  await vanish(session.work);
  expect(existsSync(join(session.work, 'told'))).toBe(true);
  expect((await session.type('ralph-status')).stopReason).toContain(
    'its checks have not finished, or were interrupted',
  );
  writeFileSync(join(session.work, 'again'), '');
  expect((await session.stop('Not done yet.')).reason).toContain('you did not output the completion promise');
  expect(session.log()).toContain('iteration 0: the promise was not judged: its checks were interrupted');
  // The interrupted stop cost no iteration; the next one did.
  expect(session.log()).toContain('iteration 1: promise not found; 1 tool calls so far; sent back');
});

test('/cancel-ralph ends the check that is running', async () => {
  const session = hookedSession();
  writeFileSync(join(session.work, 'check.sh'), 'touch began; sleep 300');
  await session.type('ralph-loop', '"x" --check "sh check.sh"');
  const stopping = startedStop(session);
  await appears(join(session.folder(), 'check-running.json'));
  expect((await session.type('cancel-ralph')).stopReason).toMatch(/^Cancelled Ralph loop/);
  // The hook does not send the agent back.
  expect(await stopping.exited).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(processesOf(session.work)).toEqual([]);
  expect(session.journal().filter(({ result }) => result.kind === 'checked')).toEqual([]);
  expect(readdirSync(session.folder()).filter((name) => name.endsWith('waiting.json'))).toEqual([]);
  expect(await session.stop('bye')).toEqual({});
});

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'a hook that %s ends decides nothing and starts no further check; the next stop is judged on its own',
  async (signal) => {
    const session = hookedSession();
    writeFileSync(join(session.work, 'check.sh'), 'test -e again && exit 0; touch began; sleep 300');
    await session.type('ralph-loop', '"x" --check "sh check.sh" --check "touch second"');
    const stopping = startedStop(session);
    await appears(join(session.folder(), 'check-running.json'));
    process.kill(stopping.pid, signal);
    expect(await stopping.exited).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(processesOf(session.work)).toEqual([]);
    expect(existsSync(join(session.work, 'second'))).toBe(false);
    expect(session.journal().filter(({ result }) => result.kind === 'checked')).toEqual([]);
    writeFileSync(join(session.work, 'again'), '');
    expect((await session.stop('Not done yet.')).reason).toContain('you did not output the completion promise');
    expect((await session.stop(DONE)).systemMessage).toContain('PROMISE_ACCEPTED');
  },
);

test('a check that is killed fails', async () => {
  const session = hookedSession();
  await session.type('ralph-loop', '"x" --check "kill -9 $$"');
  expect((await session.stop(DONE, WORKED)).reason).toContain('Check failed (signal SIGKILL)');
});

test('a check gets the time that the checks before it have left', async () => {
  const session = hookedSession();
  await session.type('ralph-loop', '"x" --check "sleep 2.5" --check "sleep 300" --check-timeout 4');
  expect((await session.stop(DONE, WORKED)).reason).toContain('Promise detected, but a check failed');
  const ends = session.journal().flatMap(({ result }) => (result.kind === 'checked' ? [result.outcome] : []));
  expect(ends).toEqual([{ is: 'passed' }, { is: 'timed-out', afterMs: expect.any(Number) }]);
  // All checks together have four seconds.
  const [, last] = ends;
  expect(last?.is === 'timed-out' ? last.afterMs : null).toBeLessThanOrEqual(1500);
});

describe('checks of an agent that works in another folder', () => {
  test('run there if it is in a worktree of the same repository, and the answer says so', async () => {
    const { session, aside } = withWorktree();
    await session.type('ralph-loop', '"x" --check "test -e made"', { cwd: join(session.work, 'part') });
    const cwd = join(aside, 'part');
    writeFileSync(join(session.work, 'part/made'), '');
    const { reason = '' } = await session.stop(DONE, { ...WORKED, input: { cwd } });
    expect(reason).toContain('Check failed (exit 1): test -e made');
    expect(reason).toContain(`The checks ran in the worktree that you work in: ${cwd}`);
    expect(session.log()).toContain(`1 of 1 checks failed in ${cwd}`);
    writeFileSync(join(cwd, 'made'), '');
    const { systemMessage } = await session.stop(DONE, { input: { cwd } });
    expect(systemMessage).toContain(`all checks passed in ${cwd}, accepted`);
  });

  test.each([
    ['a folder inside', (session: HookedSession) => join(session.work, 'part')],
    ['another repository', () => repository()],
    ['no repository', () => testFolder()],
    ['a folder that is gone', () => '/no/such/folder'],
  ])('run where the loop began: %s', async (_what, place) => {
    const { session } = withWorktree();
    await session.type('ralph-loop', '"x" --check "pwd > ran"');
    const { systemMessage } = await session.stop(DONE, { ...WORKED, input: { cwd: place(session) } });
    expect(systemMessage).toContain('all checks passed, accepted');
    expect(readFileSync(join(session.work, 'ran'), 'utf8').trim()).toBe(session.work);
  });
});

test('a check whose folder is gone fails and says so', async () => {
  const session = hookedSession();
  const cwd = join(session.work, 'gone');
  mkdirSync(cwd);
  await session.type('ralph-loop', '"x" --check "true"', { cwd });
  rmdirSync(cwd);
  const { reason = '' } = await session.stop(DONE, WORKED);
  expect(reason).toContain('Check failed (exit 127): true');
  expect(reason).toContain(`The folder that this check runs in is gone: ${cwd}`);
});

test('the last line of cut output is dropped, because it could contain half a key', async () => {
  const session = hookedSession({ env: { MY_TOKEN: 'hush-hush-1234' } });
  // The cut, at 256 KiB, goes through the key.
  writeFileSync(join(session.work, 'check.sh'), 'yes 1234567 | head -c 262136; echo "$MY_TOKEN and more"; exit 1');
  await session.type('ralph-loop', '"x" --check "sh check.sh"');
  expect((await session.stop(DONE, WORKED)).reason).toContain('Check failed');
  const log = readFileSync(join(session.folder(), 'check-1-1.log'), 'utf8');
  expect(log.slice(-8)).toBe('1234567\n');
  expect(log).not.toContain('hush');
});

test('all checks together end before the hook’s timeout in the plugin', () => {
  const { hooks } = JSON.parse(readFileSync(join(PLUGIN, 'hooks/hooks.json'), 'utf8'));
  expect(hooks.Stop[0].hooks[0].timeout).toBeGreaterThanOrEqual(LONGEST_CHECKS_SECONDS + 30);
});

function startedStop(session: HookedSession) {
  session.write({ type: 'assistant', message: { content: [{ type: 'tool_use' }] } });
  const { id: session_id, transcript: transcript_path, work: cwd, env } = session;
  const stdin = JSON.stringify({
    session_id,
    transcript_path,
    cwd,
    hook_event_name: 'Stop',
    last_assistant_message: DONE,
  });
  return startProgram([process.execPath, SESSION_HOOK, 'claude'], { cwd, env, stdin });
}

function withWorktree(): { session: HookedSession; aside: string } {
  const work = repository();
  const aside = join(testFolder(), 'aside');
  execFileSync('git', ['-C', work, 'worktree', 'add', aside], { stdio: 'ignore' });
  return { session: hookedSession({ work }), aside };
}

function repository(): string {
  const work = testFolder();
  mkdirSync(join(work, 'part'));
  writeFileSync(join(work, 'part/file'), '');
  const git = (...args: string[]) => execFileSync('git', ['-C', work, ...args], { stdio: 'ignore' });
  git('init');
  git('add', '.');
  git('-c', 'user.name=t', '-c', 'user.email=t@example.com', 'commit', '-m', 'first');
  return work;
}

async function vanish(folder: string): Promise<void> {
  while (processesOf(folder).length > 0) await sleep(10);
}

async function appears(path: string): Promise<void> {
  while (!existsSync(path)) await sleep(10);
}
