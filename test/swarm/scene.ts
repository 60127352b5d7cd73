/**
 * A home for `swarm` that belongs to the test, with its own tmux server. After the test, `swarm` itself kills every
 * worker, and whatever is left then fails the test.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import type { ContainmentLevel } from '../../src/process/containment/levels.ts';
import { readLastTrace } from '../../src/process/trace.ts';
import { readWindow } from '../../src/tmux/window.ts';
import { IN_MEMORY, ON_DISK } from '../support/folder.ts';
import { makeFirstCommit } from '../support/git/first-commit.ts';
import { levelsOfThisMachine } from '../support/levels.ts';
import { endProcessesOf, processesOf } from '../support/programs/processes.ts';
import { type Exited, type Program, startProgram } from '../support/programs/program.ts';
import { ROOT } from '../support/scene.ts';

const LOOK_EVERY_MS = 10;
/** Processes that were told to end need a moment. */
const ENDING_TAKES_MS = 5000;

export interface Scene {
  readonly folder: string;
  /** A git repository with one commit. */
  readonly work: string;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  /** Runs the built `swarm` until it exits. */
  swarm(...args: string[]): Promise<Exited>;
  /** Starts it, in a process group of its own, as a terminal does. */
  start(args: readonly string[], cwd?: string): Program;
  /** Like `swarm`, but in another folder or with other variables. */
  swarmIn(options: { cwd?: string; env?: NodeJS.ProcessEnv }, ...args: string[]): Promise<Exited>;
  /** Runs a command on the scene's default tmux server. */
  tmux(...args: string[]): string;
  /** A session that belongs to the user; removed at the end of the test. */
  userSession(name: string, ...args: string[]): void;
  git(...args: string[]): string;
  read(path: string): string;
  /** Resolves when `look` returns true. */
  until(look: () => boolean): Promise<void>;
  /** Resolves when the worker has printed this in its window. */
  printed(name: string, text: string): Promise<void>;
  isRunning(pid: number): boolean;
}

/** `level`: by default the strongest containment level of this machine. */
export function makeScene(level?: ContainmentLevel, place = IN_MEMORY): Scene {
  const folder = realpathSync(mkdtempSync(join(place, 'swarm-')));
  const work = join(folder, 'work');
  const home = join(folder, 'home');
  mkdirSync(work);
  const env: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    HOME: folder,
    SHELL: '/bin/sh',
    SWARM_HOME: home,
    TMUX_TMPDIR: folder,
    RALPH_CONTAINMENT: level,
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  };
  const run = (program: string, args: readonly string[]): string =>
    execFileSync(program, args, { cwd: work, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const git = (...args: string[]): string => run('git', args);
  const tmux = (...args: string[]): string => run('tmux', ['-f', '/dev/null', ...args]);
  makeFirstCommit(work, 'file', 'begin\n', env);

  const startWith = (options: { cwd?: string; env?: NodeJS.ProcessEnv }, args: readonly string[]): Program =>
    startProgram([process.execPath, join(ROOT, 'bin/swarm.cjs'), ...args], {
      cwd: options.cwd ?? work,
      env: { ...env, ...options.env },
      detached: true,
    });
  const swarm = (...args: string[]): Promise<Exited> => startWith({}, args).exited;
  const sessions: string[] = [];
  onTestFinished(async () => {
    const killed = await swarm('kill', '--all');
    for (const name of sessions) tmux('kill-session', '-t', `=${name}`);
    const deadline = performance.now() + ENDING_TAKES_MS;
    while (processesOf(folder).length > 0 && performance.now() < deadline) await sleep(LOOK_EVERY_MS);
    const left = [...endProcessesOf(folder), ...leavesIn(home)];
    rmSync(folder, { recursive: true, force: true });
    expect({ left, stderr: killed.stderr }).toEqual({ left: [], stderr: '' });
  });

  const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
  const until = async (look: () => boolean): Promise<void> => {
    while (!look()) await sleep(LOOK_EVERY_MS);
  };
  return {
    folder,
    work,
    home,
    env,
    swarm,
    start: (args, cwd = work) => startWith({ cwd }, args),
    swarmIn: (options, ...args) => startWith(options, args).exited,
    tmux,
    userSession(name, ...args) {
      tmux('new-session', '-d', '-s', name, ...args);
      sessions.push(name);
    },
    git,
    read,
    until,
    printed: (name, text) => {
      const log = join(home, 'logs', `${name}.tmux.log`);
      return until(() => existsSync(log) && readFileSync(log, 'utf8').includes(text));
    },
    isRunning: (pid) => processesOf(folder).some((found) => found.pid === pid),
  };
}

/** For workers in the operating system's sandbox. */
export function sceneOnDisk(level?: ContainmentLevel): Scene {
  return makeScene(level, ON_DISK);
}

/** The containment levels that swarm uses for workers; a pid namespace is not one of them. */
export const WORKER_LEVELS = levelsOfThisMachine().filter((level) => level !== 'pid-namespace');

/** Cgroups of workers that still exist although no process runs any more. */
function leavesIn(home: string): string[] {
  const workers = join(home, 'workers');
  if (!existsSync(workers)) return [];
  return readdirSync(workers).flatMap((name) => {
    const leaves = [
      readWindow(join(workers, name, 'window'))?.leaf,
      readLastTrace(join(workers, name, 'process'))?.plan.leaf,
    ];
    return leaves.filter((leaf) => typeof leaf === 'string' && existsSync(leaf));
  }) as string[];
}

/** What a command that succeeded prints, and nothing else. */
export function said(stdout: string): Exited {
  return { code: 0, stdout, stderr: '' };
}

/** What `swarm ralph resume` prints for a loop that a new supervisor continues. */
export function resumed(name = 'agent'): Exited {
  const watch = `It runs in the background. To see how it is going, run: swarm ralph status ${name}`;
  return said(`resumed ralph loop for ${name}\n${watch}\n`);
}

/** What a command that was refused prints. */
export function refusal(message: string, code = 1): Exited {
  return { code, stdout: '', stderr: `swarm: error: ${message}\n` };
}
