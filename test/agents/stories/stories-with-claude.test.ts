/** The real Claude Code with the plugin in a stories loop, in direct mode: what hooks block, and what the loop does. */
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Story, TasksFile } from '../../../src/loops/stories/list/tasks.ts';
import { story, tasksOf } from '../../support/stories/stories.ts';
import { type AgentScene, AWAIT_TRANSCRIPT, installAgents } from '../scene.ts';
import {
  approved,
  commit,
  expectLived,
  iteration,
  one,
  SUBMITTED,
  storyScene,
  type Turns,
  tasksIn,
  WHOLE_LIFE,
} from './story-life.ts';

let programs: string[];
let scene: AgentScene;

beforeAll(() => {
  programs = installAgents('claude', 'codex');
}, 600_000);

afterEach(() => {
  const left = scene.processes();
  scene.remove();
  if (left.length > 0) throw new Error(`still running: ${JSON.stringify(left)}`);
});

function projectWith(tasks: TasksFile, env: Readonly<Record<string, string>> = {}): void {
  // As root, Claude Code accepts --dangerously-skip-permissions only with IS_SANDBOX.
  scene = storyScene(programs, tasks, { IS_SANDBOX: '1', ...env });
}

function run(turns: Turns, ...flags: string[]) {
  return scene.rehearse({ turns }, ['stories', 'run', '--no-sandbox', ...flags]);
}

