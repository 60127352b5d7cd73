/** Where a `RalphLoop` runs programs for its caller: in the loop's sandbox, and with everything they start gone at their end. */
import { join } from 'node:path';
import { exitNumber } from '../../core/outcome.ts';
import { markOf } from '../../engine/local.ts';
import { writeFile } from '../../process/files.ts';
import { alwaysReady } from '../../process/follow.ts';
import type { Isolation } from '../../runners/choose.ts';
import { claimRun } from '../../state/run-files.ts';

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

export interface PlaceSetting {
  readonly loop: { readonly id: string; readonly folder: string };
  readonly cwd: string;
  /** Made when the first program is run. */
  readonly isolation: () => Promise<Isolation>;
  readonly onRefusal: (refusal: string) => void;
}

export function rootPlace(setting: PlaceSetting, attempt: number, signal: AbortSignal): RootPlace {
  const { loop, isolation, onRefusal } = setting;
  let programs = 0;
  return {
    async run(argv, program = {}) {
      programs++;
      const { host, runner } = await isolation();
      const key = `${attempt + 1}/program/${programs}`;
      const { folder, name } = claimRun(loop.folder, key);
      const { cwd = setting.cwd, env = {}, input = '', onOutput = toStdout, onStderr = toStderr } = program;
      const stdin = `${name}.input`;
      writeFile(join(folder, stdin), input, { mode: 0o600 });
      const files = { folder, name, mark: markOf(loop.id, key, 1) };
      await runner.start({ ...files, argv, cwd, env: { ...host.env, ...env }, stdin });
      const exit = await runner.await(files, { onOutput, onStderr, onRefusal, ready: alwaysReady, signal });
      return exitNumber(exit);
    },
  };
}

function toStdout(chunk: Buffer): void {
  process.stdout.write(chunk);
}

function toStderr(chunk: Buffer): void {
  process.stderr.write(chunk);
}
