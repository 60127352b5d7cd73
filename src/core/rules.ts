/** What a front door brings to the crank: pure rules, and nothing else. */
import type { AgentChoice, CheckSpec, Listen, PublishSpec, ScreenWatch } from './action.ts';
import type { Ending } from './ending.ts';
import type { Json } from './json.ts';
import type { Purpose } from './keys.ts';
import type { Checked, Created, Published, Ran } from './record.ts';
import type { LoopState } from './state.ts';
import type { Duration } from './time.ts';

export interface DoorRules<Data> {
  readonly door: string;
  begin(created: Created): Data;
  takeInputs(data: Data, inputs: Json): Data;
  /** How many iterations the loop may take. */
  limit(data: Data): number;
  /** A second, in tests less: the unit of the back-off. */
  backoffUnit(data: Data): Duration;
  agent(state: LoopState<Data>, purpose: Purpose): AgentChoice;
  prompt(state: LoopState<Data>, purpose: Purpose): string;
  listen(state: LoopState<Data>, purpose: Purpose): Listen;
  /** How long a run may take; null for as long as it likes. */
  timeout(state: LoopState<Data>, purpose: Purpose): Duration | null;
  /** For doors whose runs are seen on a screen. */
  screen?(state: LoopState<Data>): ScreenWatch;
  /** The limit may be raised while the last iteration runs: it is read again before the loop ends by it. */
  readonly rereadsLimit?: boolean;
  check(state: LoopState<Data>, index: number): CheckSpec;
  publish(state: LoopState<Data>, index: number): PublishSpec;
  /** The work of an iteration is finished (`worked`), or a run of another purpose ended in whatever way. */
  afterRun(state: LoopState<Data>, purpose: Purpose, ran: Ran): Step<Data>;
  afterCheck(state: LoopState<Data>, checked: Checked): Step<Data>;
  afterPublish(state: LoopState<Data>, published: Published): Step<Data>;
}

export interface Step<Data> {
  readonly data: Data;
  readonly go: Go;
}

export type Go =
  | { readonly to: 'run'; readonly purpose: Purpose }
  | { readonly to: 'check'; readonly index: number }
  | { readonly to: 'publish'; readonly index: number }
  /** This iteration is over and the work is not done. */
  | { readonly to: 'next-iteration' }
  | { readonly to: 'end'; readonly ending: Ending };
