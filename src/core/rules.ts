/** What a front door brings to the machine: pure rules, and nothing else. */
import type { AgentChoice, CheckSpec, CommitScope, Listen, PublishSpec, ScreenWatch } from './action.ts';
import type { Ending } from './ending.ts';
import type { Json } from './json.ts';
import type { Purpose } from './keys.ts';
import type { Checked, Created, Published, Ran } from './record.ts';
import type { LoopState } from './state.ts';
import type { Duration } from './time.ts';

export interface LoopRules<Data> {
  readonly loopKind: string;
  begin(created: Created): Data;
  takeInputs(data: Data, inputs: Json): Data;
  /** Takes the options with which a loop is continued. */
  takeOptions?(data: Data, options: Json): Data;
  /** May turn the loop elsewhere before the limit is looked at and work begins; null lets it begin. */
  afterInputs?(state: LoopState<Data>): Step<Data> | null;
  /** How many iterations the loop may take. */
  limit(data: Data): number;
  /** A second, in tests less: the unit of the back-off. */
  backoffUnit(data: Data): Duration;
  agent(state: LoopState<Data>, purpose: Purpose): AgentChoice;
  prompt(state: LoopState<Data>, purpose: Purpose): string;
  listen(state: LoopState<Data>, purpose: Purpose): Listen;
  /** A run that only makes sense where there is something to commit. */
  unlessClean?(state: LoopState<Data>, purpose: Purpose): CommitScope | null;
  /** How long a run may take; null for as long as it likes. */
  timeout(state: LoopState<Data>, purpose: Purpose): Duration | null;
  /** How long a run may print nothing. */
  idle?(state: LoopState<Data>): Duration | null;
  /** For doors whose runs are seen on a screen. */
  screen?(state: LoopState<Data>): ScreenWatch;
  /**
   * The limit, or what else ends a loop, may change while the last iteration runs: the inputs are read again before the
   * loop ends by its limit, at once or after the pause between iterations.
   */
  readonly rereadsLimit?: 'at-once' | 'after-rest';
  /** The pause between two iterations; none unless given. */
  rest?(data: Data): Duration;
  check(state: LoopState<Data>, index: number): CheckSpec;
  publish(state: LoopState<Data>, index: number): PublishSpec;
  /** The work of an iteration is finished (`worked`), or a run of another purpose ended in whatever way. */
  afterRun(state: LoopState<Data>, purpose: Purpose, ran: Ran): Step<Data>;
  /**
   * For doors that start again after whatever came of a run: decides on every outcome but an interruption. Without it
   * failures are backed off from, and faults go their own ways.
   */
  afterEveryRun?(state: LoopState<Data>, ran: Ran): Step<Data>;
  /** What came of a run counts only once the door says `as-usual`: it looks first at what the run left behind. */
  readonly deferFailureCount?: true;
  /** A run was not started, because there was nothing to commit. */
  afterNeedless?(state: LoopState<Data>, purpose: Purpose): Step<Data>;
  afterCheck(state: LoopState<Data>, checked: Checked): Step<Data>;
  afterPublish(state: LoopState<Data>, published: Published): Step<Data>;
  step?(state: LoopState<Data>, what: string): StepSpec;
  afterStep?(state: LoopState<Data>, what: string, gave: Json): Step<Data>;
}

/** What a step of the door's own is given. */
export interface StepSpec {
  readonly given: Json;
  readonly outward: boolean;
}

export interface Step<Data> {
  readonly data: Data;
  readonly go: Go;
}

export type Go =
  | { readonly to: 'run'; readonly purpose: Purpose }
  | { readonly to: 'check'; readonly index: number }
  | { readonly to: 'publish'; readonly index: number }
  | { readonly to: 'step'; readonly what: string }
  /** This iteration is over and the work is not done. */
  | { readonly to: 'next-iteration' }
  /** The same iteration again, under a new try. */
  | { readonly to: 'again' }
  /** What the crank does about such a run by itself: on with the work, back off, try again, end. */
  | { readonly to: 'default'; readonly ran: Ran }
  | { readonly to: 'end'; readonly ending: Ending };
