/** What an agent of a task finds in its environment: the run's names, old and new, and nobody else's keys. */

import { chmodSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { unlessGiven } from '../../agents/flags.ts';
import { AGENTS, profileFor } from '../../agents/index.ts';
import { shellQuote } from '../../core/text/quote-word.ts';
import { writeFile } from '../../process/files.ts';
import { makePrivateFolder } from '../../state/folders.ts';

export interface RunNames {
  readonly project: string;
  readonly task: string;
  readonly runId: string;
  readonly parentRunId: string | null;
  readonly runsFolder: string;
  readonly taskFolder: string;
  readonly runFolder: string;
  readonly bus: string;
}

/** As they stand in the prompt. */
export function runVariables(names: RunNames): Record<string, string> {
  return {
    JRUN_TASK_FOLDER: names.taskFolder,
    JRUN_RUN_FOLDER: names.runFolder,
    JRUN_PROJECT_ID: names.project,
    JRUN_TASK_ID: names.task,
    JRUN_ID: names.runId,
    ...(names.parentRunId === null ? {} : { JRUN_PARENT_ID: names.parentRunId }),
    JRUN_RUNS_DIR: names.runsFolder,
    JRUN_MESSAGE_BUS: names.bus,
  };
}

/** `undefined` takes a variable out. */
export function agentEnvironment(
  names: RunNames,
  agent: string,
  { PATH, BASH_ENV }: { readonly PATH?: string | undefined; readonly BASH_ENV?: string | undefined },
  tools: string,
): Record<string, string | undefined> {
  return {
    ...Object.fromEntries(foreignKeys(agent).map((name) => [name, undefined])),
    // A run is no part of the session that ralph was started in.
    CLAUDECODE: undefined,
    JRUN_PARENT_ID: undefined,
    ...runVariables(names),
    // Their names before the prefix came.
    RUNS_DIR: names.runsFolder,
    MESSAGE_BUS: names.bus,
    TASK_FOLDER: names.taskFolder,
    RUN_FOLDER: names.runFolder,
    PATH: `${tools}${delimiter}${PATH ?? ''}`,
    BASH_ENV: join(tools, BASH_ENV_NAME),
    [USERS_BASH_ENV]: BASH_ENV,
  };
}

/** Agents of seed 002 that we have no profile of. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  perplexity: ['PERPLEXITY_API_KEY'],
  xai: ['XAI_API_KEY'],
};

/** An agent that speaks with any model may need any of them. */
function foreignKeys(agent: string): string[] {
  const own = profileFor(agent).keys ?? OTHERS[basename(agent)];
  if (own === undefined) return [];
  const all = [...AGENTS.flatMap(({ keys = [] }) => keys), ...Object.values(OTHERS).flat()];
  return all.filter((key) => !own.includes(key));
}

export function taskFlags(agent: string, given: readonly string[]): string[] {
  return [...unlessGiven(profileFor(agent).taskFlags ?? [], given), ...given];
}

const NAMES = ['ralph', 'run-agent'];

/** Read by every bash that runs a command: a login shell, which some agents start, has set the path anew before. */
export const BASH_ENV_NAME = 'bash-env';
export const USERS_BASH_ENV = 'RALPH_USERS_BASH_ENV';

export function toolsFolder(loop: string): string {
  return join(loop, 'bin');
}

export function makeTools(loop: string, self: readonly string[]): string {
  const folder = toolsFolder(loop);
  makePrivateFolder(folder);
  const command = self.map(shellQuote).join(' ');
  writeFile(
    join(folder, BASH_ENV_NAME),
    `if [ -n "\${${USERS_BASH_ENV}:-}" ]; then . "$${USERS_BASH_ENV}"; fi\nPATH=${shellQuote(folder)}:"$PATH"\n`,
    { mode: 0o600 },
  );
  for (const name of NAMES) {
    const path = join(folder, name);
    writeFile(path, `#!/bin/sh\nexec ${command} "$@"\n`);
    chmodSync(path, 0o700);
  }
  return folder;
}
