/** Checks of a loop inside a session: the hook runs them, and a promise counts only when they pass. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { LONGEST_CHECKS_SECONDS } from '../../src/doors/insession/rules-request.ts';
import { PLUGIN } from '../support/plugin-hooks.ts';
import { processesOf } from '../support/processes.ts';
import { startProgram } from '../support/program.ts';
import { type HookedSession, hookedSession, SESSION_HOOK } from '../support/session-loop.ts';

const DONE = '<promise>DONE</promise>';
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

test('what a check prints is told without colours, control characters and keys, and not all of it', async () => {
  const session = hookedSession({ env: { MY_TOKEN: 'hush-hush-1234' } });
  const script = join(session.work, 'check.sh');
  writeFileSync(script, 'printf "\\033[31mred\\033[0m \\001 $MY_TOKEN é\\n"; yes line | head -c 200000; exit 1');
  await session.type('ralph-loop', '"x" --check "sh check.sh"');
  const { reason = '' } = await session.stop(DONE, WORKED);
  expect(reason).toContain('red  *** é\nline\nline');
  expect(reason).toContain('[…]');
  expect(reason.length).toBeLessThan(6000);
  expect(readFileSync(join(session.folder(), 'journal.jsonl'), 'utf8')).not.toContain('hush-hush');
});

test('a check that prints without an end is cut, in memory and on the disk', async () => {
  const session = hookedSession();
  await session.type('ralph-loop', '"x" --check "yes | head -c 30000000; echo out; echo err >&2; exit 2"');
  const { reason = '' } = await session.stop(DONE, WORKED);
  expect(reason).toContain('Check failed (exit 2)');
  expect(statSync(join(session.folder(), 'check-1-1.log')).size).toBe(256 * 1024);
});

test('what a check says on either way out is told in order, and hidden in its log as well', async () => {
  const session = hookedSession({ env: { MY_TOKEN: 'hush-hush-1234' } });
  await session.type('ralph-loop', '"x" --check "echo one; echo two >&2; echo $MY_TOKEN; exit 1"');
  expect((await session.stop(DONE, WORKED)).reason).toContain('one\ntwo\n***');
  expect(readFileSync(join(session.folder(), 'check-1-1.log'), 'utf8')).toBe('one\ntwo\n***\n');
});

test('a check that takes too long has failed, and is gone with everything it started', async () => {
  const session = hookedSession();
  writeFileSync(join(session.work, 'slow.sh'), 'trap "" TERM; sleep 300 & sleep 300 & wait; wait');
  await session.type('ralph-loop', '"x" --check "sh slow.sh" --check "echo never > second" --check-timeout 1');
  const { reason = '' } = await session.stop(DONE, WORKED);
  expect(reason).toMatch(/2 checks failed/);
  expect(reason).toContain('Check failed (timed out after');
  expect(existsSync(join(session.work, 'second'))).toBe(false);
  expect(processesOf(session.work)).toEqual([]);
});

test('what a check leaves in the background goes with it', async () => {
  const session = hookedSession();
  await session.type('ralph-loop', '"x" --check "sleep 300 & exit 0"');
  expect((await session.stop(DONE, WORKED)).systemMessage).toContain('PROMISE_ACCEPTED');
  expect(processesOf(session.work)).toEqual([]);
});

test('a check that was cut off with its hook is ended at the next stop, and run again; the promise stands', async () => {
  const session = hookedSession();
  writeFileSync(join(session.work, 'check.sh'), 'test -e again && exit 0; touch began; sleep 300');
  await session.type('ralph-loop', '"x" --check "sh check.sh"');
  const killed = startedStop(session);
  await appears(join(session.work, 'began'));
  await appears(join(session.folder(), 'check-running.json'));
  process.kill(killed.pid, 'SIGKILL');
  await killed.exited;
  expect(processesOf(session.work)).not.toEqual([]);
  writeFileSync(join(session.work, 'again'), '');
  expect((await session.stop('Where was I?')).systemMessage).toContain('PROMISE_ACCEPTED');
  expect(processesOf(session.work)).toEqual([]);
});

test('/cancel-ralph ends the check that is running', async () => {
  const session = hookedSession();
  writeFileSync(join(session.work, 'check.sh'), 'touch began; sleep 300');
  await session.type('ralph-loop', '"x" --check "sh check.sh"');
  const stopping = startedStop(session);
  await appears(join(session.folder(), 'check-running.json'));
  expect((await session.type('cancel-ralph')).stopReason).toMatch(/^Cancelled Ralph loop/);
  await stopping.exited;
  expect(processesOf(session.work)).toEqual([]);
  expect(await session.stop('bye')).toEqual({});
});

test('all checks together end before the time that the plugin gives the hook', () => {
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

async function appears(path: string): Promise<void> {
  while (!existsSync(path)) await sleep(10);
}
