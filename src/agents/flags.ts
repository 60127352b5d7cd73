/** Combines the flags that a profile wants with the user's own, which take precedence. */
import { plainParser } from './plain/profile.ts';
import type { AgentParser, AgentPlace, AgentProfile } from './profile.ts';

/** One option with its value, if it has one, and the other names under which the user may have given it. */
export interface Wanted {
  readonly words: readonly [option: string, value?: string];
  readonly or?: readonly string[];
}

/** Leaves out every option that the user's flags already have, under any of its names: agents refuse repetitions. */
export function unlessGiven(wanted: readonly Wanted[], given: readonly string[]): string[] {
  return wanted
    .filter(({ words: [option], or = [] }) => ![option, ...or].some((name) => holds(given, name)))
    .flatMap(({ words }) => words.filter((word) => word !== undefined));
}

export function holds(given: readonly string[], option: string): boolean {
  return given.some((flag) => flag === option || flag.startsWith(`${option}=`));
}

/** The remaining dollars, for an agent that enforces a budget itself; nothing if the user has already set one. */
export function budgetFlags(
  { budgetOption }: Pick<AgentProfile, 'budgetOption'>,
  leftUsd: number | undefined,
  { flags, env }: Pick<AgentPlace, 'flags' | 'env'>,
): string[] {
  if (budgetOption === undefined || leftUsd === undefined) return [];
  const { option, unlessVariables } = budgetOption;
  const isElsewhere = unlessVariables.some((name) => !['', '0', 'false'].includes(env[name] ?? ''));
  return isElsewhere ? [] : unlessGiven([{ words: [option, String(leftUsd)] }], flags);
}

export function givenValue(given: readonly string[], ...options: readonly string[]): string | undefined {
  for (let i = given.length - 1; i >= 0; i--) {
    const flag = given[i] ?? '';
    const joined = options.find((option) => flag.startsWith(`${option}=`));
    if (joined !== undefined) return flag.slice(joined.length + 1);
    if (i > 0 && options.includes(given[i - 1] ?? '')) return flag;
  }
  return undefined;
}

/** For an agent that takes its prompt from stdin in any mode. */
export function promptOnStdin(wanted: readonly Wanted[], ...words: readonly string[]): AgentProfile['commandLine'] {
  return ({ command, flags }) => ({
    argv: [command, ...words, ...unlessGiven(wanted, flags), ...flags],
    promptOnStdin: true,
  });
}

/** If the user's flags ask for a format other than ours, the output is read as plain text. */
export function inFormat(
  options: readonly string[],
  format: string,
  structured: () => AgentParser,
  otherwise: () => AgentParser = plainParser,
): AgentProfile['parser'] {
  return ({ flags }) => ((givenValue(flags, ...options) ?? format) === format ? structured() : otherwise());
}
