/** The real Claude Code does a task in the operating system's sandbox, with a child, and cannot get out of it. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { taskFile } from '../../../src/loops/tasks/folder/task-folder.ts';
import { installAgents } from '../scene.ts';
import { rehearseTask, type TaskRehearsal } from './task-with.ts';

describe('the real claude on a task in the sandbox', () => {
  let program: string;
  let rehearsal: TaskRehearsal;

  beforeAll(() => {
    [program = ''] = installAgents('claude');
  }, 600_000);

  afterEach(() => rehearsal.scene.remove());

  // Even as root, the agent needs no IS_SANDBOX from the user: the sandbox sets it.
  const begin = (): TaskRehearsal => rehearseTask('claude', program, {});

  test('it talks, is started again, posts, and writes its output and DONE with a tool; nothing is refused', async () => {
    rehearsal = begin();
    const finish = [
      'ralph bus post --type FACT --body "the basket is full"',
      'echo "All of it." > "$JRUN_RUN_FOLDER/output.md"',
      'echo finished > "$JRUN_TASK_FOLDER/DONE"',
    ].join(' && ');
    const { code, stderr } = await rehearsal.run(
      [
        { match: 'Fill the basket', say: 'I look around first.' },
        { match: 'Continue working on the following:', say: 'Now I finish it.', run: finish },
        { say: 'It is finished.' },
      ],
      'Fill the basket.',
      '--sandbox=os',
    );
    expect(stderr).toContain("Isolation: operating system's sandbox");
    expect(stderr).not.toContain('Sandbox: refused');
    expect(stderr).toContain('3 turns played, 0 left');
    expect(code).toBe(0);
    expect(existsSync(taskFile.done(rehearsal.task))).toBe(true);
    const outputs = rehearsal.runs().map(({ outputPath }) => readFileSync(outputPath, 'utf8'));
    expect(outputs).toEqual(['I look around first.\n', 'All of it.\n']);
    expect(rehearsal.messages().find(({ type }) => type === 'FACT')?.body).toBe('the basket is full');
    expect(rehearsal.runs()[0]?.agentVersion).toMatch(/^\d+\.\d+\.\d+/);
    expect(rehearsal.scene.processes()).toEqual([]);
  });

  test('neither it nor the child that it starts can get out of the sandbox', async () => {
    rehearsal = begin();
    const { scene } = rehearsal;
    mkdirSync(join(scene.home, '.ssh'));
    writeFileSync(join(scene.home, '.ssh/id'), 'a key\n');
    const attack = (who: string): string =>
      [
        `echo x > ${scene.folder}/outside && echo WROTE`,
        `cat ${scene.home}/.ssh/id`,
        `find ${scene.state} -name 'journal*'`,
        'echo x > "$JRUN_RUN_FOLDER/run-info.yaml" && echo FORGED',
        `echo ${who} tried`,
      ].join('; ');
    const child = 'ralph job --agent claude --prompt "Be the child" > child.out 2>&1';
    const turns = [
      {
        match: 'Be the parent',
        run: `{ ${attack('parent')}; } > parent.txt 2>/dev/null; ${child}; echo x > "$JRUN_TASK_FOLDER/DONE"; echo parent ended`,
      },
      { match: 'parent ended', say: 'The parent is done.' },
      { match: 'Be the child', run: `{ ${attack('child')}; } > child.txt 2>/dev/null; echo child ended` },
      { match: 'child ended', say: 'The child is done.' },
    ];
    const { code, stderr } = await rehearsal.run(turns, 'Be the parent.', '--sandbox=os');
    expect(stderr).toContain('4 turns played, 0 left');
    expect(['parent.txt', 'child.txt', 'child.out'].map(scene.read)).toEqual([
      'parent tried\n',
      'child tried\n',
      expect.stringMatching(/^run: \S+\nThe child is done\.\n$/),
    ]);
    expect(stderr).toContain(`Sandbox: refused to write ${scene.folder}/outside`);
    expect(code).toBe(0);
    expect(rehearsal.runs().map(({ status, refusals }) => [status, refusals])).toEqual([
      ['completed', 2],
      ['completed', 2],
    ]);
    expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
  });
});
