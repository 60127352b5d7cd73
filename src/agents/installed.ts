/** Finds an installed agent, and the flags to run it unattended, read-only or with another model. */
import { RalphError } from '../core/error.ts';
import { findProgram } from '../process/which.ts';
import { holds } from './flags.ts';
import { AGENTS, profileFor } from './index.ts';
import type { AgentProfile } from './profile.ts';

/** The first agent of the list that is installed; null if there is none. */
export function installedAgent(path: string | undefined, cwd: string): AgentProfile | null {
  return AGENTS.find(({ name }) => findProgram(name, path, cwd) !== null) ?? null;
}

export function noAgentInstalled(): RalphError {
  const width = Math.max(...AGENTS.map(({ title }) => title.length));
  const lines = AGENTS.flatMap(({ title, install }) =>
    install === null ? [] : `  ${title.padEnd(width)}  ${install}`,
  );
  const hint = ['Install one of these, or name any other command with --agent:', ...lines].join('\n');
  return new RalphError('NO_AGENT', 'no coding agent is installed', { hint });
}

/** The flags that let an agent work without asking; none if the user's own flags already set its permissions. */
export function unattendedFlags(command: string, given: readonly string[]): readonly string[] {
  const { autonomy = [], permissionOptions = [] } = profileFor(command);
  return [...autonomy, ...permissionOptions].some((option) => holds(given, option)) ? [] : autonomy;
}

/** The user's flags with those for permissions replaced by read-only ones; null if the agent has none. */
export function readOnlyFlags(
  command: string,
  flags: readonly string[],
  isEnclosed: boolean,
): readonly string[] | null {
  const { readOnly } = profileFor(command);
  if (readOnly === undefined || (isEnclosed && readOnly.isOwnSandbox === true)) return null;
  const { words, flags: others, options } = readOnly.instead;
  const kept = flags.filter((flag, at) => {
    const isValue = at > 0 && options.includes(flags[at - 1] ?? '');
    return !isValue && ![...others, ...options].some((option) => holds([flag], option));
  });
  return [...words, ...kept];
}

/** Replaces a model that the flags name: agents refuse a flag that is given twice. */
export function withModel(
  command: string,
  flags: readonly string[],
  model: string,
  hint = 'Put the flag into agent.flags in .ralph/settings.json instead.',
): string[] {
  const { modelOption, title, install } = profileFor(command);
  if (modelOption === undefined) {
    const who = install === null ? command : title;
    throw new RalphError('MODEL', `--model cannot be passed on: the model flag of ${who} is not known`, { hint });
  }
  const others = flags.filter((flag, at) => {
    const isValue = at > 0 && modelOption.includes(flags[at - 1] ?? '');
    return !isValue && !modelOption.some((option) => holds([flag], option));
  });
  return [modelOption[0], model, ...others];
}
