/** The agent that a person meant: the installed one, with the flags to work unattended and with the model they named. */
import { RalphError } from '../core/error.ts';
import { findProgram } from '../process/which.ts';
import { holds } from './flags.ts';
import { AGENTS, profileFor } from './index.ts';
import type { AgentProfile } from './profile.ts';

/** The first of the list that is there; null for none. */
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

/** What makes an agent work without asking; nothing where the user's own flags say what it may do. */
export function unattendedFlags(command: string, given: readonly string[]): readonly string[] {
  const { autonomy = [], permissionOptions = [] } = profileFor(command);
  return [...autonomy, ...permissionOptions].some((option) => holds(given, option)) ? [] : autonomy;
}

/** With which it changes nothing, in place of those that say what it may do; null where it has no such flags. */
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

/** The model takes the place of one that the flags name: agents refuse a flag that comes twice. */
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
