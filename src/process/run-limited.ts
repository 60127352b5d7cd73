/** Runs a program for its output, within a time limit: after that, its whole process group is ended. */
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
  /** What it reads on stdin; nothing by default. */
  readonly input?: string;
}

/** `unstartable`: there is no such program, or it must not be run. `expired`: it ran into the limit and was ended. */
export interface LimitedRun {
  readonly end: 'ok' | 'failed' | 'unstartable' | 'expired';
  /** `exit 1`, or why it could not be started. */
  readonly why?: string;
  readonly stdout: string;
  readonly stderr: string;
}

/** Between SIGTERM and SIGKILL: a sandbox needs it to take down what is inside. */
const GRACE: Duration = 2000;

export function runLimited({ argv, cwd, env, limit, input }: LimitedProgram): Promise<LimitedRun> {
  const [program = '', ...args] = argv;
  // In a group of its own, since programs start programs: git runs another git for each submodule.
  const child = spawn(program, args, {
    cwd,
    env,
    detached: true,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  // A program that does not read its input is not to blame.
  child.stdin?.on('error', () => undefined).end(input);
  const signalGroup = (signal: NodeJS.Signals): void => {
    const { pid } = child;
    // The group outlives its leader, which has been reaped by then.
    if (pid !== undefined) nullOn(['ESRCH', 'EPERM'], () => process.kill(-pid, signal));
  };
  const killGroup = (): void => signalGroup('SIGKILL');
  // A Ctrl-C does not reach it, since it is in a group of its own.
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
