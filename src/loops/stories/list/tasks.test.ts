import { expect, test } from 'vitest';
import { APPROVED, story, tasksOf } from '../../../../test/support/stories/stories.ts';
import { readTasks } from './tasks.ts';

const good = story('US-001');
const without = (field: string) => JSON.parse(JSON.stringify({ ...good, [field]: undefined })) as unknown;

test('a whole list is read', () => {
  const tasks = tasksOf(good, story('US-002', APPROVED));
  expect(readTasks(JSON.stringify(tasks))).toEqual({ isValid: true, tasks });
});

test.each<[problem: string, text: string | null]>([
  ['Cannot read or parse ralph/tasks.json', null],
  ['Cannot read or parse ralph/tasks.json (line 1, column 1)', ''],
  ['Cannot read or parse ralph/tasks.json (line 1, column 12)', '{"project":'],
  ['Cannot read or parse ralph/tasks.json (line 3, column 1)', '{\n  "project": "p",\n}\n'],
  ['tasks.json must be an object', '[]'],
  ['tasks.json must be an object', 'null'],
  ...['project', 'branchName', 'description', 'userStories'].map((field): [string, string] => [
    `tasks.json missing required top-level field: '${field}'`,
    JSON.stringify({ ...tasksOf(good), [field]: undefined }),
  ]),
  ["tasks.json 'project' must be a string", JSON.stringify({ ...tasksOf(good), project: 1 })],
  ["tasks.json 'userStories' must be an array", JSON.stringify({ ...tasksOf(good), userStories: {} })],
  [
    "tasks.json 'verifyCommands' must be an array of strings",
    JSON.stringify({ ...tasksOf(good), verifyCommands: [1] }),
  ],
])('%s', (problem, text) => {
  expect(readTasks(text)).toEqual({ isValid: false, problems: [problem] });
});

test.each<[problem: string, story: unknown]>([
  ...['title', 'passes', 'priority', 'acceptanceCriteria', 'reviewStatus', 'reviewCount', 'reviewFeedback'].map(
    (field): [string, unknown] => [`Story US-001: missing required field '${field}'`, without(field)],
  ),
  ["Story at position 1: missing required field 'id'", without('id')],
  ["Story at position 1: field 'id' has wrong type (expected string)", { ...good, id: 7 }],
  ["Story at position 1: 'id' must not be empty", { ...good, id: '' }],
  ['Story at position 1: must be an object', 'US-001'],
  ["Story US-001: field 'passes' has wrong type (expected boolean)", { ...good, passes: 'true' }],
  ["Story US-001: field 'priority' has wrong type (expected number)", { ...good, priority: '1' }],
  ["Story US-001: field 'title' has wrong type (expected string)", { ...good, title: null }],
  ["Story US-001: field 'reviewFeedback' has wrong type (expected string)", { ...good, reviewFeedback: null }],
  ["Story US-001: field 'reviewCount' has wrong type (expected number)", { ...good, reviewCount: true }],
  [
    "Story US-001: field 'acceptanceCriteria' has wrong type (expected array of strings)",
    { ...good, acceptanceCriteria: 'x' },
  ],
  ["Story US-001: field 'dependsOn' has wrong type (expected array of strings)", { ...good, dependsOn: 'US-002' }],
  ["Story US-001: 'acceptanceCriteria' must not be empty", { ...good, acceptanceCriteria: [] }],
  [
    "Story US-001: 'reviewStatus' is 'done', must be null or one of: needs_review, changes_requested, approved",
    { ...good, reviewStatus: 'done' },
  ],
  [
    "Story US-001: 'reviewStatus' is false, must be null or one of: needs_review, changes_requested, approved",
    { ...good, reviewStatus: false },
  ],
  ["Story US-001: 'reviewCount' must be non-negative (got -1)", { ...good, reviewCount: -1 }],
  ["Story US-001: 'reviewCount' must be an integer (got 1.5)", { ...good, reviewCount: 1.5 }],
  [
    "Story US-001: has passes=true but empty 'notes' — document what was done",
    story('US-001', { ...APPROVED, notes: ' ' }),
  ],
])('%s', (problem, one) => {
  const text = JSON.stringify({ ...tasksOf(), userStories: [one] });
  expect(readTasks(text)).toMatchObject({ isValid: false, problems: [problem] });
});

test('a duplicate id is reported once', () => {
  const text = JSON.stringify(tasksOf(good, good, good, story('US-002')));
  expect(readTasks(text)).toEqual({ isValid: false, problems: ["Duplicate story ID: 'US-001'"] });
});

test('a very long value is not repeated in full', () => {
  const text = JSON.stringify({ ...tasksOf(), userStories: [{ ...good, reviewStatus: 'x'.repeat(5000) }] });
  const read = readTasks(text);
  expect(read.isValid ? '' : read.problems[0]?.length).toBeLessThan(250);
});

test('an id is one line that a person can read, and no other id looks like it', () => {
  const problems = (...ids: string[]) => {
    const read = readTasks(JSON.stringify(tasksOf(...ids.map((id) => story(id)))));
    return read.isValid ? [] : read.problems;
  };
  expect(problems('US-001', 'Größe 1', 'задача', '__proto__')).toEqual([]);
  for (const id of ['A\nB', 'A\u001b[2K', 'A\u200b', 'A\u2028B', '\u202eA'])
    expect(problems(id)[0]).toContain("'id' must not contain control or invisible characters");
  expect(problems('US-001', 'ＵＳ-001')).toEqual([expect.stringContaining('Duplicate story ID')]);
  expect(problems('US-001', 'US\u2011001')).toEqual([expect.stringContaining('Duplicate story ID')]);
});
