/**
 * The environment of a task's agent: variables that name its run (old and new names), no API keys of other agents, and
 * `ralph` on its PATH.
 */
import { chmodSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { unlessGiven } from '../../agents/flags.ts';
import { AGENTS, profileFor } from '../../agents/index.ts';
import { shellQuote } from '../../core/text/quote-word.ts';
import { writeFile } from '../../process/files.ts';
import { makePrivateFolder } from '../../state/folders.ts';
import { runFolder, taskFile } from './folder/task-folder.ts';
import type { TaskRequest } from './request.ts';

export type RunOwner = Pick<TaskRequest, 'project' | 'task' | 'folder' | 'bus' | 'agent' | 'parentRunId'>;

/** The names of our program on an agent's PATH: its own, and the one that old prompts use. */
const NAMES = ['ralph', 'run-agent'];

/** Read by every bash that runs a command. Some agents start a login shell, which has reset PATH before that. */
export const BASH_ENV_NAME = 'bash-env';
export const USERS_BASH_ENV = 'RALPH_USERS_BASH_ENV';

/** API keys of seed 002's agents for which there is no profile. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  perplexity: ['PERPLEXITY_API_KEY'],
  xai: ['XAI_API_KEY'],
};

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

/** `undefined` removes a variable. */
export function agentEnvironment(owner: RunOwner, runId: string, { PATH, BASH_ENV }: NodeJS.ProcessEnv, tools: string) {
  const variables = runVariables(owner, runId);
  return {
    ...Object.fromEntries(foreignKeys(owner.agent).map((name) => [name, undefined])),
    // A run is not part of the session in which ralph was started.
    ...Object.fromEntries(
      AGENTS.flatMap(({ session }) => (session?.mark === undefined ? [] : [[session.mark, undefined]])),
    ),
    JRUN_PARENT_ID: undefined,
    ...variables,
    // The old names, without the prefix.
    RUNS_DIR: variables.JRUN_RUNS_DIR,
    MESSAGE_BUS: variables.JRUN_MESSAGE_BUS,
    TASK_FOLDER: variables.JRUN_TASK_FOLDER,
    RUN_FOLDER: variables.JRUN_RUN_FOLDER,
    PATH: `${tools}${delimiter}${PATH ?? ''}`,
    BASH_ENV: join(tools, BASH_ENV_NAME),
    [USERS_BASH_ENV]: BASH_ENV,
  };
}

/** The keys of other agents. None for an agent that can use any model: it may need all of them. */
function foreignKeys(agent: string): string[] {
  const own = profileFor(agent).keys ?? OTHERS[basename(agent)];
  if (own === undefined) return [];
  const all = [...AGENTS.flatMap(({ keys = [] }) => keys), ...Object.values(OTHERS).flat()];
  return all.filter((key) => !own.includes(key));
}

/** Adds the flags with which an agent works without asking for permission; the user's own flags take precedence. */
export function taskFlags(agent: string, given: readonly string[]): string[] {
  return [...unlessGiven(profileFor(agent).taskFlags ?? [], given), ...given];
}

export function toolsFolder(loop: string): string {
  return join(loop, 'bin');
}

export function makeTools(loop: string, self: readonly string[]): string {
  const folder = toolsFolder(loop);
  makePrivateFolder(folder);
  const usersOwn = `if [ -n "\${${USERS_BASH_ENV}:-}" ]; then . "$${USERS_BASH_ENV}"; fi`;
  writeFile(join(folder, BASH_ENV_NAME), `${usersOwn}\nPATH=${shellQuote(folder)}:"$PATH"\n`, { mode: 0o600 });
  for (const name of NAMES) {
    const path = join(folder, name);
    writeFile(path, `#!/bin/sh\nexec ${self.map(shellQuote).join(' ')} "$@"\n`);
    chmodSync(path, 0o700);
  }
  return folder;
}

/** Adds the text before a task's own prompt. Without tools, an agent cannot post to the bus or ask for jobs. */
export function withPreamble(owner: RunOwner, runId: string, hasTools: boolean, prompt: string): string {
  const variables = runVariables(owner, runId);
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return `${lines.join('\n')}
Write output.md to ${variables.JRUN_RUN_FOLDER}/output.md

${hasTools ? tools(owner.agent) : ''}## Completion
When done, create: ${owner.folder}/DONE
Without that file you are started again, whatever you say. To wait for a person instead, exit with code 42 or create
${owner.folder}/WAIT_WITHOUT_RESTART

---

${prompt.trim()}
`;
}

function tools(agent: string): string {
  return `## Message Bus
Say how it goes, in short messages that others read while you work:
  ralph bus post --type PROGRESS --body "what you are at"
  ralph bus post --type FACT --body "something you found out or finished"
  ralph bus post --type DECISION --body "what you chose, and why"
  ralph bus post --type ERROR --body "what went wrong"
Types: FACT, PROGRESS, DECISION, ERROR, QUESTION, INFO
The bus is found by JRUN_MESSAGE_BUS; nothing else has to be given.

## Sub-Agent Spawning (RLM Pattern)
Work that falls into independent parts can be given to agents of its own, several at a time:
  ralph job --project $JRUN_PROJECT_ID --task $JRUN_TASK_ID --parent-run-id $JRUN_ID --agent ${agent} --prompt "one part, described whole"
Each ends with an output.md in its run's folder. Find the natural borders first, start the parts in parallel, then put
their results together. You may end before they do: they are waited for.

`;
}
