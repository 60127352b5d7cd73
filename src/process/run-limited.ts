/** Runs a program for what it prints, for a limited time: after that its whole process group is ended. */
import { spawn } from 'node:child_process';
import { defined } from '../core/defined.ts';
import { describeExit, exitOfChild } from '../core/outcome.ts';
import { reasonOf } from '../core/system-fault.ts';
import type { Duration } from '../core/time.ts';
import { nullOn } from './files.ts';

export interface LimitedProgram {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly limit: Duration;
  /** What it reads on stdin; nothing unless given. */
  readonly input?: string;
}

/** `unstartable`: there is no such program, or it may not be run. `expired`: it was ended. */
export interface LimitedRun {
  readonly end: 'ok' | 'failed' | 'unstartable' | 'expired';
  /** `exit 1`, or why it could not be started. */
  readonly why?: string;
  readonly stdout: string;
  readonly stderr: string;
}

/** Between asking it to end and insisting: a sandbox takes down what is in it. */
const GRACE: Duration = 2000;

export function runLimited({ argv, cwd, env, limit, input }: LimitedProgram): Promise<LimitedRun> {
  const [program = '', ...args] = argv;
  // Programs start programs: git asks about each submodule by another git.
  const child = spawn(program, args, {
    cwd,
    env,
    detached: true,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  // One that does not read it is not to blame.
  child.stdin?.on('error', () => undefined).end(input);
  const signalGroup = (signal: NodeJS.Signals): void => {
    const { pid } = child;
    // The group outlives its leader, which is not waited for by then.
    if (pid !== undefined) nullOn(['ESRCH', 'EPERM'], () => process.kill(-pid, signal));
  };
  const killGroup = (): void => signalGroup('SIGKILL');
  // In a group of its own it hears nothing of a Ctrl-C.
  process.once('exit', killGroup);
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => void stdout.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => void stderr.push(chunk));
  return new Promise((resolve) => {
    let insist: NodeJS.Timeout | undefined;
    const finish = (end: LimitedRun['end'], why?: string): void => {
      clearTimeout(expiry);
      clearTimeout(insist);
      process.off('exit', killGroup);
      child.stdout?.destroy();
      child.stderr?.destroy();
      const [said, complained] = [stdout, stderr].map((chunks) => Buffer.concat(chunks).toString('utf8'));
      resolve({ end, stdout: said ?? '', stderr: complained ?? '', ...defined({ why }) });
    };
    const giveUp = (): void => {
      killGroup();
      finish('expired');
    };
    const expiry = setTimeout(() => {
      child.once('exit', giveUp);
      insist = setTimeout(giveUp, GRACE);
      signalGroup('SIGTERM');
    }, limit);
    child.once('error', (error) => finish('unstartable', reasonOf(error)));
    child.once('close', (code, signal) => {
      if (code === 0) finish('ok');
      else finish('failed', describeExit(exitOfChild(code, signal)));
    });
  });
}
