/** Plays one scenario with the built `ralph` in a new git repository, and measures it from outside. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const LIMIT = 4;

/**
 * Returns what came of it: the exit code, whether "done" was said and whether it was true, how often the agent was
 * called, which processes are left, and the milliseconds that were not the agent's own.
 */
export async function play(scenario) {
  const scene = makeScene(scenario);
  try {
    const began = performance.now();
    const exit = await turn(scenario, scene);
    const wallMs = performance.now() - began;
    const saysDone = exit === 0;
    const isTrue = readFileSync(join(scene.work, 'answer.txt'), 'utf8').trim() === '42';
    const claimed = scenario.calls.flat().some(({ say = '' }) => say.includes('DONE'));
    return {
      name: scenario.name,
      exit,
      saysDone,
      falseDone: saysDone && !isTrue,
      missedDone: !saysDone && isTrue && claimed,
      calls: linesOf(scene.calls).filter((line) => line.includes('/work/')).length,
      repeatedKeys: repeated(linesOf(scene.calls).map((line) => line.split(' ')[0])),
      left: processesOf(scene),
      beyondMs: wallMs - linesOf(`${scene.calls}.times`).reduce((sum, ms) => sum + Number(ms), 0),
    };
  } finally {
    rmSync(scene.folder, { recursive: true, force: true });
  }
}

function makeScene({ settings, calls, files = {} }) {
  const folder = mkdtempSync(join(tmpdir(), 'loopbench-'));
  const work = join(folder, 'work');
  const scene = { folder, work, calls: join(folder, 'calls'), plan: join(folder, 'plan.json') };
  mkdirSync(join(work, '.ralph'), { recursive: true });
  const agent = { command: join(import.meta.dirname, 'agent/claude') };
  const all = { agent, failureBackoffMs: 10, scm: { command: 'git', tasks: ['commit'] }, ...settings };
  writeFileSync(join(work, '.ralph/settings.json'), JSON.stringify(all));
  writeFileSync(join(work, 'answer.txt'), '?\n');
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    writeFileSync(join(work, path), content);
  }
  // There before a sandbox is made: what is not there cannot be let in.
  for (const log of [scene.calls, `${scene.calls}.times`]) writeFileSync(log, '');
  writeFileSync(scene.plan, JSON.stringify(calls));
  scene.env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: folder,
    XDG_STATE_HOME: join(folder, 'state'),
    PLAN: scene.plan,
    CALLS: scene.calls,
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  };
  const git = (...args) => execFileSync('git', args, { cwd: work, env: scene.env, stdio: 'ignore' });
  git('init', '--initial-branch=main');
  git('add', '.');
  git('commit', '--message=begin');
  return scene;
}

async function turn({ killAtCall }, scene) {
  const first = ralph(scene, ['run', '-p', 'What is the answer?', '-m', String(LIMIT)]);
  if (killAtCall === undefined) return exitOf(first);
  const ended = exitOf(first);
  await Promise.race([calledTimes(scene, killAtCall), ended]);
  first.kill('SIGKILL');
  await ended;
  return exitOf(ralph(scene, ['resume']));
}

function ralph({ work, env }, args) {
  return spawn(process.execPath, [join(ROOT, 'bin/ralph.cjs'), ...args], { cwd: work, env, stdio: 'ignore' });
}

async function exitOf(child) {
  const [code] = await once(child, 'exit');
  return code;
}

async function calledTimes({ folder, calls }, times) {
  const { promise, resolve } = withResolvers();
  const look = () => existsSync(calls) && linesOf(calls).length >= times && resolve();
  const watcher = watch(folder, look);
  look();
  await promise;
  watcher.close();
}

function withResolvers() {
  const made = {};
  made.promise = new Promise((resolve) => {
    made.resolve = resolve;
  });
  return made;
}

function linesOf(path) {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
}

function repeated(keys) {
  return keys.filter((key, index) => keys.indexOf(key) !== index);
}

/** Whoever still carries the scene in its environment. */
function processesOf({ calls }) {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`CALLS=${calls}\0`);
    } catch {
      // Gone while we looked.
      return false;
    }
  });
}
