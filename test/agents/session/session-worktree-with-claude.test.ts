/** The real Claude Code in a loop when its agent enters a worktree: the transcript moves, and so does the work. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { DONE } from '../../support/session/session-loop.ts';
import { installAgents } from '../scene.ts';
import { type ClaudeSession, claudeSession, SESSION } from './session-scene.ts';

const ENTER = { tool: { name: 'EnterWorktree', input: { name: 'aside' } } };
const HERE = ['--session-id', SESSION];

let programs: string[];
let session: ClaudeSession;

beforeAll(() => {
  programs = installAgents('claude');
}, 600_000);

afterEach(() => session.scene.remove());

test('an older promise of the session, and its work, do not count after the transcript has moved', async () => {
  session = claudeSession(programs);
  const played = await session.play(
    {
      turns: [
        { tool: { name: 'Bash', input: { command: 'echo old >> notes.txt', description: 'Work' } } },
        { say: `The older task is done. ${DONE}` },
        ENTER,
        { say: 'I have only just entered the worktree.' },
        { say: `Now it is. ${DONE}` },
      ],
    },
    ['Do the older task', ...HERE],
    ['/ralph:ralph-loop "A new task" --max-iterations 5', '--resume', SESSION],
  );
  expect(existsSync(join(session.scene.work, '.claude/worktrees/aside'))).toBe(true);
  expect(played).toMatchObject({ unplayed: 0 });
  expect(session.log()).toContain('iteration 1: promise not found; 1 tool calls so far; sent back');
  expect(played.notices.at(-1)).toContain('PROMISE_ACCEPTED at iteration 1');
});

test('the checks run in the worktree, where the work is', async () => {
  session = claudeSession(programs);
  const made = { name: 'Bash', input: { command: 'touch made', description: 'Work' } };
  const played = await session.play({ turns: [ENTER, { say: DONE }, { tool: made }, { say: DONE }] }, [
    '/ralph:ralph-loop "Make it" --check "test -e made"',
    ...HERE,
  ]);
  const aside = join(session.scene.work, '.claude/worktrees/aside');
  expect(played.asked[2]).toContain(`The checks ran in the worktree that you work in: ${aside}`);
  expect(played.notices.at(-1)).toContain(`all checks passed in ${aside}, accepted`);
  expect(existsSync(join(session.scene.work, 'made'))).toBe(false);
});
