/** The environment mark by which a run's processes are found when nothing stronger holds them. */

/** Holds the marks of all runs a process descends from, so that a loop inside a loop still belongs to the outer one. */
export const MARK_VARIABLE = 'RALPH_MARK';

export function markedEnvironment(inherited: string | undefined, mark: string): string {
  return inherited === undefined ? mark : `${inherited} ${mark}`;
}
