/** Child runs: requested with `ralph job` inside a run, they outlive it, and a task that is done waits for them. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listLoops } from '../../src/state/registry.ts';
import { levelsToTest } from '../support/levels.ts';
import { processesOf } from '../support/programs/processes.ts';
import type { SceneOptions } from '../support/scene.ts';
import { DONE, PROJECT, TASK, type TaskLoopScene, taskLoopScene, until } from '../support/tasks/task-loop.ts';

/** For a parent: starts a child with the prompt `$1`, and returns once the child has a run. */
const START = `start_child() {
  ralph job --agent "$SCENE/bin/agent" --prompt "$1" >"$SCENE/$1.out" 2>"$SCENE/$1.err" &
  until grep -q '^run: ' "$SCENE/$1.err"; do sleep 0.02; done
}`;
const ROLE = 'role=$(tail -n 1)';
/** Children wait at the gate; the parent is the agent that does the task. */
const family = (parent: string, child = 'at_gate; echo "result of $role"'): string =>
  `${START}; ${ROLE}; case $role in child*) ${child};; grandchild) echo small;; *) ${parent};; esac`;

/** The supervisors of jobs exit by themselves, slightly after they reported the end of their run. */
function familyScene(options: SceneOptions): TaskLoopScene {
  const scene = taskLoopScene(options);
  onTestFinished(() => until(() => processesOf(scene.folder).length === 0));
  return scene;
}

const TWO = `start_child child-a; start_child child-b; ${DONE}`;
const at = (scene: TaskLoopScene, count: number): Promise<void> =>
  until(() => scene.starts().filter((line) => line.startsWith('at gate')).length === count);
const children = (scene: TaskLoopScene) => scene.runs().filter(({ parentRunId }) => parentRunId !== undefined);

describe.each(levelsToTest())('contained by "%s"', (level) => {
  test('two children outlive their parent, and DONE waits for both', async () => {
    const scene = familyScene({ level, play: family(TWO) });
    const loop = scene.start();
    await loop.says('waiting for 2 children to complete: [');
    await at(scene, 2);
    const [parent] = scene.runs();
    expect(parent).toMatchObject({ status: 'completed' });
    expect(children(scene)).toMatchObject(
      [1, 2].map(() => ({ status: 'running', parentRunId: parent?.runId, task: TASK })),
    );
    scene.openGate();
    await until(() => children(scene).some(({ status }) => status === 'completed'));
    expect(scene.said('INFO')).not.toContain('task completed (all children finished)');
    scene.openGate();
    expect(await loop.exited).toMatchObject({ code: 0 });
    expect(children(scene)).toMatchObject([1, 2].map(() => ({ status: 'completed', exitCode: 0 })));
    const ids = children(scene).map(({ runId }) => runId);
    expect(scene.said('INFO')).toContain(`waiting for 2 children to complete: [${ids.toSorted().join(' ')}]`);
    expect(scene.said('INFO').at(-1)).toBe('task completed (all children finished)');
    expect(ids.map((_id, index) => scene.runText(index + 1, 'output')).toSorted()).toEqual([
      'result of child-a\n',
      'result of child-b\n',
    ]);
  });

  test('a parent that waits gets the result and the exit code', async () => {
    const wait = `ralph job --agent "$SCENE/bin/agent" --prompt child-x >"$SCENE/result"; echo $? >>"$SCENE/result"; ${DONE}`;
    const scene = familyScene({ level, play: family(wait, '[ "$n" = 1 ] && echo "a result"') });
    expect(await scene.runTask()).toMatchObject({ code: 0 });
    expect(scene.read('result')).toBe('a result\n0\n');
  });

  test('the task waits for a job of a job, too', async () => {
    const scene = familyScene({ level, play: family(`start_child child-a; ${DONE}`, 'start_child grandchild') });
    expect(await scene.runTask()).toMatchObject({ code: 0 });
    await until(() => children(scene).length === 2 && children(scene).every(({ endTime }) => endTime !== null));
    const [parent, child, grandchild] = scene.runs();
    expect(child?.parentRunId).toBe(parent?.runId);
    expect(grandchild?.parentRunId).toBe(child?.runId);
    const [loop, ofChild, ofGrandchild] = listLoops({ path: join(scene.state, 'ralph') });
    expect([loop?.parent, ofChild?.parent, ofGrandchild?.parent]).toEqual([undefined, loop?.id, ofChild?.id]);
    expect(children(scene)).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
  });
});

test('a parent that sees only its own processes waits for a child that takes its time', async () => {
  const wait = `ralph job --agent "$SCENE/bin/agent" --prompt child-x >"$SCENE/result"; echo $? >>"$SCENE/result"; ${DONE}`;
  const scene = familyScene({ level: 'pid-namespace', play: family(wait, 'sleep 3; echo "a late result"') });
  expect(await scene.runTask()).toMatchObject({ code: 0 });
  expect(scene.read('result')).toBe('a late result\n0\n');
  expect(children(scene)).toMatchObject([{ status: 'completed' }]);
});

test('children that take too long are reported, and the task is done nevertheless', async () => {
  const scene = familyScene({ play: family(TWO) });
  const { code } = await scene.runTask('--child-wait-timeout', '300ms');
  expect(code).toBe(0);
  const ids = children(scene)
    .map(({ runId }) => runId)
    .toSorted();
  expect(scene.said('WARNING')).toEqual([`timeout waiting for children after 300ms: [${ids.join(' ')}]`]);
  expect(scene.projectSaid()).toHaveLength(1);
  await at(scene, 2);
  scene.openGate();
  scene.openGate();
  await until(() => children(scene).every(({ status }) => status === 'completed'));
});

