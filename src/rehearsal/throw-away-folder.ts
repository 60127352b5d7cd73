/** A folder for one rehearsal, gone when it is over. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { errnoOf } from '../core/error.ts';
import type { Environment } from './environment.ts';

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
