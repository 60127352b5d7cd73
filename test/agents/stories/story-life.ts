/** A project with one story for real agents on a scripted model, and the turns that take the story through its life. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'vitest';
import type { Story, TasksFile } from '../../../src/loops/stories/list/tasks.ts';
import type { Script } from '../../../src/rehearsal/script/script.ts';
import type { Exited } from '../../support/programs/program.ts';
import { story, tasksOf } from '../../support/stories/stories.ts';
import { type AgentScene, agentScene } from '../scene.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

export type Turns = Script['turns'];

export const SUBMITTED: Partial<Story> = { reviewStatus: 'needs_review', notes: 'written' };

export function approved(reviewCount: number): Partial<Story> {
  return { passes: true, reviewStatus: 'approved', reviewCount, notes: 'written' };
}

/** The list with its one story. */
export function one(fields: Partial<Story> = {}): TasksFile {
  return tasksOf(story('US-001', fields));
}

/** One iteration that runs one shell command and says something. */
export function iteration(number: number, run: string, say: string): Turns {
  return [{ match: `iteration ${number} of`, run }, { say }];
}

/** Runs `more`, writes the list and commits everything. */
export function commit(tasks: TasksFile, message: string, more = ''): string {
  return `${more}cat > ralph/tasks.json <<'END'\n${JSON.stringify(tasks, null, 2)}\nEND\ngit add -A && git commit -q -m '${message}'`;
}

export function storyScene(
  programs: readonly string[],
  tasks: TasksFile,
  env: Readonly<Record<string, string>> = {},
): AgentScene {
  return agentScene(
    programs,
    {
      'ralph/tasks.json': JSON.stringify(tasks, null, 2),
      'ralph/prd.md': '# PRD\n',
      'ralph/progress.txt': '# Ralph Progress Log\n',
      'ralph/prompt.md': readFileSync(join(ROOT, 'plugin/templates/prompt.md'), 'utf8'),
      '.gitignore': '.ralph-active\nralph/logs/\n',
    },
    env,
  );
}

export function tasksIn(scene: AgentScene): Story[] {
  return [...(JSON.parse(scene.read('ralph/tasks.json')) as TasksFile).userStories];
}

/** Implement, a blocked attempt to approve itself, changes requested, fix, re-review, approved, COMPLETE. */
export const WHOLE_LIFE: Turns = [
  { match: 'iteration 1 of 8', run: commit(one(approved(1)), 'feat: [US-001] - mine', 'printf work > made.txt; ') },
  { say: 'I approved it myself.' },
  { match: 'Implement iterations cannot set passes=true', run: commit(one(SUBMITTED), 'feat: [US-001] - made') },
  { say: 'Submitted.' },
  ...iteration(
    2,
    commit(
      one({
        ...SUBMITTED,
        reviewStatus: 'changes_requested',
        reviewCount: 1,
        reviewFeedback: 'The file has no end of line.',
      }),
      'review: [US-001] - changes requested',
    ),
    'Not yet.',
  ),
  ...iteration(
    3,
    commit(one({ ...SUBMITTED, reviewCount: 1 }), 'fix: [US-001] - address review feedback', 'echo >> made.txt; '),
    'Fixed.',
  ),
  ...iteration(4, commit(one(approved(2)), 'review: [US-001] - approved'), 'Good. <promise>COMPLETE</promise>'),
];

export function expectLived(scene: AgentScene, { code, stderr }: Exited): void {
  expect(stderr).toContain('10 turns played, 0 left');
  expect(stderr).toContain('[ralph] All stories complete and verified!');
  expect(code).toBe(0);
  expect(tasksIn(scene)).toMatchObject([
    { passes: true, reviewStatus: 'approved', reviewCount: 2, reviewFeedback: '' },
  ]);
  expect(scene.git('log', '--format=%s').trim().split('\n').slice(0, 2)).toEqual([
    'review: [US-001] - approved',
    'fix: [US-001] - address review feedback',
  ]);
  expect(scene.git('status', '--porcelain')).toBe('');
  expect(scene.read('.ralph-active')).toBe('');
}
