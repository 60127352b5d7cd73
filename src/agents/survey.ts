/** Which agents this machine has, and which release of each. */
import { execFile } from 'node:child_process';
import { findProgram } from '../process/which.ts';
import type { AgentAdapter } from './adapter.ts';

export interface Surveyed {
  readonly adapter: AgentAdapter;
  /** Null when it is not installed. */
  readonly path: string | null;
  /** Null when it is not installed, or does not say. */
  readonly version: string | null;
}

const ANSWER_WITHIN_MS = 30_000;

export function surveyAgents(
  adapters: readonly AgentAdapter[],
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

function versionOf(adapter: AgentAdapter, path: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  return new Promise((resolve) => {
    const options = { env: { ...adapter.environment, ...env }, timeout: ANSWER_WITHIN_MS, encoding: 'utf8' } as const;
    const child = execFile(path, adapter.versionArguments, options, (error, stdout) =>
      resolve(error === null ? (/\d+\.\d+[\w.+-]*/.exec(stdout)?.[0] ?? null) : null),
    );
    // Some wait for a prompt as long as stdin is open.
    child.stdin?.end();
  });
}
