/** What a kind of check is: its keys in the settings, what a check of it is called, and how it finds out. */
import type { CheckForm, CheckKey, CheckKeys, CheckOutcome, CheckValues } from '../core/check.ts';
import type { CommandRun } from '../process/command.ts';
import type { Host } from '../process/host.ts';

export interface CheckKind<Keys extends CheckKeys = CheckKeys> extends CheckForm {
  readonly keys: Keys;
  /** What people and the agent know it by, also in the name of its log. */
  label(given: GivenOf<Keys>): string;
  /**
   * Null when the signal ended it before it could say anything. It runs outside of the loop's sandbox: what it starts
   * goes through `host`, and what it reads may be a link or a pipe of the agent's. An error that it throws ends the loop.
   */
  run(given: GivenOf<Keys>, place: CheckPlace, host: Host): Promise<CheckFound | null>;
}

/** The log is `output`: whatever runs a program for the check has it written there. */
export type CheckPlace = Omit<CommandRun, 'argv' | 'outside'>;

export interface CheckFound {
  readonly outcome: CheckOutcome;
  /** The whole text of the log; absent where a program has written it. */
  readonly log?: string;
}

export type GivenOf<Keys extends CheckKeys> = { readonly [Name in keyof Keys]: ValueOf<Keys[Name]> };
type ValueOf<Key extends CheckKey> = CheckValues[Key['is']] | (Key extends { optional: true } ? undefined : never);

/** Has the compiler tell `label` and `run` what the keys hold. */
export function checkKind<const Keys extends CheckKeys>(kind: CheckKind<Keys>): CheckKind<Keys> {
  return kind;
}
