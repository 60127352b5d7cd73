/** What an agent of a task finds: the names of its run in its environment, old and new, no keys of other agents, and `ralph` on its path. */

import { chmodSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { unlessGiven } from '../../agents/flags.ts';
import { AGENTS, profileFor } from '../../agents/index.ts';
import { shellQuote } from '../../core/text/quote-word.ts';
import { writeFile } from '../../process/files.ts';
import { makePrivateFolder } from '../../state/folders.ts';
import { taskFile } from './folder/task-folder.ts';
import type { TaskRequest } from './rules.ts';
import { runFolder } from './runs/run-folder.ts';

export type RunOwner = Pick<TaskRequest, 'project' | 'task' | 'folder' | 'bus' | 'agent' | 'parentRunId'>;

export function runVariables({ project, task, folder, bus, parentRunId }: RunOwner, runId: string) {
  return {
    JRUN_TASK_FOLDER: folder,
    JRUN_RUN_FOLDER: runFolder(folder, runId),
    JRUN_PROJECT_ID: project,
    JRUN_TASK_ID: task,
    JRUN_ID: runId,
    ...(parentRunId === null ? {} : { JRUN_PARENT_ID: parentRunId }),
    JRUN_RUNS_DIR: taskFile.runs(folder),
    JRUN_MESSAGE_BUS: bus,
  };
}

/** `undefined` takes a variable out. */
export function agentEnvironment(
  owner: RunOwner,
  runId: string,
  { PATH, BASH_ENV }: { readonly PATH?: string | undefined; readonly BASH_ENV?: string | undefined },
  tools: string,
): Record<string, string | undefined> {
  const variables = runVariables(owner, runId);
  return {
    ...Object.fromEntries(foreignKeys(owner.agent).map((name) => [name, undefined])),
    // A run is no part of the session that ralph was started in.
    CLAUDECODE: undefined,
    JRUN_PARENT_ID: undefined,
    ...variables,
    // Their names before the prefix came.
    RUNS_DIR: variables.JRUN_RUNS_DIR,
    MESSAGE_BUS: variables.JRUN_MESSAGE_BUS,
    TASK_FOLDER: variables.JRUN_TASK_FOLDER,
    RUN_FOLDER: variables.JRUN_RUN_FOLDER,
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

/** With them an agent works without asking; what a user gives wins. */
export function taskFlags(agent: string, given: readonly string[]): string[] {
  return [...unlessGiven(profileFor(agent).taskFlags ?? [], given), ...given];
}

/** A folder on an agent's path holds our program by its name, and by the one of old prompts. */
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
