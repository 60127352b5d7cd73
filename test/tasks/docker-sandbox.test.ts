/** `ralph task run --sandbox` with a scripted Docker that keeps sandboxes and synchronises files like the real one. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runFile, taskFile } from '../../src/loops/tasks/folder/task-folder.ts';
import { readRunInfo } from '../../src/loops/tasks/runs/run-info.ts';
import { type DockerScene, dockerScene } from '../support/sandbox/docker.ts';
import { until } from '../support/tasks/task-loop.ts';

const TASK = 'task-20260220-153045-basket';
const RESULT = `printf '{"type":"result","subtype":"success","is_error":false,"result":"words"}\\n'`;
/** It gets no environment from ralph: the prompt says where its task is. */
const PLAY = `
  task=$(printf '%s\\n' "$prompt" | sed -n 's/^JRUN_TASK_FOLDER=//p')
  echo "$PWD" >>made.txt
  case $prompt in *"Continue working"*) echo finished >"$task/DONE" ;; esac
  ${RESULT}`;

const start = (scene: DockerScene, ...flags: string[]) =>
  scene.ralph([
    'task',
    'run',
    '--project',
    'shop',
    '--task',
    TASK,
    '--restart-delay',
    '10ms',
    '--prompt',
    'Do it.',
    ...flags,
  ]);
const runsOf = (task: string) =>
  readdirSync(taskFile.runs(task)).flatMap((id) => readRunInfo(runFile.info(join(taskFile.runs(task), id))) ?? []);

test('the sandbox shares the folder of the task as well as the work tree; DONE written there ends the task', async () => {
  const scene = await dockerScene({ play: PLAY });
  const task = join(scene.folder, '.run-agent/runs/shop', TASK);
  const { code, stderr } = await start(scene, '--sandbox').exited;
  expect(stderr.match(/^Isolation: .*$/gm)).toEqual([
    expect.stringContaining(`Isolation: Docker Sandbox ${scene.name}-`),
  ]);
  expect(stderr).toContain('Starting agent (attempt 2/100)');
  expect(code).toBe(0);
  const [create, ...others] = scene.calls();
  const [name = ''] = /(?<=Docker Sandbox )\S+/.exec(stderr) ?? [];
  expect(create).toEqual(['create', '--name', name, 'claude', scene.work, join(scene.folder, '.dclaude_state'), task]);
  expect(others.filter(([command]) => command === 'run')).toHaveLength(2);
  expect(runsOf(task).map(({ status }) => status)).toEqual(['completed', 'completed']);
  // Nothing inside a sandbox could answer these commands.
  const prompt = readFileSync(runsOf(task)[0]?.promptPath ?? '', 'utf8');
  expect(prompt).not.toMatch(/ralph (bus|job)/);
  expect(prompt).toContain(`When done, create: ${task}/DONE`);
  // What was written inside is copied out before the loop looks for DONE.
  expect(scene.read('work/made.txt').split('\n')).toHaveLength(3);
});

test('--dry-run shows the sandbox, and what it would share', async () => {
  const scene = await dockerScene({ play: PLAY });
  const { code, stdout } = await start(scene, '--sandbox', '--dry-run').exited;
  const task = join(scene.folder, '.run-agent/runs/shop', TASK);
  expect(stdout).toContain(`\nSandbox (Docker's):\n  machine: ${scene.name}-`);
  expect(stdout).toContain(`  is shared, to be read and written:\n    ${scene.work}\n    ${task}\n`);
  expect(stdout).toContain('  may be reached:\n    *.anthropic.com\n');
  expect(code).toBe(0);
  expect(existsSync(task)).toBe(false);
});

test('a task folder within the work tree is copied out with it, before the loop looks for DONE', async () => {
  const play = `echo finished >runs/shop/${TASK}/DONE; ${RESULT}`;
  const scene = await dockerScene({ play });
  const { code, stderr } = await start(scene, '--sandbox', '--root', 'runs').exited;
  expect(stderr).toContain(`Isolation: Docker Sandbox ${scene.name} (`);
  expect(stderr).not.toContain('attempt 2');
  expect(code).toBe(0);
  expect(existsSync(join(scene.work, 'runs/shop', TASK, 'DONE'))).toBe(true);
});

test('a second loop does not stop the sandbox of the first', async () => {
  const play = `
    task=$(printf '%s\\n' "$prompt" | sed -n 's/^JRUN_TASK_FOLDER=//p')
    touch "$SCENE/begun"; until [ -e "$SCENE/go" ]; do sleep 0.05; done
    echo finished >"$task/DONE"; ${RESULT}`;
  const scene = await dockerScene({ play });
  const first = start(scene, '--sandbox');
  await until(() => existsSync(join(scene.folder, 'begun')));
  const stops = () => scene.calls().filter(([command]) => command === 'stop').length;
  const before = stops();
  const job = ['job', '--project', 'shop', '--task', TASK, '--prompt', 'x', '--sandbox'];
  const { code, stderr } = await scene.ralph(job).exited;
  expect(stderr).toContain(`error: the Docker Sandbox of ${scene.work} is in use (pid ${first.pid}, loop `);
  expect(code).toBe(2);
  expect(stops()).toBe(before);
  scene.write('go', '');
  expect(await first.exited).toMatchObject({ code: 0, stderr: expect.not.stringContaining('attempt 2') });
  // The sandbox is free again.
  expect(await start(scene, '--sandbox').exited).toMatchObject({ code: 0 });
});

test('if an agent inside replaces the folder of a run by a link, ralph does not write through it', async () => {
  const play = `
    run=$(printf '%s\\n' "$prompt" | sed -n 's/^JRUN_RUN_FOLDER=//p')
    mv "$run" "$run.moved"; ln -s "$SCENE/elsewhere" "$run"; ${RESULT}`;
  const scene = await dockerScene({ play });
  mkdirSync(join(scene.folder, 'elsewhere'));
  const { code, stderr } = await start(scene, '--sandbox', '--max-restarts', '1').exited;
  expect(readdirSync(join(scene.folder, 'elsewhere'))).toEqual([]);
  expect(stderr).toMatch(/^error: .*\/runs\/\S+ is a link$/m);
  expect(code).toBe(2);
});

test('it runs only Claude Code and cannot be allowed more paths; a refusal creates nothing', async () => {
  const scene = await dockerScene({ play: PLAY });
  const codex = await start(scene, '--sandbox', '--agent', 'codex').exited;
  expect(codex.stderr).toContain('error: Docker Sandbox runs Claude Code, not codex');
  const path = await start(scene, '--sandbox', '--allow-write', '~/x').exited;
  expect(path.stderr).toContain('error: "~/x" cannot be given to a Docker Sandbox');
  expect([codex.code, path.code]).toEqual([2, 2]);
  expect(scene.loops()).toEqual([]);
  expect(existsSync(join(scene.folder, '.run-agent'))).toBe(false);
});
