/** `ralph task run --sandbox=os`: what the agent of a task can do there, and what its supervisor protects from it. */
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { taskFile } from '../../src/loops/tasks/folder/task-folder.ts';
import { startProgram } from '../support/programs/program.ts';
import { ROOT } from '../support/scene.ts';
import { type SandboxedTask, sandboxedTask } from '../support/tasks/sandboxed-task.ts';
import { DONE, MEANT, PROJECT } from '../support/tasks/task-loop.ts';

const ASK = 'ralph job --agent "$SCENE/bin/agent"';
/** A child learns its role from its prompt; every other agent is the parent. */
const family = (parent: string, child: string): string =>
  `role=$(tail -n 1); case $role in child*) ${child} ;; *) ${parent} ;; esac`;
/** The agent of this job has a known agent's name, and is in the work tree. */
const ASK_OWN = 'ralph job --agent ./claude --prompt x';
const children = (scene: SandboxedTask) => scene.runs().filter(({ parentRunId }) => parentRunId !== undefined);

describe('in the sandbox an agent can', () => {
  test('write its output and its notes, report progress, and finish', async () => {
    const scene = sandboxedTask({
      play: `
        echo result >"$RUN_FOLDER/output.md"
        echo half >"$TASK_FOLDER/TASK_STATE.md"; echo fact >"$TASK_FOLDER/TASK-FACTS-1.md"
        ralph bus post --type FACT --body "found it" && ralph bus read --tail 9 >notes
        ${DONE}`,
    });
    const { code, stderr } = await scene.sandboxed();
    expect(stderr.match(/^Isolation: .*$/gm)).toEqual([
      expect.stringMatching(/^Isolation: operating system's sandbox \(\d+ writable paths, 0 hosts\)$/),
    ]);
    expect(stderr).not.toContain('Sandbox: refused');
    expect(code).toBe(0);
    expect(scene.runText(0, 'output')).toBe('result\n');
    expect(lstatSync(scene.runs()[0]?.outputPath ?? '').isFile()).toBe(true);
    expect(['TASK_STATE.md', 'TASK-FACTS-1.md', 'DONE'].map(scene.inTask)).toEqual(['half\n', 'fact\n', 'finished\n']);
    expect(scene.said('FACT')).toContain('found it');
    expect(scene.noted()).toContain('found it');
    expect(scene.runs()).toMatchObject([{ status: 'completed' }]);
  });

  test('post as often as it likes, whatever its pid is inside', async () => {
    const play = `for n in 1 2 3 4 5 6; do sh -c 'exec ralph bus post --type FACT --body "fact '$n'"' || exit; done >notes; ${DONE}`;
    const task = sandboxedTask({ play });
    expect(await task.sandboxed()).toMatchObject({ code: 0 });
    expect(task.inTask('TASK-MESSAGE-BUS.md').match(/^fact \d$/gm)).toHaveLength(6);
  });

  test('leave its output to its last words, and be started again without DONE', async () => {
    const scene = sandboxedTask({ play: `[ "$n" = 2 ] && ${DONE}; echo "words $n"` });
    expect(await scene.sandboxed()).toMatchObject({ code: 0 });
    expect([0, 1].map((run) => scene.runText(run, 'output'))).toEqual(['words 1\n', 'words 2\n']);
  });

  test('post to the project, through its supervisor', async () => {
    const play = `JRUN_MESSAGE_BUS=$(dirname "$TASK_FOLDER")/PROJECT-MESSAGE-BUS.md ralph bus post --type FACT --body "for all" >notes; ${DONE}`;
    const scene = sandboxedTask({ play });
    const { code, stderr } = await scene.sandboxed();
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringContaining('refused') });
    const [first] = scene.projectSaid();
    expect(first).toMatchObject({ type: 'FACT', body: 'for all', projectId: PROJECT });
    expect(scene.noted()).toBe(`msg_id: ${first?.msgId}\n`);
  });

  test('leave something in the background, which gets the time to end when it is asked to', async () => {
    const child = `(exec 2>/dev/null; trap 'sleep 0.3; echo saved >notes; exit' TERM; echo >up; while :; do sleep 0.05; done)`;
    const scene = sandboxedTask({ play: `${child} & until [ -e up ]; do sleep 0.01; done; ${DONE}; exit 3` });
    expect(await scene.sandboxed()).toMatchObject({ code: 0 });
    expect(scene.noted()).toBe('saved\n');
    expect(scene.runs()).toMatchObject([{ status: 'failed', exitCode: 3 }]);
  });

  test('start a child and get its result', async () => {
    // Of its supervisor it sees the job broker, but not the folder `orders`.
    const look = 'ls "$RALPH_JOBS" "$RALPH_JOBS/.." >listing';
    const parent = `${ASK} --prompt child >notes; echo $? >>notes; ${look}; ${DONE}`;
    const scene = sandboxedTask({ play: family(parent, 'echo "a result"') });
    expect(await scene.sandboxed()).toMatchObject({ code: 0 });
    expect(scene.noted()).toBe('a result\n0\n');
    expect(
      scene
        .read('work/listing')
        .split('\n')
        .filter((line) => !line.includes('/')),
    ).toEqual(['bell', '', 'bin', 'jobs', 'outputs', '']);
    expect(children(scene)).toMatchObject([{ status: 'completed', parentRunId: scene.runs()[0]?.runId }]);
  });
});

