/**
 * A git repository with settings and an agent that plays given shell lines, and the built binary to run in it. When
 * the test ends, in whatever way, everything that was started in it is ended; the test fails if anything was left.
 */
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  watch,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import type { Recorded } from '../../src/core/record.ts';
import type { ContainmentLevel } from '../../src/process/containment/levels.ts';
import { parseJournal } from '../../src/state/journal.ts';
import { lockHolder } from '../../src/state/lock.ts';
import { IN_MEMORY } from './folder.ts';
import { makeFirstCommit } from './git/first-commit.ts';
import { endProcessesOf, processesOf, removeLeavesOf } from './programs/processes.ts';
import { type Exited, type Program, startProgram } from './programs/program.ts';

const LOOK_EVERY_MS = 10;
export const ROOT = resolve(import.meta.dirname, '../..');

export interface SceneOptions {
  /** The shell lines that the agent plays; `$n` is the iteration, `$prompt` the prompt. */
  readonly play: string;
  /** What it plays when it is asked for a commit message. */
  readonly message?: string;
  /** The name of the agent's program. */
  readonly agent?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly level?: ContainmentLevel;
  readonly env?: Readonly<Record<string, string>>;
  /** A machine other than this one: the command prefix that runs programs there, and the PATH there. */
  readonly machine?: { readonly front: readonly string[]; readonly path: string };
  /** The parent folder of the scene; by default one in memory. */
  readonly place?: string;
}

export interface Scene {
  readonly folder: string;
  readonly work: string;
  readonly state: string;
  readonly env: NodeJS.ProcessEnv;
  /** Starts the built `ralph` in its own process group, as a terminal does. */
  ralph(args: readonly string[], cwd?: string): Program;
  /** Runs `ralph run` to its end with a prompt and these flags. */
  run(...flags: string[]): Promise<Exited>;
  /** Runs a shell line in which `ralph` is the built one. */
  shell(line: string): Promise<Exited>;
  git(...args: string[]): string;
  write(path: string, content: string): void;
  read(path: string): string;
  /** The keys that agents were started with and whatever else they logged, in order. */
  starts(): string[];
  /** Resolves when an agent has logged this line. */
  logged(line: string): Promise<void>;
  /** Lets one agent that waits at the gate continue. */
  openGate(): void;
  promptOf(key: string): string;
  loops(): string[];
  journalFile(): string;
  journal(): Recorded[];
  /** Resolves when the journal contains this text. */
  journalSays(text: string): Promise<void>;
  /** Resolves when this process holds the lock of the work tree. */
  lockedBy(pid: number): Promise<void>;
  /** Opens the gate for an agent that no supervisor will end, and waits until it is gone. */
  letGo(): Promise<void>;
}

export const PROMPT = 'Do the work.';

/** A shell line by which an agent says that it is done. */
export const DONE = 'echo "<response>DONE</response>"';

export function makeScene(options: SceneOptions): Scene {
  const folder = realpathSync(mkdtempSync(join(options.place ?? IN_MEMORY, 'ralph-e2e-')));
  const work = join(folder, 'work');
  const state = join(folder, 'state');
  const bin = join(folder, 'bin');
  const log = join(folder, 'starts.log');
  for (const path of ['work/.ralph', 'bin', 'prompts']) mkdirSync(join(folder, path), { recursive: true });
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'gate')]);
  const gate = openSync(join(folder, 'gate'), 'r+');
  const loops = (): string[] => (existsSync(join(state, 'ralph/loops')) ? readdirSync(join(state, 'ralph/loops')) : []);
  onTestFinished(() => {
    closeSync(gate);
    const left = [...endProcessesOf(folder), ...removeLeavesOf(loops())];
    rmSync(folder, { recursive: true, force: true });
    expect(left).toEqual([]);
  });

  const agent = join(bin, options.agent ?? 'agent');
  symlinkSync(join(ROOT, 'test/fakes/play-agent.sh'), agent);
  for (const program of ['ralph', 'swarm']) symlinkSync(join(ROOT, `bin/${program}.cjs`), join(bin, program));
  writeFileSync(log, '');
  writeFileSync(join(folder, 'play'), options.play);
  writeFileSync(join(folder, 'message'), options.message ?? 'echo "Commit of iteration $n"');
  const settings = { agent: { command: agent }, failureBackoffMs: 10, ...options.settings };
  writeFileSync(join(work, '.ralph/settings.json'), JSON.stringify(settings));
  const env = environmentOf(folder, options);
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: work, env, encoding: 'utf8' });
  makeFirstCommit(work, 'work.txt', 'begin\n', env);

  const journalFile = (): string => join(state, 'ralph/loops', loops()[0] ?? 'no loop', 'journal.jsonl');
  const there = (command: string, ...args: readonly string[]): [string, ...string[]] => {
    const [first = command, ...rest] = [...(options.machine?.front ?? []), command, ...args];
    return [first, ...rest];
  };
  const node = options.machine === undefined ? process.execPath : 'node';
  const ralph = (args: readonly string[], cwd = work): Program =>
    startProgram(there(node, join(ROOT, 'bin/ralph.cjs'), ...args), { cwd, env, detached: true });
  const starts = (): string[] => readFileSync(log, 'utf8').split('\n').filter(Boolean);
  return {
    folder,
    work,
    state,
    env,
    ralph,
    run: (...flags) => ralph(['run', '-p', PROMPT, ...flags]).exited,
    shell: (line) => startProgram(there('sh', '-c', line), { cwd: work, env }).exited,
    git,
    write: (path, content) => writeFileSync(join(folder, path), content),
    read: (path) => readFileSync(join(folder, path), 'utf8'),
    starts,
    logged: (line) => changed(log, () => starts().includes(line)),
    openGate: () => void writeSync(gate, 'go\n'),
    promptOf: (key) => readFileSync(join(folder, 'prompts', key.replaceAll('/', '-')), 'utf8'),
    loops,
    journalFile,
    journal: () => parseJournal(readFileSync(journalFile()), 'journal').records,
    journalSays: (text) => changed(journalFile(), () => readFileSync(journalFile(), 'utf8').includes(text)),
    lockedBy(pid) {
      const locks = join(state, 'ralph/locks');
      const [lock = ''] = readdirSync(locks);
      return changed(join(locks, lock), () => holds(join(locks, lock), pid));
    },
    async letGo() {
      writeSync(gate, 'go\n');
      while (processesOf(folder).length > 0) await sleep(LOOK_EVERY_MS);
      removeLeavesOf(loops());
    },
  };
}

function environmentOf(folder: string, { level, env, machine }: SceneOptions): NodeJS.ProcessEnv {
  return {
    PATH: `${join(folder, 'bin')}:${machine?.path ?? process.env.PATH ?? ''}`,
    HOME: folder,
    SCENE: folder,
    XDG_STATE_HOME: join(folder, 'state'),
    ...(level === undefined ? {} : { RALPH_CONTAINMENT: level }),
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.com',
    ...env,
  };
}

/** Does this process hold the lock in this folder? */
function holds(folder: string, pid: number): boolean {
  return lockHolder(folder)?.pid === pid;
}

/** Resolves when `look` returns true, now or after a change of the file or folder. */
function changed(path: string, look: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (!look()) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(path, check);
    check();
  });
}
