/** Where a scenario is played: a folder with a git repository, the agent's plan and log, and the environment of it all. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fakedClock } from './clock.mjs';
import { smallDisk } from './disk.mjs';

export const AGENT = resolve(import.meta.dirname, '../agent/claude');

/**
 * `work` and `state` are paths as this process sees them; `inside` gives those of the scene's own programs, which differ
 * where the disk is one that only they see. `front` goes before every program of the scene; `over` fires when
 * it is closed.
 */
export async function makeScene({ calls, files = {}, machine = {} }) {
  const folder = mkdtempSync(join(tmpdir(), 'loopbench-'));
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
  };
  mkdirSync(work, { recursive: true });
  mkdirSync(state);
  for (const [path, content] of Object.entries({ 'answer.txt': '?\n', ...files })) {
    mkdirSync(dirname(join(work, path)), { recursive: true });
    writeFileSync(join(work, path), content);
  }
  // There before a sandbox is made: what is not there cannot be let in.
  writeFileSync(scene.witness, '');
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

export function commitAll({ cwd, env, front }) {
  for (const args of [
    ['init', '--initial-branch=main'],
    ['add', '.'],
    ['commit', '--message=begin'],
  ]) {
    const [program, ...rest] = [...front, 'git', '-C', cwd, ...args];
    execFileSync(program, rest, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  }
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