describe('in the sandbox an agent cannot', () => {
  const OTHER = 'task-20260220-153046-other';

  test('write outside, to reports, to its supervisor or to other tasks, or read keys', async () => {
    const play = `
      [ "$n" = 2 ] && { ${DONE}; exit; }
      project=$(dirname "$TASK_FOLDER"); loops=$SCENE/state/ralph/loops
      {
        echo x >"$SCENE/outside" && echo WROTE outside
        cat ~/.ssh/id && echo READ
        find "$loops" -name 'journal*' | grep . && echo FOUND
        ls "$loops"/*/orders && echo ORDERS
        echo x >>"$RUN_FOLDER/run-info.yaml" && echo WROTE report
        rm -f "$RUN_FOLDER/run-info.yaml" && echo REMOVED report
        mv "$RUN_FOLDER" "$RUN_FOLDER.moved" && echo MOVED run
        mv "$TASK_FOLDER/runs" "$TASK_FOLDER/moved" && echo MOVED runs
        echo x >"$RUN_FOLDER/agent-stdout.txt" && echo WROTE transcript
        echo x >"$TASK_FOLDER/TASK.md" && echo WROTE task
        mv "$TASK_FOLDER/TASK.md" "$TASK_FOLDER/x" && echo MOVED task
        mv "$TASK_FOLDER" "$TASK_FOLDER.moved" && echo MOVED folder
        echo x >"$project/${OTHER}/DONE" && echo WROTE other
        mkdir "$project/task-20260220-153047-new" && echo MADE task
        echo x >>"$project/PROJECT-MESSAGE-BUS.md" && echo WROTE project
        echo x >"$SCENE/bin/agent" && echo WROTE agent
        echo through
      } >notes 2>/dev/null`;
    const scene = sandboxedTask({ play });
    const other = join(scene.root, PROJECT, OTHER);
    for (const folder of [other, join(scene.folder, '.ssh')]) mkdirSync(folder);
    scene.write('.ssh/id', 'a key\n');
    const { code, stderr } = await scene.sandboxed();
    expect(scene.noted()).toBe('through\n');
    expect(stderr).toContain(
      `Sandbox: refused to write ${scene.folder}/outside (to allow it: --allow-write ${scene.folder})`,
    );
    expect(stderr).toMatch(/^Usage: 2 runs, \d+ refusals by the sandbox/m);
    expect(code).toBe(0);
    const [first, second] = scene.runs();
    expect(first?.refusals).toBeGreaterThan(4);
    expect(second?.refusals).toBeUndefined();
    expect(existsSync(join(other, 'DONE'))).toBe(false);
    const status = await scene.ralph(['task', 'status', '--project', PROJECT, '--json']).exited;
    expect(status.stdout).not.toContain('sandbox_refusals');
  });

  test('make its supervisor follow a link, neither from the bus nor from its output', async () => {
    const play = `
      [ "$n" = 2 ] && { rm "$TASK_FOLDER/TASK-MESSAGE-BUS.md"; ln -s "$SCENE/precious" "$TASK_FOLDER/TASK-MESSAGE-BUS.md"
        echo "alias ls=evil" >&2; exit 1; }
      rm -f "$(readlink "$RUN_FOLDER/output.md")"; ln -s ~/.ssh/id "$(readlink "$RUN_FOLDER/output.md")"; echo words`;
    const scene = sandboxedTask({ play });
    mkdirSync(join(scene.folder, '.ssh'));
    scene.write('.ssh/id', 'a key\n');
    scene.write('precious', 'as it was\n');
    const { code, stderr } = await scene.sandboxed('--max-restarts', '2');
    expect(code).toBe(1);
    expect(scene.runText(0, 'output')).toBe('words\n');
    expect(scene.read('precious')).toBe('as it was\n');
    expect(stderr).toContain('TASK-MESSAGE-BUS.md: it is a link, and the agent may have created it; a message of type');
    expect(scene.read('.ssh/id')).toBe('a key\n');
  });

  test('get into its next prompt what it cannot read', async () => {
    const play = `[ "$n" = 1 ] || exit 0; at_gate
      rm "$TASK_FOLDER/TASK.md" && ln -s ~/.ssh/id "$TASK_FOLDER/TASK.md" && echo linked >notes`;
    const scene = sandboxedTask({ play });
    mkdirSync(join(scene.folder, '.ssh'));
    scene.write('.ssh/id', 'a key\n');
    const loop = scene.startSandboxed('--allow-write', join(scene.folder, 'gate'));
    await scene.logged('at gate 1/work/1');
    // As an editor does it: the new file is not the one that the sandbox protects.
    const [edited, task] = [join(scene.task, 'edited'), taskFile.prompt(scene.task)];
    writeFileSync(edited, 'Do it otherwise.\n');
    renameSync(edited, task);
    scene.openGate();
    const { code, stderr } = await loop.exited;
    expect(scene.noted()).toBe('linked\n');
    expect(stderr).toContain(`error: read TASK.md: ${task} is a link, which is not followed in a sandbox`);
    expect(code).toBe(2);
    expect(scene.runs()).toHaveLength(1);
  });

  test('redirect a request to stop', async () => {
    const scene = sandboxedTask({ play: `ln -s "$SCENE/precious" "$TASK_FOLDER/STOP-REQUESTED"; at_gate` });
    scene.write('precious', 'as it was\n');
    const loop = scene.startSandboxed('--allow-write', join(scene.folder, 'gate'));
    await scene.logged('at gate 1/work/1');
    expect(await scene.stop('--no-restart')).toMatchObject({ code: 0 });
    await loop.exited;
    expect(scene.read('precious')).toBe('as it was\n');
    expect(scene.inTask('STOP-REQUESTED')).toBe('permanent\n');
  });

  test('make its program run outside, not even to ask for its version', async () => {
    // A known agent is asked for its version; this one is in a folder that its loop lets it write to.
    const scene = sandboxedTask({
      play: `printf '#!/bin/sh\\ntouch "$SCENE/escaped"\\n' >claude; ${ASK_OWN}; ${DONE}`,
    });
    scene.write('work/claude', '#!/bin/sh\n');
    chmodSync(join(scene.work, 'claude'), 0o755);
    await scene.sandboxed();
    expect(children(scene)).toHaveLength(1);
    expect(existsSync(join(scene.folder, 'escaped'))).toBe(false);
  });

  test('change the ralph that its supervisor starts, if that is installed in the work tree', async () => {
    const play = `
      echo x >>node_modules/ralph-harness/bin/ralph.cjs && echo WROTE
      rm -rf node_modules/ralph-harness; mv node_modules other && echo MOVED
      [ -e node_modules/ralph-harness/bin/ralph.cjs ] && echo still there; ${DONE}`;
    const scene = sandboxedTask({ play });
    const own = join(scene.work, 'node_modules/ralph-harness');
    for (const part of ['bin', 'dist', 'package.json']) cpSync(join(ROOT, part), join(own, part), { recursive: true });
    const flags = [...MEANT, '--agent', scene.agent, '--sandbox=os', ...scene.own];
    const argv = [process.execPath, join(own, 'bin/ralph.cjs'), 'task', 'run', ...flags] as const;
    const { code, stdout } = await startProgram(argv, { cwd: scene.work, env: scene.env }).exited;
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'still there\n' });
  });
});