describe('the life of a story', () => {
  test('implement, a blocked attempt to approve itself, changes requested, fix, re-review, approved, COMPLETE', async () => {
    projectWith(one());
    const ran = await run(WHOLE_LIFE, '-n', '8');
    expect(ran.stderr).toContain(
      '[ralph] WARNING: Running with --dangerously-skip-permissions without sandbox isolation',
    );
    expectLived(scene, ran);
  });

  test('two stories, the second after the first; a dangerous command is blocked on the way', async () => {
    const of = (first: Partial<Story>, second: Partial<Story>): TasksFile =>
      tasksOf(story('US-001', { priority: 2, ...first }), story('US-002', { dependsOn: ['US-001'], ...second }));
    projectWith(of({}, {}));
    const { code, stderr } = await run(
      [
        { match: 'iteration 1 of 6', run: 'git push --force origin main' },
        {
          match: 'ralph guard, blocked',
          run: commit(of(SUBMITTED, {}), 'feat: [US-001] - one', 'echo one > one.txt; '),
        },
        { say: 'Submitted.' },
        ...iteration(2, commit(of(approved(1), {}), 'review: [US-001] - approved'), 'Approved.'),
        ...iteration(3, commit(of(approved(1), SUBMITTED), 'feat: [US-002] - two', 'echo two > two.txt; '), 'Done.'),
        // No promise: the list alone says that it is complete.
        ...iteration(4, commit(of(approved(1), approved(1)), 'review: [US-002] - approved'), 'Approved.'),
      ],
      '-n',
      '6',
    );
    expect(stderr).toContain('9 turns played, 0 left');
    expect(stderr).toContain('[ralph] All stories verified complete via tasks.json (no promise tag).');
    expect(code).toBe(0);
    expect(tasksIn(scene).map(({ passes, reviewCount }) => ({ passes, reviewCount }))).toEqual([
      { passes: true, reviewCount: 1 },
      { passes: true, reviewCount: 1 },
    ]);
  });

  test('at the cap, a review that still has concerns approves, with a mark', async () => {
    projectWith(one());
    const concern = 'Names could be better.';
    const { code, stderr } = await run(
      [
        ...iteration(1, commit(one(SUBMITTED), 'feat: [US-001] - one', 'echo one > one.txt; '), 'Submitted.'),
        {
          match: 'iteration 2 of 4',
          run: commit(
            one({ ...SUBMITTED, reviewStatus: 'changes_requested', reviewCount: 1, reviewFeedback: concern }),
            'review: [US-001] - changes requested',
          ),
        },
        { say: 'Not yet.' },
        {
          match: 'AUTO-APPROVED AT CAP',
          run: commit(
            one({ ...approved(1), reviewFeedback: `[AUTO-APPROVED AT CAP] ${concern}` }),
            'review: [US-001] - auto-approved at cap',
          ),
        },
        { say: '<promise>COMPLETE</promise>' },
      ],
      '-n',
      '4',
      '--review-cap',
      '1',
    );
    expect(stderr).toContain('6 turns played, 0 left');
    expect(code).toBe(0);
    expect(tasksIn(scene)).toMatchObject([{ passes: true, reviewFeedback: `[AUTO-APPROVED AT CAP] ${concern}` }]);
  });

  test('another agent reviews: the author is Claude Code, the reviewer Codex', async () => {
    projectWith(one());
    const { code, stderr } = await run(
      [
        ...iteration(1, commit(one(SUBMITTED), 'feat: [US-001] - one', 'echo one > one.txt; '), 'Submitted.'),
        {
          match: { lastUser: 'iteration 2 of', model: 'gpt' },
          run: commit(one(approved(1)), 'review: [US-001] - approved'),
        },
        { say: '<promise>COMPLETE</promise>' },
      ],
      '--review-agent',
      'codex',
    );
    expect(stderr).toContain('4 turns played, 0 left');
    expect(code).toBe(0);
    expect(scene.git('log', '-1', '--format=%s')).toBe('review: [US-001] - approved\n');
  });

  test('without reviews an implementation passes by itself', async () => {
    projectWith(one());
    const { code, stderr } = await run(
      iteration(
        1,
        commit(one({ passes: true, notes: 'written' }), 'feat: [US-001] - one', 'echo one > one.txt; '),
        '<promise>COMPLETE</promise>',
      ),
      '--skip-review',
    );
    expect(stderr).toContain('2 turns played, 0 left');
    expect(code).toBe(0);
    expect(tasksIn(scene)).toMatchObject([{ passes: true, reviewStatus: null, reviewCount: 0 }]);
  });

  test('the agent is warned when its context fills up, in the loop, too', async () => {
    projectWith(one(), { CLAUDE_CONTEXT_WINDOW: '100' });
    const { code, stderr } = await run(
      [
        { match: 'iteration 1 of', run: AWAIT_TRANSCRIPT },
        {
          match: { anywhere: 'CRITICAL: Context window is at ~100% usage' },
          run: commit(one({ passes: true, notes: 'written' }), 'feat: [US-001] - one', 'echo one > one.txt; '),
        },
        { say: '<promise>COMPLETE</promise>' },
      ],
      '--skip-review',
    );
    expect(stderr).toContain('3 turns played, 0 left');
    expect(code).toBe(0);
  });
});

test('a stuck loop gets a new plan from a run that cannot write, and that the hooks let stop', async () => {
  scene = storyScene(programs, one());
  const { code, stderr } = await scene.rehearse(
    {
      turns: [
        { match: { anywhere: 'is making no progress' }, run: 'touch made-by-the-pivot.txt' },
        { match: { anywhere: 'is making no progress' }, say: 'I looked. <response>Use the abacus.</response>' },
        { match: { anywhere: 'Use the abacus.' }, run: commit(one(SUBMITTED), 'feat: [US-001] - made') },
        { match: { anywhere: 'Use the abacus.' }, say: 'Submitted.' },
      ],
      otherwise: { say: 'I think about it.' },
    },
    ['stories', 'run', '--no-sandbox', '-n', '4', '--on-stuck', 'pivot'],
  );
  expect(stderr).toContain('[ralph] ! Stuck: the last 3 iterations changed nothing.');
  expect(stderr).toContain('[ralph]     Use the abacus.');
  expect(stderr).not.toContain('has changed files');
  expect(stderr).toContain('4 turns played, 0 left');
  expect(code).toBe(1);
  expect(tasksIn(scene)).toMatchObject([{ reviewStatus: 'needs_review' }]);
});
