/** Which sandbox a task has, at its start and when it is resumed. */
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { taskFile } from '../../src/loops/tasks/folder/task-folder.ts';
import { sandboxedTask } from '../support/tasks/sandboxed-task.ts';
import { DONE, MEANT, PROJECT, TASK } from '../support/tasks/task-loop.ts';

test('a resume after kill -9 continues in the sandbox, with the policy from the start', async () => {
  const play = `[ -e again ] || { echo "$SCENE/bin" >.git/commondir; touch again; at_gate; }
    echo x >"$SCENE/outside"; echo x >"$SCENE/bin/planted"; ${DONE}`;
  const scene = sandboxedTask({ play });
  const loop = scene.startSandboxed('--allow-write', join(scene.folder, 'gate'));
  await scene.logged('at gate 1/work/1');
  loop.signal('SIGKILL');
  await loop.exited;
  const { code, stderr } = await scene.resume();
  expect(stderr).toContain("Isolation: operating system's sandbox");
  expect(stderr).toContain(`Sandbox: refused to write ${scene.folder}/outside`);
  expect(code).toBe(0);
  expect(['outside', 'bin/planted'].filter((path) => existsSync(join(scene.folder, path)))).toEqual([]);
  const status = await scene.ralph(['task', 'status', '--project', PROJECT, '--json']).exited;
  expect(JSON.parse(status.stdout)).toMatchObject({ tasks: [{ task_id: TASK, sandbox_refusals: 2 }] });
  // A new loop of the same task has it, too.
  const again = await scene.resume('--max-restarts', '1');
  expect(again.stderr).toContain("Isolation: operating system's sandbox");
});

describe('on resume', () => {
  const settings = { sandbox: { kind: 'os', allowWrite: ['~/prompts', '~/starts.log'] } };

  test('a task without a remembered loop has the sandbox of the settings', async () => {
    const scene = sandboxedTask({ play: `touch "$SCENE/outside"; ${DONE}`, settings });
    const { code, stderr } = await scene.resume('--agent', scene.agent);
    expect(stderr).toContain("Isolation: operating system's sandbox");
    expect(code).toBe(0);
    expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
  });

  test('with --cwd, a task keeps the sandbox of its last loop, but not where that would open other tasks', async () => {
    const scene = sandboxedTask({
      play: `pwd >>"$TASK_FOLDER/trees"; touch "$SCENE/outside"; [ "$n" = 1 ] && ${DONE}`,
    });
    await scene.sandboxed();
    const before = scene.loops();
    const { code, stderr } = await scene.resume('--cwd', scene.folder);
    expect(stderr).toContain(
      `error: the tasks in ${join(scene.root, PROJECT)} lie in ${scene.folder}, which the sandbox`,
    );
    expect(code).toBe(2);
    expect(scene.loops()).toEqual(before);
    mkdirSync(join(scene.folder, 'other'));
    rmSync(taskFile.done(scene.task));
    const other = await scene.resume('--cwd', join(scene.folder, 'other'));
    expect(other.stderr).toContain("Isolation: operating system's sandbox");
    expect(scene.inTask('trees')).toBe(`${scene.work}\n${join(scene.folder, 'other')}\n`);
    expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
  });

  test('a loop without a recorded policy is refused if its work tree now contains its tasks', async () => {
    const again = '"$TASK_FOLDER/again"';
    const scene = sandboxedTask({ play: `[ -e ${again} ] && { ${DONE}; exit; }; touch ${again}; at_gate` });
    const loop = scene.startSandboxed('--allow-write', join(scene.folder, 'gate'));
    await scene.logged('at gate 1/work/1');
    loop.signal('SIGKILL');
    await loop.exited;
    await scene.letGo();
    rmSync(join(scene.state, 'ralph/loops', scene.loops()[0] ?? '', 'sandbox.json'));
    renameSync(scene.work, join(scene.folder, 'moved'));
    symlinkSync(scene.folder, scene.work);
    const { code, stderr } = await scene.ralph(['task', 'resume', ...MEANT], scene.folder).exited;
    expect(stderr).toContain(
      `error: the tasks in ${join(scene.root, PROJECT)} lie in ${scene.work}, which the sandbox`,
    );
    expect(code).toBe(2);
    expect(scene.runs()).toHaveLength(1);
  });
});

