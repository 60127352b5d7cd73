/** The real Claude Code on a task: alone, and as the parent of two others that it starts with its shell tool. */
import { readFileSync } from 'node:fs';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { installAgents } from '../scene.ts';
import { rehearseTask, type TaskRehearsal, taskWith } from './task-with.ts';

taskWith('claude');

describe('a parent that starts two children with ralph job', () => {
  let program: string;
  let rehearsal: TaskRehearsal;

  beforeAll(() => {
    [program = ''] = installAgents('claude');
  }, 600_000);

  afterEach(() => rehearsal.scene.remove());

  const start = (part: string): string =>
    `ralph job --agent claude --prompt "Write part ${part}" >${part}.out 2>${part}.err &`;
  const parts = [
    { match: 'Write part one', say: 'Part one is written.' },
    { match: 'Write part two', say: 'Part two is written.' },
  ];

  test('and waits for them gets their results', async () => {
    rehearsal = rehearseTask('claude', program);
    const run = `${start('one')} ${start('two')} wait; cat one.out two.out; echo finished > "$JRUN_TASK_FOLDER/DONE"`;
    const turns = [
      { match: 'Split the work', run },
      { match: 'Part one is written.', say: 'Both are written.' },
      ...parts,
    ];
    const { code, stderr } = await rehearsal.run(turns, 'Split the work.');
    expect(stderr).toContain('4 turns played, 0 left');
    expect(code).toBe(0);
    expect(['one', 'two'].map((part) => rehearsal.scene.read(`${part}.out`))).toEqual(
      parts.map(({ say }) => `${say}\n`),
    );
    family();
  });

  test('and does not wait for them is done only when they are', async () => {
    rehearsal = rehearseTask('claude', program);
    const begun = 'until grep -q "^run: " one.err && grep -q "^run: " two.err; do sleep 0.1; done';
    const run = `${start('one')} ${start('two')} ${begun}; echo begun both; echo finished > "$JRUN_TASK_FOLDER/DONE"`;
    const turns = [{ match: 'Split the work', run }, { match: 'begun both', say: 'They are on their way.' }, ...parts];
    const { code, stderr } = await rehearsal.run(turns, 'Split the work.');
    expect(stderr).toContain('4 turns played, 0 left');
    expect(code).toBe(0);
    family();
  });

  /** One parent and two children, all completed; the output of each child is what it said. */
  function family(): void {
    const [parent, ...children] = rehearsal.runs();
    expect(parent).toMatchObject({ status: 'completed' });
    expect(children).toMatchObject([1, 2].map(() => ({ status: 'completed', parentRunId: parent?.runId })));
    const outputs = children.map(({ outputPath }) => readFileSync(outputPath, 'utf8'));
    expect(outputs.toSorted()).toEqual(parts.map(({ say }) => `${say}\n`));
    expect(rehearsal.scene.processes()).toEqual([]);
  }
});
