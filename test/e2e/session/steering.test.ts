/** A loop inside a session is listed and controlled from any terminal, and reacts when its agent next stops. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Exited, startProgram } from '../../support/programs/program.ts';
import { ROOT } from '../../support/scene.ts';
import { DONE, type HookedSession, hookedSession } from '../../support/session/session-loop.ts';

const ralph = ({ work, env }: HookedSession, ...args: readonly string[]): Promise<Exited> =>
  startProgram([process.execPath, join(ROOT, 'bin/ralph.cjs'), ...args], { cwd: work, env }).exited;

async function begun(): Promise<HookedSession> {
  const session = hookedSession();
  await session.type('ralph:ralph-loop', '"Make it work" --max-iterations 5');
  return session;
}

test('it is listed as running in its session, not as a loop whose supervisor died', async () => {
  const session = await begun();
  const { stdout } = await ralph(session, 'ls');
  expect(stdout).toMatch(/^● \w{4,} +session +\. +in its session +1\/5 /m);
  expect((await ralph(session, 'status')).stdout).toContain('Make it work');
});

test('a message is in the next text that sends its agent back, once', async () => {
  const session = await begun();
  expect(await ralph(session, 'tell', 'Use tabs.')).toMatchObject({ code: 0 });
  const first = await session.stop('not yet', { toolCalls: 1 });
  expect(first.decision).toBe('block');
  expect(first.reason).toContain('Use tabs.');
  expect(first.reason).toContain('Original task: Make it work');
  const second = await session.stop('still not', { toolCalls: 1 });
  expect(second.reason).not.toContain('Use tabs.');
  const told = session.journal().flatMap(({ result }) => ('told' in result ? (result.told ?? []) : []));
  expect(told).toEqual([{ as: 'tell', text: 'Use tabs.' }]);
});

test('a pause lets its agent stop, and the slash command continues with messages sent meanwhile', async () => {
  const session = await begun();
  const { code, stdout } = await ralph(session, 'pause');
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/pauses when its agent next stops\.\n.*\/ralph-loop --resume\n$/),
  });
  const paused = await session.stop('not yet', { toolCalls: 1 });
  expect(paused.decision).toBeUndefined();
  expect(paused.systemMessage).toContain('Ralph loop: PAUSED');
  expect((await ralph(session, 'ls')).stdout).toMatch(/^◐ .* paused /m);
  // During the pause a person can talk with the agent; the loop ignores that.
  expect(await session.stop('as you like', { toolCalls: 1 })).toEqual({});
  await ralph(session, 'tell', 'Now with tabs.');
  const resumed = await session.type('ralph:ralph-loop', '--resume');
  expect(resumed.hookSpecificOutput?.additionalContext).toContain('Now with tabs.');
  expect((await session.stop(DONE, { toolCalls: 1 })).systemMessage).toContain('PROMISE_ACCEPTED');
});

test('a stop ends it when its agent next stops', async () => {
  const session = await begun();
  expect(await ralph(session, 'stop')).toMatchObject({ code: 0 });
  expect(session.isActive()).toBe(true);
  const stopped = await session.stop('not yet', { toolCalls: 1 });
  expect(stopped.decision).toBeUndefined();
  expect(stopped.systemMessage).toMatch(/^✗ Stopped when the agent first stopped, as you asked/);
  expect(session.isActive()).toBe(false);
  expect((await ralph(session, 'ls')).stdout).toMatch(/^✗ .* stopped /m);
});

test.each([
  ['stop', '--now'],
  ['pause', '--now'],
  ['resume', '$loop'],
])('ralph %s %s is refused, with the command to type in the session', async (command, flag) => {
  const session = await begun();
  const { code, stderr } = await ralph(session, command, flag === '$loop' ? `session-${session.id}` : flag);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(/^error: .*\nhint: .*\/(ralph-loop|cancel-ralph)/),
  });
});