describe('which sandbox', () => {
  test('none by default, which is said once', async () => {
    const scene = sandboxedTask({ play: `touch "$SCENE/outside"; ${DONE}` });
    const { stderr } = await scene.runTask();
    expect(stderr.match(/^Isolation: .*$/gm)).toEqual(['Isolation: none, the agent can do whatever you can']);
    expect(existsSync(join(scene.folder, 'outside'))).toBe(true);
  });

  test('the one of the settings; --no-sandbox wins', async () => {
    const settings = { sandbox: { kind: 'os', allowWrite: ['~/prompts', '~/starts.log'] } };
    const scene = sandboxedTask({ play: `touch "$SCENE/outside"; ${DONE}`, settings });
    await scene.runTask();
    expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
    expect(scene.inTask('DONE')).toBe('finished\n');
    const other = ['--task', 'task-20260220-153046-other', '--prompt', 'Do it.', '--agent', scene.agent];
    await scene.ralph(['task', 'run', '--project', PROJECT, ...other, '--no-sandbox']).exited;
    expect(existsSync(join(scene.folder, 'outside'))).toBe(true);
  });

  test('the strongest one available, if asked for', async () => {
    const scene = sandboxedTask({ play: DONE });
    const { code, stderr } = await scene.start('--sandbox=auto', ...scene.own).exited;
    expect(stderr).toContain("Isolation: operating system's sandbox");
    expect(code).toBe(0);
  });

  test('none, with the reason, if the strongest is asked for and there is none', async () => {
    const scene = sandboxedTask({ play: `echo x >"$TASK_FOLDER/DONE"` }, null);
    symlinkSync(process.execPath, join(scene.folder, 'bin/node'));
    const why =
      "No sandbox: Docker Sandbox cannot be used: docker is not on the PATH; the operating system's sandbox cannot be used: bwrap, socat, rg not found";
    const task = `--project p --prompt x --agent $SCENE/bin/agent --sandbox=auto`;
    const bare = (command: string) => scene.shell(`PATH=$SCENE/bin $SCENE/bin/node ../bin/ralph ${command} ${task}`);
    const { stderr } = await bare('task run');
    expect(stderr).toContain(`${why}\nIsolation: none, the agent can do whatever you can\n`);
    expect((await bare('job')).stderr).toContain(why);
    expect((await bare('task run --dry-run')).stdout).toContain(`\nSandbox: none\n${why}\n`);
  });

  test('one that is not available is refused with the reason, before anything is created', async () => {
    const scene = sandboxedTask({ play: DONE }, null);
    symlinkSync(process.execPath, join(scene.folder, 'bin/node'));
    const task = `task run --project p --prompt x --agent $SCENE/bin/agent`;
    const { code, stderr } = await scene.shell(`PATH=$SCENE/bin $SCENE/bin/node ../bin/ralph ${task} --sandbox=os`);
    expect(stderr).toContain("error: the operating system's sandbox cannot be used: bwrap, socat, rg not found");
    const docker = await scene.shell(`PATH=$SCENE/bin $SCENE/bin/node ../bin/ralph ${task} --sandbox`);
    expect(docker.stderr).toContain('error: Docker Sandbox cannot be used: docker is not on the PATH');
    const other = task.replace('$SCENE/bin/agent', 'no-such-agent');
    const both = await scene.shell(`PATH=$SCENE/bin $SCENE/bin/node ../bin/ralph ${other} --sandbox=os`);
    expect(both.stderr).toMatch(
      /^Fatal error: 2 problems keep the loop from starting:\n✗ the operating .*\n {4}Install .*\n✗ agent command not found: no-such-agent\n {4}Install /,
    );
    expect([code, docker.code, both.code]).toEqual([2, 2, 2]);
    expect(existsSync(join(scene.root, 'p'))).toBe(false);
    expect(scene.loops()).toEqual([]);
  });

  test('none that would open other tasks to the agent', async () => {
    const scene = sandboxedTask({ play: DONE });
    const { code, stderr } = await scene.sandboxed('--cwd', scene.folder);
    expect(stderr).toContain(
      `error: the tasks in ${join(scene.root, PROJECT)} lie in ${scene.folder}, which the sandbox can write`,
    );
    expect(code).toBe(2);
    const allowed = await scene.sandboxed('--allow-write', scene.root);
    expect(allowed.stderr).toContain(`lie in ${scene.root}, which the sandbox can write to`);
    expect(scene.loops()).toEqual([]);
  });

  test('--dry-run shows which one it would be, starts nothing and writes nothing', async () => {
    const scene = sandboxedTask({ play: DONE });
    mkdirSync(join(scene.folder, '.ssh'));
    const task = ['task', 'run', '--project', 'new', '--task', TASK, '--prompt', 'Do it.', '--agent', scene.agent];
    const { code, stdout } = await scene.ralph([...task, '--sandbox=os', '--allow-host', 'example.com', '--dry-run'])
      .exited;
    expect(stdout).toContain(`Task folder: ${join(scene.root, 'new', TASK)}\nWork tree: ${scene.work}\n`);
    expect(stdout).toContain(`Command line (the prompt is passed on stdin):\n  ${scene.agent}`);
    expect(stdout).toContain(`\n    ${join(scene.root, 'new', TASK)}\n`);
    expect(stdout).toContain(`\n    ${join(scene.root, 'new', TASK, 'runs')}\n`);
    expect(stdout).toContain(`  is hidden:\n    ${scene.folder}/.ssh\n    ${scene.state}/ralph\n`);
    expect(stdout).toContain('  may be reached:\n    example.com\n');
    expect(code).toBe(0);
    expect(existsSync(join(scene.root, 'new'))).toBe(false);
    expect([scene.loops(), scene.starts()]).toEqual([[], []]);
  });
});
