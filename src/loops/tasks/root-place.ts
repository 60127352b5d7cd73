/** Where a `RalphLoop` runs programs for its caller: in the loop's sandbox, and with everything they start gone at their end. */
import { join } from 'node:path';
import { exitNumber } from '../../core/outcome.ts';
import { markOf } from '../../engine/performers/perform.ts';
import { writeFile } from '../../process/files.ts';
import { alwaysReady } from '../../process/follow.ts';
import { claimRun } from '../../state/run-files.ts';
import type { TaskRequest } from './rules.ts';
import { isolateRoot } from './sandbox.ts';

/** What a root runner is given to start its agent with. */
export interface RootPlace {
  /**
   * Runs a program to its end and gives its exit code (143 where a signal ended it). The loop's signal ends it, and all
   * that it started.
   */
  run(argv: readonly [string, ...string[]], program?: RootProgram): Promise<number>;
}

export interface RootProgram {
  /** The work tree, unless given. */
  readonly cwd?: string;
  /** Laid over the loop's own environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What it reads from stdin; nothing unless given. */
  readonly input?: string;
  /** What it prints; it goes to this process's own stdout and stderr unless given. */
  readonly onOutput?: (chunk: Buffer) => void;
  readonly onStderr?: (chunk: Buffer) => void;
}

export interface RootPrograms {
  placeOf(attempt: number, signal: AbortSignal): RootPlace;
  /** What the sandbox refused, in sentences. */
  readonly refusals: string[];
  close(): Promise<void>;
}

export function rootPrograms(request: TaskRequest, context: Parameters<typeof isolateRoot>[1]): RootPrograms {
  const { loop } = context;
  const refusals: string[] = [];
  // Made for the first program: a caller that starts its agents itself needs none.
  let isolation: ReturnType<typeof isolateRoot> | null = null;
  const runOne = async (
    argv: readonly [string, ...string[]],
    key: string,
    program: RootProgram,
    signal: AbortSignal,
  ) => {
    isolation ??= isolateRoot(request, context);
    const { host, runner } = await isolation;
    const { folder, name } = claimRun(loop.folder, key);
    const { cwd = request.cwd, env = {}, input = '', onOutput = toStdout, onStderr = toStderr } = program;
    const stdin = `${name}.input`;
    writeFile(join(folder, stdin), input, { mode: 0o600 });
    const files = { folder, name, mark: markOf(loop.id, key, 1) };
    await runner.start({ ...files, argv, cwd, env: { ...host.env, ...env }, stdin });
    const onRefusal = (refusal: string): void => void refusals.push(refusal);
    return exitNumber(await runner.await(files, { onOutput, onStderr, onRefusal, ready: alwaysReady, signal }));
  };
  return {
    placeOf(attempt, signal) {
      let programs = 0;
      return { run: (argv, program = {}) => runOne(argv, `${attempt + 1}/program/${++programs}`, program, signal) };
    },
    refusals,
    close: async () => (await isolation?.catch(() => null))?.runner.close(),
  };
}

function toStdout(chunk: Buffer): void {
  process.stdout.write(chunk);
}

function toStderr(chunk: Buffer): void {
  process.stderr.write(chunk);
}
