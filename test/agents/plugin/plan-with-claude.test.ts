/**
 * The planning skill in the real Claude Code, with and without a PRD: it leaves a list of stories that the loop
 * accepts. These tests do not show which mode is chosen, because the model is scripted and every skill text names both
 * modes; test/e2e/plugin/plugin-texts.test.ts checks the sentences that decide it.
 */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { chooseMode } from '../../../src/loops/stories/list/mode.ts';
import { readTasks, type TasksFile } from '../../../src/loops/stories/list/tasks.ts';
import type { Script } from '../../../src/rehearsal/script/script.ts';
import { story, tasksOf } from '../../support/stories/stories.ts';
import { type AgentScene, agentScene, installAgents } from '../scene.ts';

const PLUGIN = resolve(import.meta.dirname, '../../../plugin');
const PRD = '# PRD: a filter for orders\n\n## Goals\n\nOrders can be filtered by state.\n';
const TASKS: TasksFile = {
  ...tasksOf(
    story('US-001', { title: 'Filter in the query' }),
    story('US-002', { title: 'Filter on the page', priority: 2, dependsOn: ['US-001'] }),
  ),
  verifyCommands: ['npm test'],
};

let programs: string[];
let scene: AgentScene;

beforeAll(() => {
  programs = installAgents('claude');
}, 600_000);

afterEach(() => scene.remove());

/** One session of Claude Code, in which the user types each of `typed` in turn. */
async function sitting(turns: Script['turns'], ...typed: string[]) {
  const file = join(scene.folder, 'script.json');
  writeFileSync(file, JSON.stringify({ turns }));
  const flags = `--plugin-dir '${PLUGIN}' --output-format stream-json --verbose --dangerously-skip-permissions`;
  const calls = typed.map((words, index) => `claude -p ${flags} ${index === 0 ? '' : '--continue'} '${words}'`);
  return scene.ralphRehearse(['--script', file, '--', 'sh', '-c', calls.join(' && ')]);
}

const write = (path: string, content: string) => ({ write: { path, content } });
const TASKS_TEXT = JSON.stringify(TASKS, null, 2);

describe('with an empty PRD', () => {
  test('it asks first, then writes the PRD and a list whose first story is ready', async () => {
    scene = agentScene(programs, { 'ralph/prd.md': '' }, { IS_SANDBOX: '1' });
    const { code, stderr } = await sitting(
      [
        { match: { anywhere: '## Mode 1: full planning' }, run: 'cat ralph/prd.md | wc -c' },
        { say: 'By what shall orders be filtered, and where?' },
        { match: 'By state, on the list page.', ...write('ralph/prd.md', PRD) },
        write('ralph/tasks.json', TASKS_TEXT),
        { say: 'Here are both files.' },
      ],
      '/ralph:ralph-plan a filter for orders',
      'By state, on the list page.',
    );
    expect(stderr).toContain('5 turns played, 0 left');
    expect(code).toBe(0);
    expect(scene.read('ralph/prd.md')).toBe(PRD);
    expectReadyList();
  });
});

describe('with a PRD that has content', () => {
  test('it reads the PRD, leaves it unchanged and derives the list', async () => {
    scene = agentScene(programs, { 'ralph/prd.md': PRD }, { IS_SANDBOX: '1' });
    const { code, stderr } = await sitting(
      [
        { match: { anywhere: '## Mode 2: task derivation' }, run: 'cat ralph/prd.md' },
        { match: 'Orders can be filtered by state.', ...write('ralph/tasks.json', TASKS_TEXT) },
        { say: 'Here is the list.' },
      ],
      '/ralph:ralph-plan',
    );
    expect(stderr).toContain('3 turns played, 0 left');
    expect(code).toBe(0);
    expect(scene.git('status', '--porcelain')).toBe('?? ralph/tasks.json\n');
    expectReadyList();
  });
});

function expectReadyList(): void {
  const read = readTasks(scene.read('ralph/tasks.json'));
  const first = read.isValid ? chooseMode(read.tasks, { skipReview: false }).story?.id : read.problems;
  expect(first).toBe('US-001');
}
