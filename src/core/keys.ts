/** Names of the things a loop does, each unique within its loop: a memo is found by its key. */

/** What a run of an agent is for: `work`, or a loop kind's own word such as `message`. */
export type Purpose = string;

/** Names one start of an agent. It is started at most once; an interrupted try gets a new key. */
export interface RunKey {
  readonly loop: string;
  readonly iteration: number;
  readonly purpose: Purpose;
  readonly try: number;
}

export function runName(run: RunKey): string {
  return `${run.iteration}/${run.purpose}/${run.try}`;
}
