/** What a failed guardrail means for the next prompt, and when one that cannot be run at all ends the loop. */
import {
  type AskedCheck,
  type Checked,
  COMMAND,
  codeOfOutcome,
  describeOutcome,
  hasPassed,
  logSlug,
} from '../../core/check.ts';
import type { Ending } from '../../core/ending.ts';
import type { FailAction, Feedback } from '../../core/prompt/prompt.ts';

export interface Guardrail {
  /** Its name for people and the agent: the command, or for another kind of check the label that the kind gives it. */
  readonly command: string;
  /** Absent for a command. */
  readonly check?: AskedCheck;
  readonly failAction: FailAction;
  readonly hint: string | null;
  readonly timeoutMs: number | null;
  /** It must fail before the work begins; otherwise passing later shows nothing. */
  readonly isWitness?: true;
}

export function checkOf({ command, check }: Pick<Guardrail, 'command' | 'check'>): AskedCheck {
  return check ?? { kind: COMMAND, given: { command } };
}

/** Where a guardrail's output goes: `.ralph/guardrail_<iteration>_<slug>.log`, each name once per iteration. */
export function guardrailLog(iteration: number, commands: readonly string[], index: number): string {
  const taken = new Set<string>();
  let name = '';
  for (const command of commands.slice(0, index + 1)) {
    const slug = logSlug(command);
    name = slug;
    for (let twin = 1; taken.has(name); twin++) name = `${slug}_${twin}`;
    taken.add(name);
  }
  return `.ralph/guardrail_${String(iteration).padStart(3, '0')}_${name}.log`;
}

/** `isEnd`: the end of the output was kept, not the start. */
export function feedbackOf({ command, failAction, hint }: Guardrail, checked: Checked, isEnd = false): Feedback[] {
  if (hasPassed(checked)) return [];
  const { outcome, log, output, truncated } = checked;
  const said = { exitCode: codeOfOutcome(outcome), how: describeOutcome(outcome), log, output, truncated };
  return [{ command, failAction, hint, ...said, ...(isEnd ? { isEnd } : {}) }];
}

/** A guardrail that could not be run, and the hash of the work tree at that time. */
export interface Unrunnable {
  readonly command: string;
  readonly code: number;
  readonly log: string;
  readonly tree: string;
}

/** Empty for any other outcome, and if the tree is unknown: then a change cannot be noticed. */
export function unrunnableIn({ command }: Guardrail, { outcome, log }: Checked): Unrunnable[] {
  if (outcome.is !== 'unrunnable' || outcome.tree === undefined) return [];
  return [{ command, code: outcome.code, log, tree: outcome.tree }];
}

/**
 * Once is normal: the agent may still have to write the script. After two times in a row on an unchanged work tree,
 * no further iteration will help.
 */
export function endingOf(before: readonly Unrunnable[], now: readonly Unrunnable[], isChosen = false): Ending | null {
  const same = now.find(({ command, tree }) => before.some((one) => one.command === command && one.tree === tree));
  if (same === undefined) return null;
  const { command, code, log } = same;
  const what = code === 126 ? 'cannot be executed' : 'command not found';
  return {
    kind: 'configuration',
    reason: `guardrail "${command}" could not be run twice in a row (exit ${code}: ${what}), and the agent changed nothing`,
    hint: `Install what it needs, or ${isChosen ? OTHERS : SETTINGS}. Its output is in ${log}.`,
  };
}

const SETTINGS = 'fix guardrails in .ralph/settings.json';
const OTHERS = 'start again with other checks: ralph run --check …';