test.each(levelsToTest())(
  'a child whose supervisor was killed is ended and marked as failed, not waited for (%s)',
  async (level) => {
    const scene = familyScene({ play: family(`start_child child-a; ${DONE}`), level });
    const loop = scene.start();
    await loop.says('waiting for 1 children');
    await at(scene, 1);
    process.kill(children(scene)[0]?.supervisorPid ?? 0, 'SIGKILL');
    expect(await loop.exited).toMatchObject({ code: 0 });
    expect(children(scene)).toMatchObject([{ status: 'failed', errorSummary: 'its supervisor died' }]);
    expect(processesOf(scene.folder)).toEqual([]);
  },
);

test('ralph task stop ends the children as well', async () => {
  const scene = familyScene({ play: family(`start_child child-a; start_child child-b; read -r _ <"$SCENE/gate"`) });
  const loop = scene.start();
  await at(scene, 2);
  const { code, stdout } = await scene.stop();
  expect(code).toBe(0);
  expect(stdout.match(/^Stopped run /gm)).toHaveLength(3);
  expect(await loop.exited).toMatchObject({ code: 130 });
  expect(scene.runs().map(({ status }) => status)).toEqual(['stopped', 'stopped', 'stopped']);
});

test('ralph task stop also ends a job that is just being started', async () => {
  const scene = familyScene({ play: family(`start_child child-a; read -r _ <"$SCENE/gate"`) });
  const loop = scene.start();
  // Its report exists before its supervisor has begun anything.
  await until(() => children(scene).length === 1);
  expect(await scene.stop()).toMatchObject({ code: 0 });
  await loop.exited;
  expect(children(scene).every(({ endTime }) => endTime !== null)).toBe(true);
  // The job's supervisor has reported the end and is about to exit.
  await until(() => processesOf(scene.folder).length === 0);
});

test('a child that fails says so to its caller, and does not fail the task', async () => {
  const wait = `ralph job --agent "$SCENE/bin/agent" --prompt child-x 2>"$SCENE/told"; echo $? >>"$SCENE/told"; ${DONE}`;
  const scene = familyScene({ play: family(wait, 'exit 1') });
  expect(await scene.runTask()).toMatchObject({ code: 0 });
  expect(scene.read('told')).toMatch(/^run: \S+\nerror: agent reported failure \(.*\)\n1\n$/);
});

test('a child that waits has no result: its exit code says so to its caller', async () => {
  const wait = `ralph job --agent "$SCENE/bin/agent" --prompt child-x 2>"$SCENE/told"; echo $? >>"$SCENE/told"; ${DONE}`;
  const scene = familyScene({ play: family(wait, 'exit 42') });
  expect(await scene.runTask()).toMatchObject({ code: 0 });
  expect(scene.read('told')).toMatch(/^run: \S+\nThe child waits \(.*\)\n42\n$/);
  const job = ['job', '--project', PROJECT, '--task', TASK, '--agent', scene.agent, '--prompt', 'child-x'];
  expect(await scene.ralph(job).exited).toMatchObject({ code: 42 });
});

test('an invalid request is refused, and the caller sees why', async () => {
  const ask = `ralph job --agent "$SCENE/bin/agent" --prompt x --cwd /no/such/folder 2>"$SCENE/told"; echo $? >>"$SCENE/told"
    ralph job --agent "$SCENE/bin/agent" 2>>"$SCENE/told"; ralph job --task ../x --prompt x 2>>"$SCENE/told"
    ralph job --parent-run-id ../../x --prompt x 2>>"$SCENE/told"; ${DONE}`;
  const scene = familyScene({ play: family(ask) });
  expect(await scene.runTask()).toMatchObject({ code: 0 });
  expect(scene.read('told')).toContain('error: cannot work in /no/such/folder: there is no such folder\nhint: ');
  expect(scene.read('told')).toContain('\n2\nerror: a job needs a prompt\n');
  expect(scene.read('told')).toContain('invalid task ID "../x"');
  expect(scene.read('told')).toContain('invalid run ID "../../x"');
  expect(children(scene)).toEqual([]);
});

describe('ralph job outside of a run', () => {
  test('runs once in the foreground, for a task of its own', async () => {
    const scene = familyScene({ play: 'echo "the work"; exit 0' });
    const { code, stdout, stderr } = await scene.ralph([
      'job',
      '--project',
      PROJECT,
      '--agent',
      scene.agent,
      '--prompt',
      'Once.',
    ]).exited;
    expect(code).toBe(0);
    expect(stdout).toBe('the work\n');
    expect(stderr).not.toContain('restarting');
    expect(scene.starts()).toEqual(['agent 1/work/1']);
  });

  test('exits with 1 if the agent fails, and with a parent is one of its children', async () => {
    const scene = familyScene({ play: 'exit 5' });
    const args = ['job', '--project', PROJECT, '--task', TASK, '--agent', scene.agent, '--prompt', 'Once.'];
    const { code } = await scene.ralph([...args, '--parent-run-id', '20260220-1530450000-4711-1']).exited;
    expect(code).toBe(1);
    expect(scene.runs()).toMatchObject([{ parentRunId: '20260220-1530450000-4711-1', status: 'failed', exitCode: 5 }]);
    expect(scene.runText(0, 'prompt')).toContain('JRUN_PARENT_ID=20260220-1530450000-4711-1\n');
    expect(existsSync(join(scene.task, 'TASK.md'))).toBe(true);
    expect(readFileSync(join(scene.task, 'TASK.md'), 'utf8')).toBe('Do the work.\n');
  });
});
