/**
 * Guardrails that cannot be run at all. Once is normal in a new project, where the agent may still write the script;
 * twice in a row, with nothing changed in between, no further iteration will change it.
 */
import type { Checked } from '../../core/check.ts';
import type { Ending } from '../../core/ending.ts';

/** A guardrail that could not be run, and what the work tree was then. */
export interface Unrunnable {
  readonly command: string;
  readonly code: number;
  readonly log: string;
  readonly tree: string;
}

/** Not executable, not found: what a shell says about it. */
const CODES = { 126: 'cannot be executed', 127: 'command not found' } as const;

/** Null for any other outcome, and where it is not known whether anything has changed. */
export function unrunnable(command: string, { outcome, log }: Checked): Unrunnable | null {
  if (outcome.is !== 'unrunnable' || outcome.tree === undefined) return null;
  return { command, code: outcome.code, log, tree: outcome.tree };
}

export function endingOf(before: readonly Unrunnable[], now: readonly Unrunnable[]): Ending | null {
  const same = now.find(({ command, tree }) => before.some((one) => one.command === command && one.tree === tree));
  if (same === undefined) return null;
  const { command, code, log } = same;
  const what = CODES[code as keyof typeof CODES];
  return {
    kind: 'configuration',
    reason: `guardrail "${command}" could not be run twice in a row (exit ${code}: ${what}), and the agent changed nothing`,
    hint: `Install what it needs, or fix guardrails in .ralph/settings.json. What it printed is in ${log}.`,
  };
}
