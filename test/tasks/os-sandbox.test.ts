/** `ralph task run --sandbox=os`: what an agent of a task can do there, and what its supervisor keeps from it. */
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readMessages } from '../../src/bus/read.ts';
import { readRunInfo } from '../../src/doors/tasks/run-info.ts';
import { projectBus, runFile, taskFile } from '../../src/doors/tasks/task-folder.ts';
import { DONE, type SandboxedTask, sandboxedTask } from '../support/sandboxed-task.ts';
import { PROJECT } from '../support/task-loop.ts';

const ASK = 'ralph job --agent "$SCENE/bin/agent"';
/** A child is told by its prompt; everybody else is the parent. */
const family = (parent: string, child: string): string =>
  `role=$(tail -n 1); case $role in child*) ${child} ;; *) ${parent} ;; esac`;
const children = (scene: SandboxedTask) => scene.runs().filter(({ parentRunId }) => parentRunId !== undefined);

describe('in the sandbox an agent can', () => {
  test('write its output and its notes, say how it goes, and finish', async () => {
    const scene = sandboxedTask({
      play: `
        echo result >"$RUN_FOLDER/output.md"
        echo half >"$TASK_FOLDER/TASK_STATE.md"; echo fact >"$TASK_FOLDER/TASK-FACTS-1.md"
        ralph bus post --type FACT --body "found it" && ralph bus read --tail 1 >notes
        ${DONE}`,
    });
    const { code, stderr } = await scene.sandboxed();
    expect(stderr.match(/^Isolation: .*$/gm)).toEqual([
      expect.stringMatching(/^Isolation: operating system's sandbox \(\d+ writable paths, 0 hosts\)$/),
    ]);
    // expect(stderr).not.toContain('Sandbox: refused');
    expect(code).toBe(0);
    expect(scene.runText(0, 'output')).toBe('result\n');
    expect(lstatSync(scene.runs()[0]?.outputPath ?? '').isFile()).toBe(true);
    expect(['TASK_STATE.md', 'TASK-FACTS-1.md', 'DONE'].map(scene.inTask)).toEqual(['half\n', 'fact\n', 'finished\n']);
    expect(scene.said('FACT')).toContain('found it');
    expect(scene.noted()).toContain('found it');
    expect(scene.runs()).toMatchObject([{ status: 'completed' }]);
  });

  test('leave its output to its last words, and is started again without DONE', async () => {
    const scene = sandboxedTask({ play: `[ "$n" = 2 ] && ${DONE}; echo "words $n"` });
    expect(await scene.sandboxed()).toMatchObject({ code: 0 });
    expect([0, 1].map((run) => scene.runText(run, 'output'))).toEqual(['words 1\n', 'words 2\n']);
  });

  test('tell the project, through its supervisor', async () => {
    const play = `JRUN_MESSAGE_BUS="$TASK_FOLDER/../PROJECT-MESSAGE-BUS.md" true
      JRUN_MESSAGE_BUS=$(dirname "$TASK_FOLDER")/PROJECT-MESSAGE-BUS.md ralph bus post --type FACT --body "for all" >notes; ${DONE}`;
    const scene = sandboxedTask({ play });
    const { code, stderr } = await scene.sandboxed();
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringContaining('refused') });
    const [first] = scene.projectSaid();
    expect(first).toMatchObject({ type: 'FACT', body: 'for all', projectId: PROJECT });
    expect(scene.noted()).toBe(`msg_id: ${first?.msgId}\n`);
  });

  test('start a child and have its result', async () => {
    const parent = `${ASK} --prompt child >notes; echo $? >>notes; ${DONE}`;
    const scene = sandboxedTask({ play: family(parent, 'echo "a result"') });
    expect(await scene.sandboxed()).toMatchObject({ code: 0 });
    expect(scene.noted()).toBe('a result\n0\n');
    expect(children(scene)).toMatchObject([{ status: 'completed', parentRunId: scene.runs()[0]?.runId }]);
  });
});
