/** Starts a ralph command in the background and waits until its loop has begun, for `--detach`. */
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { defined } from '../core/defined.ts';
import { exitNumber } from '../core/outcome.ts';
import { isFields } from '../core/text/json.ts';
import { startDetached } from '../process/start-detached.ts';
import { makePrivateFolder } from '../state/folders.ts';
import { loopFolder, newLoopId, type StateRoot, startsFolder } from '../state/paths.ts';

export interface BackgroundCommand {
  readonly root: StateRoot;
  /** The program and its arguments; no shell is involved. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** What it reads on stdin; nothing by default. */
  readonly input?: string;
  /** Stops waiting, and ends the command as Ctrl-C would. */
  readonly cancel?: AbortSignal;
}

export type InBackground =
  /** `log`: the file with its console output. */
  | { readonly is: 'running'; readonly loop: string; readonly pid: number; readonly log: string }
  /** It exited without leaving a running loop: its exit code, and what it printed. */
  | { readonly is: 'ended'; readonly code: number; readonly said: string };

export async function startInBackground(command: BackgroundCommand): Promise<InBackground> {
  const { root, argv, cwd, env, input, cancel } = command;
  makePrivateFolder(startsFolder(root));
  const name = `console-${newLoopId(Date.now())}.log`;
  const log = join(startsFolder(root), name);
  let loop: string | null = null;
  const started = await startDetached({
    argv,
    cwd,
    env,
    log,
    ...defined({ cancel, input }),
    onMessage: (message) => {
      if (isFields(message) && typeof message.loop === 'string') loop = message.loop;
    },
    hasBegun: () => loop !== null,
  });
  if (started.ended !== null || loop === null) {
    rmSync(log, { force: true });
    return { is: 'ended', code: started.ended === null ? 1 : exitNumber(started.ended), said: started.said };
  }
  const kept = join(loopFolder(root, loop), name);
  renameSync(log, kept);
  return { is: 'running', loop, pid: started.pid, log: kept };
}