describe('a child', () => {
  test('is in the sandbox of its parent, and so is its own child', async () => {
    const attack =
      'echo x >"$SCENE/$role" && echo WROTE; cat ~/.ssh/id; find "$SCENE/state" -name "journal*"; echo tried';
    const parent = `${ASK} --prompt child-a >notes 2>&1; ${DONE}`;
    const child = `${attack}; [ $role = child-b ] || ${ASK} --prompt child-b`;
    const scene = sandboxedTask({ play: family(parent, child) });
    mkdirSync(join(scene.folder, '.ssh'));
    scene.write('.ssh/id', 'a key\n');
    expect(await scene.sandboxed()).toMatchObject({ code: 0 });
    expect(children(scene)).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
    expect([1, 2].map((run) => scene.runText(run, 'stdout'))).toEqual(['tried\ntried\n', 'tried\n']);
    expect(['child-a', 'child-b'].filter((name) => existsSync(join(scene.folder, name)))).toEqual([]);
    expect(children(scene).map(({ refusals }) => refusals)).toEqual([1, 1]);
  });

  test('gets no more access through a repository that its parent has made up', async () => {
    const parent = `rm -rf tree; mkdir tree; echo "gitdir: $SCENE/bin" >tree/.git; ${ASK} --cwd tree --prompt child; ${DONE}`;
    const scene = sandboxedTask({
      play: family(parent, 'pwd; echo x >"$SCENE/bin/planted" && echo WROTE; echo tried'),
    });
    expect(await scene.sandboxed()).toMatchObject({ code: 0 });
    expect(scene.runText(1, 'stdout')).toBe(`${scene.work}/tree\ntried\n`);
    expect(existsSync(join(scene.folder, 'bin/planted'))).toBe(false);
  });

  test.each([
    ['--no-sandbox', 'a job of a sandboxed run runs in the same sandbox, and in no other'],
    ['--sandbox=docker', 'a job of a sandboxed run runs in the same sandbox, and in no other'],
    ['--sandbox=os --allow-write "$SCENE"', 'a job of a sandboxed run runs in the same sandbox, and in no other'],
    ['--cwd "$SCENE"', 'a run in a sandbox starts jobs in its own work tree only: '],
    ['--task task-20260220-153046-other', 'a run in a sandbox starts jobs of its own task only'],
    [
      '--project other-project --task task-20260220-153046-other',
      'a run in a sandbox starts jobs of its own task only',
    ],
  ])('with %s is refused', async (flags, reason) => {
    const scene = sandboxedTask({
      play: family(`${ASK} ${flags} --prompt child 2>notes; echo $? >>notes; ${DONE}`, ''),
    });
    await scene.sandboxed();
    expect(scene.noted()).toContain(`error: ${reason}`);
    expect(scene.noted()).toMatch(/\n2\n$/);
    expect(children(scene)).toEqual([]);
    expect(existsSync(join(scene.root, PROJECT, 'task-20260220-153046-other'))).toBe(false);
  });

  test('with the sandbox that it has anyway is not refused', async () => {
    const scene = sandboxedTask({ play: family(`${ASK} --sandbox=os --prompt child >notes; ${DONE}`, 'echo here') });
    await scene.sandboxed();
    expect(scene.noted()).toBe('here\n');
  });

  test('of a run without a sandbox can have its own', async () => {
    const own = '--allow-write "$SCENE/starts.log" --allow-write "$SCENE/prompts"';
    const parent = `${ASK} --sandbox=os ${own} --prompt child >notes; ${DONE}`;
    const scene = sandboxedTask({ play: family(parent, 'echo x >"$SCENE/outside"; echo tried') });
    const { stderr } = await scene.runTask();
    expect(stderr).toContain('Isolation: none');
    expect(scene.noted()).toBe('tried\n');
    expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
  });
});
