/** The plugin's texts for people and models: templates and planning skill, word for word where the seed has them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readTasks } from '../../../src/loops/stories/list/tasks.ts';
import { PLUGIN } from '../../support/session/plugin-hooks.ts';

const read = (path: string) => readFileSync(join(PLUGIN, path), 'utf8');

/** A section with its heading, with all whitespace collapsed. */
function section(text: string, heading: string): string {
  const [found, ...others] = text.split(/^(?=## )/m).filter((part) => part.startsWith(heading));
  if (found === undefined || others.length > 0) throw new Error(`${others.length + 1} sections begin with ${heading}`);
  return found.split(/\s+/).join(' ');
}

describe('the task list', () => {
  test('is exactly the seed’s', () => {
    expect(JSON.parse(read('templates/tasks-template.json'))).toStrictEqual({
      project: '',
      branchName: 'ralph/feature-name',
      description: '',
      verifyCommands: [],
      userStories: [
        {
          id: 'US-001',
          title: '',
          description: '',
          acceptanceCriteria: [],
          priority: 1,
          passes: false,
          reviewStatus: null,
          reviewCount: 0,
          reviewFeedback: '',
          notes: '',
          dependsOn: [],
        },
      ],
    });
  });

  test('is invalid until it has acceptance criteria', () => {
    const first = readTasks(read('templates/tasks-template.json'));
    expect(first).toEqual({ isValid: false, problems: ["Story US-001: 'acceptanceCriteria' must not be empty"] });
  });
});

test('the progress log is exactly the seed’s', () => {
  expect(read('templates/progress-template.md')).toBe(
    '# Ralph Progress Log\nStarted: {{DATE}}\nPRD: {{PROJECT_NAME}}\n\n## Codebase Patterns\n- (Reusable patterns discovered during this loop)\n\n---\n',
  );
});

describe('the prompt', () => {
  const prompt = read('templates/prompt.md');

  test('numbers its iteration', () => {
    expect(prompt).toMatch(/^# Ralph Loop — iteration \$RALPH_ITERATION of \$RALPH_MAX_ITERATIONS\n/);
  });

  test.each<[string, string[]]>([
    [
      '## Step 1: Orient',
      [
        'Read `ralph/progress.txt`; its section "Codebase Patterns" at the top comes first.',
        'Read `ralph/prd.md`: the requirements, and the constraints that hold for every story. It is read-only.',
        'Read `ralph/tasks.json`: the stories and their state.',
        'Run `git log --oneline -10` and `git status`.',
        'Read `.ralph-active`',
      ],
    ],
    [
      '## Step 2: Select',
      [
        '1. **Review-Fix:** a story has `reviewStatus: "changes_requested"`. Select it and read its `reviewFeedback`.',
        '2. **Review:** a story has `reviewStatus: "needs_review"`.',
        '3. **Implement:** otherwise select the story of the highest priority (1 is the highest) that has `passes: false` and `reviewStatus: null` and whose `dependsOn` are all done.',
        'If `.ralph-active` says `"skipReview": true`, there is only implement mode',
        'about 60 % of it is room to work in',
        'The story keeps its id for the first part; the rest gets new stories with new ids',
        'criteria may be added, none may be struck out or reworded. Delete no story.',
        'You may also add stories for work that you discover, and reorder priorities.',
      ],
    ],
    [
      '## Step 3-implement',
      [
        'Read the existing code first, and follow the patterns of `progress.txt`.',
        'Respect the constraints of `prd.md` throughout.',
        'Run every command of `verifyCommands` in `tasks.json`.',
        'run `git diff` and read every changed line',
        'go through the acceptance criteria: is each one genuinely met?',
        'look for edge cases, missing error handling, leftover TODOs',
        'fix what you find, and run `verifyCommands` again',
        'Set `reviewStatus: "needs_review"`. Leave `passes` at `false` and `reviewCount` as it is',
      ],
    ],
    [
      '## Step 3-review:',
      [
        "You are reviewing work from a PREVIOUS iteration. You did not write this code in this session. Review it as if reading someone else's work.",
        '**Increment `reviewCount`** of the story by one.',
        'Run `git log --oneline -5` to find the commits of this story, and `git diff` over their range',
        'For EACH acceptance criterion, one by one',
        'verify that it actually works as intended, not just that it looks right',
        'check edge cases and error paths',
        'Run every command of `verifyCommands`.',
        '**All criteria are genuinely met, and there are no issues:** set `reviewStatus: "approved"` AND `passes: true`.',
        '`reviewCount` is below the review cap** (`reviewCap` of `.ralph-active`, usually 5): set `reviewStatus: "changes_requested"`, and write into `reviewFeedback` exactly what needs to be fixed, and where. Do NOT fix it yourself',
        '`reviewCount` has reached the review cap:** approve all the same. Set `reviewStatus: "approved"` AND `passes: true`, and write the remaining concerns into `reviewFeedback`, prefixed with `[AUTO-APPROVED AT CAP]`.',
      ],
    ],
    [
      '## Step 3-review-fix',
      [
        'Read `reviewFeedback` of the selected story',
        'Address each of them explicitly, not only the easy ones.',
        'Run every command of `verifyCommands`.',
        'Review your own work as in step 3-implement.',
        'Clear `reviewFeedback` (set it to `""`) and set `reviewStatus: "needs_review"`',
      ],
    ],
    [
      '## Step 4: Document',
      [
        '### Iteration $RALPH_ITERATION — [mode: implement|review|review-fix] — [US-xxx] [Title]',
        '**What was done:** … **Files changed:** … **Verification results:** … **Learnings:** …',
        'Entries are only ever appended. The section "Codebase Patterns" at the top is curated',
      ],
    ],
    [
      '## Step 5: Consider memory',
      [
        'Update `CLAUDE.md` or `.claude/rules/` ONLY with rules that hold beyond this loop',
        'Skip this step if nothing',
      ],
    ],
    [
      '## Step 6: Commit and signal',
      [
        '| Implement | `feat: [US-xxx] - [Title]` | `reviewStatus: "needs_review"` (NOT `passes: true`) |',
        '| Review, approved | `review: [US-xxx] - approved` | `reviewStatus: "approved"` and `passes: true` |',
        '| Review, changes requested | `review: [US-xxx] - changes requested` | `reviewStatus: "changes_requested"`, with feedback |',
        '| Review, approved at the cap | `review: [US-xxx] - auto-approved at cap` |',
        '| Review-Fix | `fix: [US-xxx] - address review feedback` | `reviewStatus: "needs_review"` |',
        'check whether ALL stories have `passes: true` AND `reviewStatus: "approved"`. Only then output: <promise>COMPLETE</promise>',
      ],
    ],
    [
      '## Without reviews',
      [
        'every iteration is an implement iteration',
        'set `passes: true` directly and write `notes`; `reviewStatus` stays `null` and `reviewCount` stays 0',
        'The list is complete when ALL stories have `passes: true`.',
      ],
    ],
    [
      '## Hard rules',
      [
        'One story per iteration. Never start a second one.',
        'Implementation iterations NEVER set `passes: true`: only review iterations do, and only when they approve (unless `skipReview` is true).',
        'Do not weaken or remove tests to make them pass.',
        'If you are stuck, write the blocker into `progress.txt` for the next iteration.',
        '`<promise>BLOCKED:the reason</promise>`',
        '`<promise>DECIDE:the question</promise>`',
        'You may add, split and reorder stories in `tasks.json`. Never delete one, nor an acceptance criterion; leave `verifyCommands` as it is',
        '`prd.md` is read-only. Never modify it during the loop.',
        'Review iterations do not fix code. They evaluate and give feedback',
        'Review-fix iterations address ALL items of the feedback, not just the easy ones.',
      ],
    ],
  ])('%s', (heading, sentences) => {
    const text = section(prompt, heading);
    for (const sentence of sentences) expect(text).toContain(sentence.split(/\s+/).join(' '));
  });
});

describe('the PRD', () => {
  const prd = read('templates/prd-template.md');

  test.each([
    ['1. Summary', 'Required, all sizes.'],
    ['2. Problem Statement', 'Required, all sizes.'],
    ['3. Goals', 'Required for M and L, optional for S.'],
    ['4. Non-Goals', 'Required for M and L, recommended for S.'],
    ['5. Background & Context', 'Recommended for M and L.'],
    ['6. Technical Design', 'Required, all sizes.'],
    ['7. Constraints', 'Recommended for M and L.'],
    ['8. Edge Cases & Error Handling', 'Recommended for M and L.'],
    ['9. Risks & Mitigations', 'Recommended for M and L.'],
    ['10. Open Questions', 'Recommended, all sizes.'],
  ])('section %s says for which sizes it is: %s', (heading, size) => {
    expect(section(prd, `## ${heading}`)).toMatch(new RegExp(`^## ${heading} <!-- ${size.replaceAll('.', '[.]')}`));
  });

  test('has ten sections in the seed’s order, and five kinds of technical design', () => {
    const headings = [...prd.matchAll(/^##+ (\d+[a-z]?)\. (.+)$/gm)].map(([, number, title]) => `${number} ${title}`);
    expect(headings).toEqual([
      '1 Summary',
      '2 Problem Statement',
      '3 Goals',
      '4 Non-Goals',
      '5 Background & Context',
      '6 Technical Design',
      '6a Database Changes',
      '6b API Contracts',
      '6c Core Logic Changes',
      '6d Frontend Changes',
      '6e Infrastructure / Config Changes',
      '7 Constraints',
      '8 Edge Cases & Error Handling',
      '9 Risks & Mitigations',
      '10 Open Questions',
    ]);
  });

  test('explains every section in a comment, and has the seed’s two tables', () => {
    for (const part of prd.split(/^(?=##+ \d)/m).slice(1)) expect(part).toMatch(/^##.*\n\n<!--/);
    expect(section(prd, '## 8.')).toContain('| Scenario | Trigger | Expected behavior | Error |');
    expect(section(prd, '## 9.')).toContain('| Risk | Likelihood | Impact | Mitigation |');
  });
});

describe('the planning skill', () => {
  const skill = read('skills/ralph-plan/SKILL.md');

  test.each(['"/ralph-plan"', '"plan this feature for ralph"', '"create a ralph prd"', '"generate tasks for ralph"'])(
    'is triggered by %s',
    (phrase) => {
      const description = /^description: (.*)$/m.exec(skill)?.[1];
      expect(description).toContain(phrase);
    },
  );

  test.each<[string, string[]]>([
    [
      '## First: is there',
      ['If the project has no `ralph/` folder, stop here and tell the user to make it first', 'scripts/ralph-init.sh'],
    ],
    [
      '## Which mode?',
      [
        'It is missing, empty, or still the template (headings and HTML comments, nothing else): **mode 1, full planning**.',
        'It has content of its own: **mode 2, task derivation**.',
        'already has stories that were begun',
        'say so and ask before you replace anything',
      ],
    ],
    [
      '## Mode 1',
      [
        'Ask clarifying questions, as many as it takes; there is no limit.',
        'the problem and the goal, the core functionality, the boundaries of the scope, the technical context, the constraints, and what success looks like',
        'Go on until you are confident that the specification is complete.',
        'Write `ralph/prd.md` by the structure of',
        '/templates/prd-template.md`, with all sections that matter filled in',
        'Derive `ralph/tasks.json` by the rules below.',
        'Show both files to the user for review',
      ],
    ],
    [
      '## Mode 2',
      [
        'Read `ralph/prd.md`. Do not rewrite it.',
        'Ask only where the requirements are ambiguous or incomplete',
        'Derive `ralph/tasks.json` by the rules below.',
        'Show the stories to the user for review',
      ],
    ],
    [
      '## Rules for the stories',
      [
        'A story is completable in one context window. If you cannot describe the change in two or three sentences, it is too big: split it.',
        '**Ordered by dependency:** schema and database → backend logic → API routes → frontend components → integration and summary views.',
        '**Verifiable acceptance criteria,** at least one: "Filter dropdown has options: All, Active, Done", not "works correctly".',
        '**`dependsOn`** is set where the order matters beyond `priority`',
        "**`verifyCommands`** are the project's own commands for tests, lint and types",
        'Every story starts with `"passes": false`, `"reviewStatus": null`, `"reviewCount": 0`, `"reviewFeedback": ""` and `"notes": ""`.',
      ],
    ],
  ])('%s', (heading, sentences) => {
    const text = section(skill, heading);
    for (const sentence of sentences) expect(text).toContain(sentence);
  });

  test('shows an example list that a loop accepts', () => {
    const shown = readTasks(/^```json\n(.*?)^```/ms.exec(skill)?.[1] ?? null);
    expect(shown).toMatchObject({ isValid: true, tasks: { userStories: [{ passes: false, reviewStatus: null }] } });
  });
});
