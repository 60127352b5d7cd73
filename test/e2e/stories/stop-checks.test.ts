/** What the Stop hook of a stories loop checks: section 3 of the seed's verification plan, and its loopholes. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Story } from '../../../src/loops/stories/list/tasks.ts';
import { testFolder } from '../../support/folder.ts';
import { answered, hookSession } from '../../support/session/plugin-hooks.ts';
import { APPROVED, SENT_BACK, SUBMITTED, tasksOf } from '../../support/stories/stories.ts';
import { iteration, OTHER, project, told, US } from '../../support/stories/stories-stop.ts';

describe('without a loop', () => {
  test('nothing is checked, and node is not needed', async () => {
    const scene = project();
    scene.repository.write('work', 'changed');
    expect(answered(await scene.stop({}, { env: { PATH: '/nowhere' } }))).toBeNull();
  });
});

describe('check 1', () => {
  test.each<[reason: string, tasks: string | null]>([
    ['Task list validation failed: Cannot read or parse ralph/tasks.json', null],
    ['Task list validation failed: Cannot read or parse ralph/tasks.json (line 1, column 13)', '{"project": '],
    [
      "Task list validation failed: tasks.json missing required top-level field: 'branchName'",
      '{"project":"p","description":"","userStories":[]}',
    ],
    ["Task list validation failed: Duplicate story ID: 'US-001'", JSON.stringify(tasksOf(US(), US()))],
    [
      "Task list validation failed: Story US-001: 'reviewCount' must be non-negative (got -1)",
      JSON.stringify(tasksOf(US({ reviewCount: -1 }))),
    ],
  ])('%s', async (reason, tasks) => {
    const scene = project();
    scene.marker({});
    if (tasks !== null) scene.repository.write('ralph/tasks.json', tasks);
    scene.repository.git('add', '.');
    scene.repository.git('commit', '--allow-empty', '-m', 'tasks');
    expect(await told(scene)).toBe(reason);
  });

  test('a pipe is not a valid list, and the hook does not wait for its end', async () => {
    const scene = project();
    scene.marker({});
    execFileSync('mkfifo', [join(scene.repository.cwd, 'ralph/tasks.json')]);
    expect(await told(scene)).toContain('Task list validation failed');
  });

  test('a valid list passes', async () => {
    expect(await told(iteration('implement', [US()], [US(SUBMITTED)]))).toBe('may stop');
  });

  test('the list is read from the folder that the marker names', async () => {
    const scene = project();
    scene.marker({ ralphDir: 'docs/loop' });
    expect(await told(scene)).toBe('Task list validation failed: Cannot read or parse docs/loop/tasks.json');
  });
});

describe('check 2', () => {
  const NOT_APPROVED =
    /^Review integrity check failed: Story US-001 has passes=true but reviewStatus is '(null|needs_review|changes_requested)', not 'approved'\. Only review iterations may approve stories\. Set passes back to false or complete the review cycle\.$/;
  test.each<[reason: RegExp, fields: Partial<Story>]>([
    [NOT_APPROVED, { passes: true }],
    [NOT_APPROVED, { ...SUBMITTED, passes: true }],
    [NOT_APPROVED, { ...SENT_BACK, passes: true }],
    [/^may stop$/, APPROVED],
    [/changes_requested' but empty reviewFeedback/, { ...SENT_BACK, reviewFeedback: '' }],
    [/reviewStatus='approved' but passes=false. These fields must be in sync\./, { reviewStatus: 'approved' }],
    [/reviewCount=7 which exceeds reviewCap\+1 \(6\)/, { ...APPROVED, reviewCount: 7 }],
  ])('%s', async (reason, fields) => {
    const scene = project();
    scene.marker({});
    scene.tasks(US({ notes: 'x', ...fields }));
    expect(await told(scene)).toMatch(reason);
  });

  test('is skipped without reviews, and so is check 2.5', async () => {
    const skip = { skipReview: true };
    expect(await told(iteration('implement', [US()], [US({ passes: true })], skip))).toBe('may stop');
  });

  test('runs without a snapshot, too; a warning says that check 2.5 was skipped', async () => {
    const scene = project();
    scene.marker({ iterationMode: 'implement' });
    scene.tasks(US(APPROVED));
    expect(answered(await scene.stop())).toEqual({
      systemMessage:
        'ralph: .ralph-active has no preIterationSnapshot; the transitions of the stories were not checked.',
    });
    scene.tasks(US({ passes: true }));
    expect(await told(scene)).toMatch(NOT_APPROVED);
  });

  test('runs with a broken marker', async () => {
    const scene = project();
    scene.marker('{"skipReview": tru');
    scene.tasks(US({ passes: true }));
    expect(await told(scene)).toMatch(NOT_APPROVED);
    scene.tasks(US());
    expect(answered(await scene.stop())).toEqual({
      systemMessage: 'ralph: .ralph-active cannot be read; the transitions of the stories were not checked.',
    });
  });
});

describe('check 2.5', () => {
  const ONE = { ...SUBMITTED, reviewCount: 1 };
  const IMPLEMENT =
    'Implement iterations cannot set passes=true or approve stories. Only review iterations may approve. Story US-001 had illegal transition: ';
  const FIX =
    'Review-fix iterations cannot approve stories. Story US-001 must go back to needs_review for re-review. Illegal transition: ';
  test.each<[title: string, reason: string, mode: string, before: Story[], after: Story[]]>([
    [
      'implement cannot set passes=true',
      `${IMPLEMENT}passes false → true.`,
      'implement',
      [US()],
      [US({ passes: true })],
    ],
    ['implement cannot approve', `${IMPLEMENT}reviewStatus null → 'approved'.`, 'implement', [US()], [US(APPROVED)]],
    ['implement cannot increment reviewCount', `${IMPLEMENT}reviewCount 0 → 1.`, 'implement', [US()], [US(ONE)]],
    ['implement submits', 'may stop', 'implement', [US()], [US(SUBMITTED)]],
    ['implement adds a story', 'may stop', 'implement', [US()], [US(), OTHER()]],
    [
      'implement adds a passing story',
      'New story US-002 must start with passes=false (got passes=true).',
      'implement',
      [US()],
      [US(), OTHER(APPROVED)],
    ],
    [
      'implement submits two',
      'at most one story for review. Found 2 stories',
      'implement',
      [US(), OTHER()],
      [US(SUBMITTED), OTHER(SUBMITTED)],
    ],
    [
      'implement deletes',
      'Task list validation failed: Story US-002 was deleted.',
      'implement',
      [US(), OTHER()],
      [US()],
    ],
    ['an empty snapshot', 'New story US-001 must start with passes=false', 'implement', [], [US(APPROVED)]],
    ['review approves', 'may stop', 'review', [US(ONE)], [US({ ...APPROVED, reviewCount: 2 })]],
    ['review sends back', 'may stop', 'review', [US(ONE)], [US({ ...SENT_BACK, reviewCount: 2 })]],
    [
      'review must increment reviewCount',
      'reviewCount must increment by exactly 1 (was 1, now 1)',
      'review',
      [US(ONE)],
      [US(APPROVED)],
    ],
    ['review changes nothing', 'Review iteration ended without a verdict', 'review', [US(ONE)], [US(ONE)]],
    [
      'review may only modify one story',
      'modified review fields on multiple stories (US-001, US-002)',
      'review',
      [US(SUBMITTED), OTHER(SUBMITTED)],
      [US(APPROVED), OTHER(APPROVED)],
    ],
    [
      'review approves what was never submitted',
      'it was never submitted',
      'review',
      [US(SUBMITTED), OTHER()],
      [US(SUBMITTED), OTHER(APPROVED)],
    ],
    [
      'review adds an approved story',
      'New story US-002 must start with',
      'review',
      [US(SUBMITTED)],
      [US(APPROVED), OTHER(APPROVED)],
    ],
    ['review-fix cannot approve', `${FIX}passes false → true.`, 'review-fix', [US(SENT_BACK)], [US(APPROVED)]],
    ['review-fix re-submits', 'may stop', 'review-fix', [US(SENT_BACK)], [US(ONE)]],
    [
      'review-fix cannot increment reviewCount',
      `${FIX}reviewCount 1 → 2.`,
      'review-fix',
      [US(SENT_BACK)],
      [US({ ...SUBMITTED, reviewCount: 2 })],
    ],
    [
      'review-fix submits another',
      'may only re-submit a story that a review sent back',
      'review-fix',
      [US(SENT_BACK), OTHER()],
      [US(ONE), OTHER(SUBMITTED)],
    ],
    [
      'review-fix keeps the feedback',
      'must clear reviewFeedback',
      'review-fix',
      [US(SENT_BACK)],
      [US({ ...ONE, reviewFeedback: 'Fix it' })],
    ],
  ])('%s', async (_title, reason, mode, before, after) => {
    const stories = after.map((one) => ({ ...one, notes: 'x' }));
    expect(await told(iteration(mode, before, stories))).toContain(reason);
  });

  test('a blocked reviewer may stop without a verdict, but not with illegal changes', async () => {
    const stopWith = async (words: string, after: Partial<Story>) => {
      const scene = iteration('review', [US(SUBMITTED)], [US(after)]);
      return answered(await scene.stop({ last_assistant_message: words }))?.decision ?? 'may stop';
    };
    expect(await stopWith('Hm. <promise>DECIDE: a or b?</promise>', SUBMITTED)).toBe('may stop');
    expect(await stopWith('<promise>BLOCKED: no key</promise>', SUBMITTED)).toBe('may stop');
    expect(await stopWith('<promise>COMPLETE</promise>', SUBMITTED)).toBe('block');
    expect(await stopWith('<promise>BLOCKED: no key</promise>', { ...SUBMITTED, reviewCount: 3 })).toBe('block');
  });

  test('at the cap, a review must approve', async () => {
    const at = (after: Partial<Story>) => told(iteration('review', [US(SUBMITTED)], [US(after)], { reviewCap: 1 }));
    expect(await at(SENT_BACK)).toContain('this was review 1 and the review cap is 1');
    expect(await at({ ...APPROVED, reviewFeedback: 'slow' })).toContain('prefix it with [AUTO-APPROVED AT CAP]');
    expect(await at(APPROVED)).toBe('may stop');
    expect(await at({ ...APPROVED, reviewFeedback: '[AUTO-APPROVED AT CAP] slow' })).toBe('may stop');
  });
});

describe('check 3', () => {
  const text = (...lines: string[]) =>
    [
      'You have uncommitted changes. Before stopping, you must:',
      '1. Update ralph/progress.txt with what was accomplished and what was learned',
      '2. Consider if any lasting patterns belong in CLAUDE.md or .claude/rules/',
      '3. Commit ALL changes including progress.txt and tasks.json updates',
      'Uncommitted:',
      ...lines,
    ].join('\n');

  test('blocks an agent with uncommitted changes; the marker does not count', async () => {
    const scene = iteration('implement', [US()], [US(SUBMITTED)]);
    scene.repository.write('work', 'changed');
    scene.repository.write('new file', '');
    expect(await told(scene)).toBe(text(' M work', '?? "new file"'));
    scene.repository.git('add', 'work', 'new file');
    scene.repository.git('commit', '-m', 'work');
    expect(await told(scene)).toBe('may stop');
  });

  test('ten thousand new files are not all listed', async () => {
    const scene = iteration('implement', [US()], [US(SUBMITTED)]);
    for (let index = 0; index < 10_000; index++) scene.repository.write(`file-${index}`, '');
    expect((await told(scene)).split('\n')).toHaveLength(16);
  });

  test('is reported along with other failures', async () => {
    const scene = iteration('implement', [US()], [US({ passes: true })]);
    scene.repository.write('work', 'changed');
    const reason = await told(scene);
    expect(reason).toMatch(/^Review integrity check failed: /);
    expect(reason).toContain('\nTransition validation failed: ');
    expect(reason).toContain(`\n\n${text(' M work')}`);
  });

  test('is skipped outside a repository', async () => {
    const folder = testFolder();
    mkdirSync(join(folder, 'ralph'));
    writeFileSync(join(folder, 'ralph/tasks.json'), JSON.stringify(tasksOf(US())));
    writeFileSync(join(folder, '.ralph-active'), JSON.stringify({ skipReview: true }));
    expect(answered(await hookSession(folder).call('stop'))).toBeNull();
  });
});

test('removed verifyCommands are reported by name', async () => {
  const emptied = iteration('implement', [US()], [US(SUBMITTED)], { verifyCommands: ['npm test'] });
  expect(await told(emptied)).toContain('verifyCommands ["npm test"] → []');
  expect(await told(iteration('implement', [US()], [US(SUBMITTED)], { verifyCommands: [] }))).toBe('may stop');
});
