/** Runs a command whose agent talks to a scripted model instead of its vendor's. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { errnoOf } from '../core/error.ts';
import { type Environment, prepareEnvironment } from './environment.ts';
import { runCommand, type Stdio } from './run-command.ts';
import type { Script } from './script/script.ts';
import { type RecordedRequest, startScriptedModel } from './server/server.ts';

export interface Rehearsal {
  readonly script: Script;
  /** Program and arguments; no shell reads them. */
  readonly command: readonly string[];
  readonly env: Environment;
  readonly cwd: string;
  /** Claude waits 3 s for an open, silent stdin: give it 'ignore' where there is no input. */
  readonly stdio: Stdio;
  /** A file that gets each request as a line of JSON while it happens. */
  readonly recordTo?: string;
}

export interface Rehearsed {
  /** The command's own, or 128 + n when signal n ended it. */
  readonly exitCode: number;
  readonly requests: readonly RecordedRequest[];
}

export async function rehearse({ script, command, env, cwd, stdio, recordTo }: Rehearsal): Promise<Rehearsed> {
  const model = await startScriptedModel(script, recordTo === undefined ? {} : { recordTo });
  try {
    return await withThrowAwayFolder(env, async (folder) => {
      const ready = prepareEnvironment({ env, url: model.url, folder, cwd });
      const exitCode = await runCommand({ command, env: ready, cwd, stdio });
      return { exitCode, requests: model.requests() };
    });
  } finally {
    await model.close();
  }
}

/** A folder for one rehearsal, gone when it is over. */
export async function withThrowAwayFolder<T>(env: Environment, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await makeFolder(env);
  try {
    return await use(folder);
  } finally {
    // A straggler may still write while the folder is being emptied; hence the retries.
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Not where temporary files are: Codex leaves its helper programs out of a home there, and says so on every start. */
async function makeFolder(env: Environment): Promise<string> {
  const given = env.XDG_CACHE_HOME ?? '';
  const cache = isAbsolute(given) ? given : join(env.HOME || '/', '.cache');
  const own = join(cache, 'ralph', 'rehearsals');
  try {
    await mkdir(own, { recursive: true, mode: 0o700 });
    return await mkdtemp(`${own}/`);
  } catch (error) {
    // A home that cannot be written is no reason not to rehearse.
    if (errnoOf(error)) return mkdtemp(join(tmpdir(), 'ralph-rehearsal-'));
    throw error;
  }
}
