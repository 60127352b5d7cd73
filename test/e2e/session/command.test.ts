/** `ralph session`: what it passes to Claude Code, and what it leaves behind if that cannot be started. */
import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeScene, ROOT, type Scene } from '../../support/scene.ts';

const STAND_IN = join(ROOT, 'test/fakes/session-claude.sh');

describe('flags for Claude Code', () => {
  test.each([
    ['--resume', 'x', '--fork-session'],
    ['--resume=x'],
    ['-r', 'x'],
    ['--continue'],
    ['-c'],
    ['-pc'],
    ['--fork-session'],
    ['--session-id', '11111111-2222-4333-8444-555555555555'],
  ])('that choose another session are refused: %s', async (...args) => {
    const scene = makeScene({ play: '' });
    const ended = await scene.ralph(['session', '-p', 'Work.', '--', STAND_IN, ...args]).exited;
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining(`which ${args[0]} would not be`) });
    expect(ended.stderr).toContain('/ralph:ralph-loop');
    expect(left(scene)).toEqual([]);
    expect(existsSync(join(scene.folder, 'session'))).toBe(false);
  });

  test('of other kinds are passed on, and the last lines say how to continue the loop', async () => {
    const scene = makeScene({ play: '' });
    const args = ['session', '-p', 'Work.', '-m', '7', '--', STAND_IN, '-p', '--verbose', '--chrome'];
    const { code, stderr } = await scene.ralph(args).exited;
    expect(code).toBe(3);
    const session = scene.read('session').trim();
    expect(session).not.toBe('');
    expect(stderr).toMatch(
      /^The session ended at iteration 0, before the loop did\.\n\n! Interrupted at iteration 0 · \d+s · cost unknown\n {2}The agent never gave the promise\.\n/,
    );
    expect(stderr).toContain(
      `  CLAUDE_CODE_STOP_HOOK_BLOCK_CAP=8 ${STAND_IN} -p --verbose --chrome --plugin-dir ${join(ROOT, 'plugin')} --resume ${session} 'Go on.'\n`,
    );
  });
});

test('a separate prompt for Claude Code is refused, because the task would never reach it', async () => {
  const scene = makeScene({ play: '' });
  const ended = await scene.ralph(['session', '-p', 'Work.', '--', STAND_IN, '-p', 'hello']).exited;
  expect(ended).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('"hello" would be Claude Code\'s prompt instead of'),
  });
  expect(left(scene)).toEqual([]);
});

test('a task with too many bytes for an argument is passed by its file', async () => {
  const scene = makeScene({ play: '' });
  const task = '漢'.repeat(43_600);
  const { code, stderr } = await scene.ralph(['session', '-p', task, '--', STAND_IN]).exited;
  expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining('before the loop did') });
});

test('a program that cannot be started leaves no loop behind', async () => {
  const scene = makeScene({ play: '' });
  const program = join(scene.folder, 'claude');
  writeFileSync(program, `#!${scene.folder}\n`);
  chmodSync(program, 0o755);
  const { code, stderr } = await scene.ralph(['session', '-p', 'Work.', '--', program]).exited;
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(`cannot start ${program}`) });
  expect(left(scene)).toEqual([]);
});

test('a cancelled loop is not done: exit 130', async () => {
  const scene = makeScene({ play: '' });
  const program = join(scene.folder, 'claude');
  const cancel = `{"session_id":"'$2'","hook_event_name":"UserPromptExpansion","command_name":"ralph:cancel-ralph"}`;
  const hook = `CLAUDE_CODE_SESSION_ID=$2 "$4/hooks/session-loop.sh" command plugin`;
  writeFileSync(program, `#!/bin/sh\necho '${cancel}' | ${hook}\n`, { mode: 0o755 });
  const { code, stdout, stderr } = await scene.ralph(['session', '-p', 'Work.', '--', program]).exited;
  expect(stdout).toContain('Cancelled Ralph loop (was at iteration 0)');
  expect({ code, stderr }).toEqual({ code: 130, stderr: expect.stringContaining('Ralph loop: CANCELLED') });
});

/** The entries in the folders of loops and sessions. */
function left(scene: Scene): string[] {
  return ['loops', 'sessions']
    .map((name) => join(scene.state, 'ralph', name))
    .flatMap((path) => (existsSync(path) ? readdirSync(path).filter((name) => !name.startsWith('.')) : []));
}

test.each([
  ['codex', 'Run: ralph install-hooks codex'],
  ['/opt/amp', 'ralph run'],
])('%s is refused, because it does not have the flags of Claude Code', async (agent, hint) => {
  const scene = makeScene({ play: '' });
  const { code, stderr } = await scene.ralph(['session', '-p', 'Write.', '--', agent]).exited;
  expect(stderr).toContain(`ralph session starts Claude Code, not ${agent.replace('/opt/', '')}`);
  expect(stderr).toContain(hint);
  expect(code).toBe(2);
});
