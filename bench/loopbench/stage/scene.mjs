/** Where a scenario is played: a folder with a git repository, the agent's plan and log, and their environment. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { filesOf } from '../task.mjs';
import { fakedClock, jumpLater } from './clock.mjs';
import { smallDisk } from './disk.mjs';
import { endAll } from './leftovers.mjs';
import { startModel } from './model.mjs';

/** The beginning of the folder names of all scenes of this process. */
const OURS = join(tmpdir(), `loopbench-${process.pid}-`);

/** For a process that must exit in the middle: ends what runs in its scenes, and removes them. */
export function clearStage() {
  endAll({ folder: OURS });
  const folders = readdirSync(tmpdir()).map((name) => join(tmpdir(), name));
  for (const folder of folders.filter((path) => path.startsWith(OURS)))
    rmSync(folder, { recursive: true, force: true });
}

/** Plays something in a new scene and clears it away, whatever the result. `begin` starts its machine events. */
export async function onStage(scenario, agent, task, plays) {
  const { machine = {} } = scenario;
  const prompt = task.promptFile === null ? {} : { [task.promptFile]: `${task.prompt}\n` };
  const { calls } = scenario[agent];
  const scene = await makeScene({ calls, files: { ...filesOf(scenario), ...prompt }, machine });
  let model;
  const begin = async () => {
    if (task.setup !== null) inScene(scene, 'env', '-C', scene.cwd, 'sh', '-c', task.setup);
    if (machine.model !== undefined) model = await startModel(scene, machine.model);
    if (machine.clock?.jumps !== undefined) void jumpLater(scene, machine.clock);
    scene.ours = [model?.pid];
  };
  try {
    return await plays(Object.assign(scene, { begin }));
  } finally {
    await model?.close();
    endAll(scene);
    await scene.close();
  }
}

/**
 * `work` and `state` are paths as this process sees them; `inside` gives the paths for the scene's own programs, which
 * differ if only they see the disk. `front` goes before every program of the scene; `over` fires when it is closed.
 */
async function makeScene({ calls, files, machine }) {
  const folder = mkdtempSync(OURS);
  const disk = machine.disk === undefined ? null : await smallDisk(folder, machine.disk.bytes);
  const clock = machine.clock === undefined ? null : fakedClock(folder);
  const over = new AbortController();
  const inside = (...path) => join(folder, ...path);
  const onDisk = { work: disk !== null, state: machine.disk?.holdsState === true };
  const [work, state] = ['work', 'state'].map((name) => join(onDisk[name] ? disk.path : folder, name));
  const scene = {
    folder,
    work,
    state,
    inside,
    front: [...(disk?.front ?? []), ...(clock?.front ?? [])],
    witness: inside('witness.jsonl'),
    over: over.signal,
    /** Returns '' for a file that does not exist. */
    read: (path) => (existsSync(join(work, path)) ? readFileSync(join(work, path), 'utf8') : ''),
  };
  mkdirSync(work, { recursive: true });
  mkdirSync(state);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    writeFileSync(join(work, path), content);
  }
  // Created before any sandbox, which can only give access to what exists.
  writeFileSync(scene.witness, '');
  // A harness with settings in the work tree says later what an agent would write into them.
  writeFileSync(inside('weak-settings.json'), JSON.stringify({ path: null }));
  writeFileSync(inside('words.json'), '{}');
  writeFileSync(inside('plan.json'), JSON.stringify(calls));
  const seenAs = (name) => (onDisk[name] ? inside('disk', name) : inside(name));
  return {
    ...scene,
    cwd: seenAs('work'),
    env: { ...environment(inside, seenAs('state')), ...clock?.env },
    async close() {
      over.abort();
      await disk?.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function commitAll(scene) {
  for (const args of [
    ['init', '--initial-branch=main'],
    ['add', '.'],
    ['commit', '--message=begin'],
  ]) {
    inScene(scene, 'git', '-C', scene.cwd, ...args);
  }
}

function inScene({ env, front }, ...argv) {
  const [program, ...args] = [...front, ...argv];
  execFileSync(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
}

function environment(inside, state) {
  return {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: inside(),
    XDG_STATE_HOME: state,
    SCENE: inside(),
    PLAN: inside('plan.json'),
    WITNESS: inside('witness.jsonl'),
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  };
}
