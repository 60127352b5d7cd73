/** What a kind of check consists of: its keys in the settings, a label for each check, and how it is run. */
import type { CheckForm, CheckKey, CheckKeys, CheckOutcome, CheckValues } from '../core/check.ts';
import type { CommandRun } from '../process/command.ts';
import type { Host } from '../process/host.ts';

export interface CheckKind<Keys extends CheckKeys = CheckKeys> extends CheckForm {
  readonly keys: Keys;
  /** The name of a check for people and the agent, also used in the name of its log. */
  label(given: GivenOf<Keys>): string;
  /**
   * Null if the signal ended it before it had a result. It runs outside of the loop's sandbox: start programs through
   * `host`, and expect files to be links or pipes of the agent's. An error that it throws ends the loop.
   */
  run(given: GivenOf<Keys>, place: CheckPlace, host: Host): Promise<CheckFound | null>;
}

/** `output` is the log: a program that is run for the check writes to it. */
export type CheckPlace = Omit<CommandRun, 'argv' | 'outside'>;

export interface CheckFound {
  readonly outcome: CheckOutcome;
  /** The complete text of the log; absent if a program has written it. */
  readonly log?: string;
}

export type GivenOf<Keys extends CheckKeys> = { readonly [Name in keyof Keys]: ValueOf<Keys[Name]> };
type ValueOf<Key extends CheckKey> = CheckValues[Key['is']] | (Key extends { optional: true } ? undefined : never);

/** Lets the compiler infer the arguments of `label` and `run` from the keys. */
export function checkKind<const Keys extends CheckKeys>(kind: CheckKind<Keys>): CheckKind<Keys> {
  return kind;
}
