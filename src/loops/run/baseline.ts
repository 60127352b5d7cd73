/** What the guardrails say before the first iteration: what is red then is not the agent's doing. Pure. */
import { type Checked, describeOutcome, hasPassed, logSlug } from '../../core/check.ts';
import type { Feedback } from '../../core/prompt/prompt.ts';
import type { RunData } from './state.ts';

/** `show`: people and the agent are told which guardrails are red. `excuse`: also, these do not count while red. */
export type BaselineUse = 'show' | 'excuse';

export interface Baseline {
  /** How many guardrails have been run for the baseline. */
  readonly checked: number;
  /** Those that were red, and have not passed since. */
  readonly red: readonly RedBefore[];
}

export type RedBefore = Pick<Feedback, 'command' | 'how' | 'log'> & Pick<Checked, 'outcome'>;

export const NO_BASELINE: Baseline = { checked: 0, red: [] };

/** The prefix keeps it apart from the logs of iterations. */
export const baselineLog = (index: number, command: string): string =>
  `.ralph/baseline_${index}_${logSlug(command)}.log`;

export function withChecked({ checked: count, red }: Baseline, command: string, checked: Checked): Baseline {
  const { outcome, log } = checked;
  const more = hasPassed(checked) ? [] : [{ command, how: describeOutcome(outcome), log, outcome }];
  return { checked: count + 1, red: [...red, ...more] };
}

/** Once a guardrail has passed, the agent has to keep it green. */
export function afterPass({ checked, red }: Baseline, command: string): Baseline {
  return { checked, red: red.filter((one) => one.command !== command) };
}

/** The guardrails that do not count. A witness always counts: it is meant to be red before the work. */
export function excusedOf({ request, baseline, inputs }: Pick<RunData, 'request' | 'baseline' | 'inputs'>) {
  if (request.baseline !== 'excuse') return [];
  const isWitness = (command: string): boolean =>
    inputs?.guardrails.some((one) => one.command === command && one.isWitness === true) === true;
  return baseline.red.filter(({ command }) => !isWitness(command));
}

/** The prompt's section about red guardrails; empty if there are none. */
export function baselineSection(red: readonly RedBefore[], isExcused: boolean): string[] {
  if (red.length === 0) return [];
  const names = red.map(({ command, how }) => `- ${command} (${how})`);
  const [were, they] = red.length === 1 ? ['This check was', 'It does'] : ['These checks were', 'They do'];
  const excuse = isExcused ? [`${they} not count: what is wrong there is not part of your task.`] : [];
  return [[`${were} already red before the first iteration:`, ...names, ...excuse].join('\n')];
}
