/** A git repository with an agent, a guardrail and commits, in which the built binary runs as workers and as client. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { IN_MEMORY } from '../support/folder.ts';
import { seen, withDeadline } from './deadline.ts';

export interface Scene {
  readonly work: string;
  readonly state: string;
  /** Starts `ralph fleet …`. */
  fleet(command: string, ...args: string[]): Running;
  /** The lines of the oracle so far, in which agents and guardrails record what they do. */
  told(): string[];
  git(...args: string[]): string;
  /** All processes with the scene's oracle in their environment, however they were started. */
  alive(): number[];
  /** The command line of a process; empty if it has ended. */
  commandOf(pid: number): string;
  remove(): Promise<void>;
}

export interface Running {
  readonly child: ChildProcess;
  /** Waits for the output to match, and returns the first group. */
  says(pattern: RegExp): Promise<string>;
  /** Waits for its exit code, or the name of the signal that ended it. */
  ended(): Promise<number | string>;
}

const ROOT = resolve(import.meta.dirname, '../..');
const FAKES = join(ROOT, 'test/fakes');
const PATIENCE_MS = 30_000;

export function makeScene(database: string): Scene {
  const folder = realpathSync(mkdtempSync(join(IN_MEMORY, 'ralph-fleet-')));
  const [work, state, oracle] = [join(folder, 'work'), join(folder, 'state'), join(folder, 'oracle.log')];
  const env = { PATH: process.env.PATH, HOME: folder, XDG_STATE_HOME: state, ORACLE: oracle };
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: work, env, encoding: 'utf8' });
  const started: Running[] = [];
  writeFileSync(oracle, '');
  makeRepository(work, git);

  const alive = (): number[] => processesWith(`ORACLE=${oracle}\0`);
  return {
    work,
    state,
    git,
    alive,
    commandOf: (pid) => readQuietly(`/proc/${pid}/cmdline`),
    told: () => readFileSync(oracle, 'utf8').split('\n').filter(Boolean),
    fleet(command, ...args) {
      const ralph = [join(ROOT, 'bin/ralph.cjs'), 'fleet', command, '--database', database, ...args];
      const [program, ...rest] = tethered(process.execPath, ...ralph);
      const child = spawn(program, rest, { cwd: work, env, stdio: ['ignore', 'pipe', 'pipe'] });
      const running = watched(child);
      started.push(running);
      return running;
    },
    async remove() {
      for (const { child } of started) child.kill('SIGKILL');
      await Promise.all(started.map((running) => running.ended()));
      await seen('every process of the scene is gone', PATIENCE_MS, () => {
        const left = alive();
        for (const pid of left) killQuietly(pid);
        return left.length === 0 ? true : null;
      });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The command dies with the test, however the test ends. */
function tethered(...command: string[]): [string, ...string[]] {
  return ['setpriv', '--pdeathsig=KILL', ...command];
}

function makeRepository(work: string, git: Scene['git']): void {
  mkdirSync(join(work, '.ralph'), { recursive: true });
  const settings = {
    agent: { command: join(FAKES, 'fleet-agent.sh') },
    guardrails: [{ command: join(FAKES, 'fleet-guardrail.sh'), failAction: 'APPEND' }],
    scm: { command: 'git', tasks: ['commit'] },
    failureBackoffMs: 200,
  };
  writeFileSync(join(work, '.ralph/settings.json'), JSON.stringify(settings));
  writeFileSync(join(work, 'work.txt'), 'nothing\n');
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'fleet');
  git('config', 'user.email', 'fleet@example.com');
  git('add', 'work.txt');
  git('commit', '--quiet', '-m', 'Begin');
}

function watched(child: ChildProcess): Running {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  // After `close`, all of its output has arrived.
  const closed = once(child, 'close').then(([code, signal]: (number | string)[]) => code ?? signal ?? 'unknown');
  return {
    child,
    ended: () => withDeadline(`it ends; so far it said:\n${output}`, PATIENCE_MS, closed),
    async says(pattern) {
      const look = (): string | null => pattern.exec(output)?.[1] ?? null;
      const silent = closed.then((exit) => look() ?? Promise.reject(new Error(`it ended with ${exit}`)));
      try {
        return await Promise.race([seen(`it says ${pattern}`, PATIENCE_MS, look), silent]);
      } catch (error) {
        throw new Error(`${String(error)}; it said:\n${output}`, { cause: error });
      }
    },
  };
}

function processesWith(variable: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => environmentOf(pid).includes(variable)).map(Number);
}

function environmentOf(pid: string): string {
  return readQuietly(`/proc/${pid}/environ`);
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // The process has ended meanwhile.
    return '';
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
