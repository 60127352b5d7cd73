/** Which agents this machine has, and which release of each. */
import { execFile } from 'node:child_process';
import { findProgram } from '../process/which.ts';
import type { AgentProfile } from './profile.ts';

export interface Surveyed {
  readonly adapter: AgentProfile;
  /** Null when it is not installed. */
  readonly path: string | null;
  /** Null when it is not installed, or does not say. */
  readonly version: string | null;
}

const ANSWER_WITHIN_MS = 30_000;

export function surveyAgents(
  adapters: readonly AgentProfile[],
  env: NodeJS.ProcessEnv,
  cwd: string,
): Promise<Surveyed[]> {
  return Promise.all(
    adapters.map(async (adapter) => {
      const path = findProgram(adapter.name, env.PATH, cwd);
      return { adapter, path, version: path === null ? null : await versionOf(adapter, path, env) };
    }),
  );
}

/** Asks once, while other things are done; until the answer is there it is not known. */
export function askVersion(
  adapter: AgentProfile,
  command: string,
  env: NodeJS.ProcessEnv,
  cwd: string,
): { readonly known: () => string; close(): void } {
  const asking = new AbortController();
  let version = '';
  const path = adapter.install === null ? null : findProgram(command, env.PATH, cwd);
  const ask = async (program: string): Promise<void> => {
    version = (await versionOf(adapter, program, env, asking.signal)) ?? '';
  };
  if (path !== null) void ask(path);
  return { known: () => version, close: () => asking.abort() };
}

function versionOf(
  adapter: AgentProfile,
  path: string,
  env: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<string | null> {
  return new Promise((resolve) => {
    const options = {
      env: { ...adapter.environment, ...env },
      timeout: ANSWER_WITHIN_MS,
      encoding: 'utf8',
      ...(signal === undefined ? {} : { signal }),
    } as const;
    const child = execFile(path, ['--version'], options, (error, stdout) =>
      resolve(error === null ? (/\d+\.\d+[\w.+-]*/.exec(stdout)?.[0] ?? null) : null),
    );
    // Some wait for a prompt as long as stdin is open.
    child.stdin?.end();
  });
}
