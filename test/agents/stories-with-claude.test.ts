/** The real Claude Code in a stories loop, in direct mode, with the plugin: what the hook blocks, and what the loop makes of it. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Story, TasksFile } from '../../src/doors/stories/rules-tasks.ts';
import type { Script } from '../../src/rehearsal/script.ts';
import { story, tasksOf } from '../support/stories.ts';
import { type AgentScene, agentScene, installAgents } from './scene.ts';

const ROOT = resolve(import.meta.dirname, '../..');

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

type Turns = Script['turns'];

const SUBMITTED: Partial<Story> = { reviewStatus: 'needs_review', notes: 'written' };
const approved = (reviewCount: number): Partial<Story> => ({
  passes: true,
  reviewStatus: 'approved',
  reviewCount,
  notes: 'written',
});

/** One iteration that does one thing with its shell and says something. */
function iteration(number: number, run: string, say: string): Turns {
  return [{ match: `iteration ${number} of`, run }, { say }];
}

/** Writes the list, and whatever else, and commits all of it. */
function commit(tasks: TasksFile, message: string, more = ''): string {
  return `${more}cat > ralph/tasks.json <<'END'\n${JSON.stringify(tasks, null, 2)}\nEND\ngit add -A && git commit -q -m '${message}'`;
}

function projectWith(tasks: TasksFile, env: Readonly<Record<string, string>> = {}): void {
  scene = agentScene(
    programs,
    {
      'ralph/tasks.json': JSON.stringify(tasks, null, 2),
      'ralph/prd.md': '# PRD\n',
      'ralph/progress.txt': '# Ralph Progress Log\n',
      'ralph/prompt.md': readFileSync(join(ROOT, 'plugin/templates/prompt.md'), 'utf8'),
      '.gitignore': '.ralph-active\nralph/logs/\n',
    },
    // As root Claude Code takes no --dangerously-skip-permissions anywhere else.
    { IS_SANDBOX: '1', ...env },
  );
}

function run(turns: Turns, ...flags: string[]) {
  return scene.rehearse({ turns }, ['stories', 'run', '--no-sandbox', ...flags]);
}

function tasksNow(): Story[] {
  return [...(JSON.parse(scene.read('ralph/tasks.json')) as TasksFile).userStories];
}

describe('the life of a story', () => {
  test('implement, a blocked attempt to approve itself, changes requested, fix, re-review, approved, COMPLETE', async () => {
    const of = (fields: Partial<Story>): TasksFile => tasksOf(story('US-001', fields));
    const feedback = 'The file has no end of line.';
    projectWith(of({}));
    const { code, stderr } = await run(
      [
        {
          match: 'iteration 1 of 8',
          run: commit(of(approved(1)), 'feat: [US-001] - mine', 'printf work > made.txt; '),
        },
        { say: 'I approved it myself.' },
        { match: 'Implement iterations cannot set passes=true', run: commit(of(SUBMITTED), 'feat: [US-001] - made') },
        { say: 'Submitted.' },
        ...iteration(
          2,
          commit(
            of({ ...SUBMITTED, reviewStatus: 'changes_requested', reviewCount: 1, reviewFeedback: feedback }),
            'review: [US-001] - changes requested',
          ),
          'Not yet.',
        ),
        ...iteration(
          3,
          commit(of({ ...SUBMITTED, reviewCount: 1 }), 'fix: [US-001] - address review feedback', 'echo >> made.txt; '),
          'Fixed.',
        ),
        ...iteration(4, commit(of(approved(2)), 'review: [US-001] - approved'), 'Good. <promise>COMPLETE</promise>'),
      ],
      '-n',
      '8',
    );
    expect(stderr).toContain('10 turns played, 0 left');
    expect(stderr).toContain('[ralph] All stories complete and verified!');
    expect(code).toBe(0);
    expect(tasksNow()).toMatchObject([{ passes: true, reviewStatus: 'approved', reviewCount: 2, reviewFeedback: '' }]);
    expect(scene.git('log', '--format=%s').trim().split('\n').slice(0, 2)).toEqual([
      'review: [US-001] - approved',
      'fix: [US-001] - address review feedback',
    ]);
    expect(scene.git('status', '--porcelain')).toBe('');
    expect(scene.read('.ralph-active')).toBe('');
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
    expect(tasksNow().map(({ passes, reviewCount }) => ({ passes, reviewCount }))).toEqual([
      { passes: true, reviewCount: 1 },
      { passes: true, reviewCount: 1 },
    ]);
  });

  test('at the cap a review that still has concerns approves, marked', async () => {
    const of = (fields: Partial<Story>): TasksFile => tasksOf(story('US-001', fields));
    projectWith(of({}));
    const concern = 'Names could be better.';
    const { code, stderr } = await run(
      [
        ...iteration(1, commit(of(SUBMITTED), 'feat: [US-001] - one', 'echo one > one.txt; '), 'Submitted.'),
        {
          match: 'iteration 2 of 4',
          run: commit(
            of({ ...SUBMITTED, reviewStatus: 'changes_requested', reviewCount: 1, reviewFeedback: concern }),
            'review: [US-001] - changes requested',
          ),
        },
        { say: 'Not yet.' },
        {
          match: 'AUTO-APPROVED AT CAP',
          run: commit(
            of({ ...approved(1), reviewFeedback: `[AUTO-APPROVED AT CAP] ${concern}` }),
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
    expect(tasksNow()).toMatchObject([{ passes: true, reviewFeedback: `[AUTO-APPROVED AT CAP] ${concern}` }]);
  });

  test('another agent reviews: the author is Claude Code, the reviewer Codex', async () => {
    const of = (fields: Partial<Story>): TasksFile => tasksOf(story('US-001', fields));
    projectWith(of({}));
    const { code, stderr } = await run(
      [
        ...iteration(1, commit(of(SUBMITTED), 'feat: [US-001] - one', 'echo one > one.txt; '), 'Submitted.'),
        {
          match: { lastUser: 'iteration 2 of', model: 'gpt' },
          run: commit(of(approved(1)), 'review: [US-001] - approved'),
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
    const of = (fields: Partial<Story>): TasksFile => tasksOf(story('US-001', fields));
    projectWith(of({}));
    const { code, stderr } = await run(
      iteration(
        1,
        commit(of({ passes: true, notes: 'written' }), 'feat: [US-001] - one', 'echo one > one.txt; '),
        '<promise>COMPLETE</promise>',
      ),
      '--skip-review',
    );
    expect(stderr).toContain('2 turns played, 0 left');
    expect(code).toBe(0);
    expect(tasksNow()).toMatchObject([{ passes: true, reviewStatus: null, reviewCount: 0 }]);
  });

  test('a context that fills is told to the agent in the loop, too', async () => {
    const of = (fields: Partial<Story>): TasksFile => tasksOf(story('US-001', fields));
    projectWith(of({}), { CLAUDE_CONTEXT_WINDOW: '100' });
    const { code, stderr } = await run(
      [
        { match: 'iteration 1 of', run: 'echo one' },
        {
          match: { anywhere: 'CRITICAL: Context window is at ~100% usage' },
          run: commit(of({ passes: true, notes: 'written' }), 'feat: [US-001] - one', 'echo one > one.txt; '),
        },
        { say: '<promise>COMPLETE</promise>' },
      ],
      '--skip-review',
    );
    expect(stderr).toContain('3 turns played, 0 left');
    expect(code).toBe(0);
  });
});
