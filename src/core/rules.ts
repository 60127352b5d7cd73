/** What a loop kind brings to the loop machine: pure rules, and nothing else. Rules that a kind does not need are absent. */
import type {
  AgentChoice,
  CommitScope,
  Handle,
  Listen,
  PublishSpec,
  Purpose,
  RunLimits,
  ScreenWatch,
} from './action.ts';
import type { LoopTerms } from './budget/terms.ts';
import type { Checked, CheckSpec } from './check.ts';
import type { Ending } from './ending.ts';
import type { OutagePolicy } from './faults/outage.ts';
import type { OnStuck } from './progress/progress.ts';
import type { Published, Ran, TreeRecord } from './record.ts';
import type { LoopState } from './state.ts';
import type { Duration } from './time.ts';

/** The steps of a loop kind's own: what each is given by the rules, and what it gives back, as plain data. */
export type StepTypes = Readonly<Record<string, { readonly given: unknown; readonly gave: unknown }>>;
// oxlint-disable-next-line typescript/no-generated-empty-object-type -- a table without an entry is what is meant
export type NoSteps = Pick<StepTypes, never>;
type NameOf<Steps> = keyof Steps & string;

/** `Request` is what the loop was started with, `Inputs` what it reads before every iteration: plain data of the journal. */
export interface LoopRules<Data, Steps extends StepTypes = NoSteps, Request = unknown, Inputs = unknown> {
  readonly loopKind: string;
  begin(request: Request): Data;
  takeInputs(data: Data, inputs: Inputs): Data;
  /** What lists and screens say of the loop. */
  about?(data: Data): LoopAbout;
  /** Is this how its agent says that it is done? Absent where it says so otherwise, such as by a file. */
  isClaim?(data: Data, heard: string | null): boolean;
  /** What a step of its own came to, for people; null for nothing that they would look for. */
  stepSummary?(step: SteppedOf<Steps>): StepSummary | null;
  /** Where a run's output lies, if not in the loop's own folder beside the others'. */
  transcript?(data: Data, handle: Handle): string | null;
  /** What the reader of the inputs has to know; plain data. */
  inputsGiven?(data: Data, terms: LoopTerms): unknown;
  /** A run was started. */
  takeHandle?(data: Data, handle: Handle, started: StartedRun): Data;
  /** The loop stood still, in a pause or without a supervisor: a person has had time to edit. */
  afterStandstill?(data: Data): Data;
  /** A person has answered what it asked. Without it the answer stands below the next prompt of the work, once. */
  consumeAnswer?(data: Data, answer: string): Data;
  /** Takes the part of the request with which a loop is continued. */
  takeOptions?(data: Data, options: Partial<Request>): Data;
  /** Once it is continued: is something of its last iteration left to do, such as a proof that is made again? */
  hasMoreToDo?(data: Data): boolean;
  /** May turn the loop elsewhere before the limit is looked at and work begins; null lets it begin. */
  afterInputs?(state: LoopState<Data>): Step<Data, NameOf<Steps>> | null;
  /** How many iterations the loop may take. */
  limit(data: Data): number;
  /** The first pause of a back-off: a second unless given; in tests less. */
  backoffUnit?(data: Data): Duration;
  /** After how long a hanging agent is ended, unless the person who started the loop says otherwise; absent for never. */
  readonly hangAfter?: Duration;
  /** How it waits out faults that are not the work's; without it five in a row, or a usage limit, end the loop. */
  outages?(data: Data): OutagePolicy;
  /** What it does when it gets nowhere; unless given, what its terms say. `pivot` needs a prompt for a run of that purpose. */
  onStuck?(data: Data): OnStuck;
  /** A pivot has ended in whatever way. Without it the next iteration comes. */
  afterPivot?(state: LoopState<Data>): Step<Data, NameOf<Steps>>;
  agent(state: LoopState<Data>, purpose: Purpose): AgentChoice;
  prompt(state: LoopState<Data>, purpose: Purpose): string;
  listen(state: LoopState<Data>, purpose: Purpose): Listen;
  /** A run that only makes sense where there is something to commit. */
  unlessClean?(state: LoopState<Data>, purpose: Purpose): CommitScope | null;
  limits?(state: LoopState<Data>, purpose: Purpose): RunLimits;
  screen?(state: LoopState<Data>): ScreenWatch;
  /** Before the loop ends by its limit, the inputs are read again, which may change it: at once, or after the rest. */
  readonly rereadsLimit?: 'at-once' | 'after-rest';
  /** The pause between two iterations. */
  rest?(data: Data): Duration;
  /** The work of an iteration is finished (`worked`), or a run of another purpose ended in whatever way. */
  afterRun?(state: LoopState<Data>, purpose: Purpose, ran: Ran): Step<Data, NameOf<Steps>>;
  /** Decides on every outcome but an interruption. Without it failures are backed off from, and faults go their own ways. */
  afterEveryRun?(state: LoopState<Data>, ran: Ran): Step<Data, NameOf<Steps>>;
  /** What came of a run counts only once the rules say `default`: they look first at what the run left behind. */
  readonly deferFailureCount?: true;
  /** A run was not started, because there was nothing to commit. */
  afterNeedless?(state: LoopState<Data>, purpose: Purpose): Step<Data, NameOf<Steps>>;
  readonly checks?: ListRule<Data, CheckSpec, Checked, NameOf<Steps>> & {
    /** It may fail: whether the loop gets on is not seen by it. */
    isExcused?(state: LoopState<Data>, checked: Checked): boolean;
  };
  readonly publishing?: ListRule<Data, PublishSpec, Published, NameOf<Steps>>;
  readonly steps?: StepRules<Data, Steps>;
}

export interface StartedRun {
  readonly purpose: Purpose;
  /** The work tree before it; null where that was not kept for this run. */
  readonly tree: TreeRecord | null;
}

export interface LoopAbout {
  /** What it was asked: the whole prompt, or where that stands; null where that is not known yet. */
  readonly task: string | null;
  /** As people call it: the name of a worker, the id of a task. */
  readonly name?: string;
  /** How many iterations it may take; null where that is not known yet. */
  readonly limit: number | null;
  /** The command that starts its agent. */
  readonly agent: string | null;
  /** Where its agent works, if not in the loop's own directory. */
  readonly cwd?: string;
  /** Where the person was who started it, if the loop works elsewhere: in a worktree made for it. */
  readonly startedFrom?: string;
  /** The commands by which its work is judged, by their index. */
  readonly checks?: readonly string[];
  /** How its agent says that it is done. */
  readonly claim?: string;
}

/** What a proof of a claim came to. */
export interface ProofSummary {
  readonly passed: boolean;
  /** The commit of the project that was checked out; null for a snapshot of the work tree, or for nothing. */
  readonly commit: string | null;
  /** Why it does not hold, one sentence each. */
  readonly findings: readonly string[];
}

export interface StepSummary {
  /** In two words, such as `US-001 approved`. */
  readonly words?: string | undefined;
  readonly isProven?: boolean;
  /** Its time is that of checks. */
  readonly isChecking?: true;
  /** It proved a claim. */
  readonly proof?: ProofSummary;
  /** The commit that was checked out before the work, or after it. */
  readonly headBefore?: string | null;
  readonly headAfter?: string | null;
}

/** For what is done one by one, by its index. */
interface ListRule<Data, Spec, Gave, What extends string> {
  spec(state: LoopState<Data>, index: number): Spec;
  after(state: LoopState<Data>, gave: Gave): Step<Data, What>;
}

export type StepRules<Data, Steps extends StepTypes> = {
  readonly [What in NameOf<Steps>]: StepRule<Data, Steps[What]['given'], Steps[What]['gave'], NameOf<Steps>>;
};

/** A record of one of these steps, for views of the loop kind that has them. */
export type SteppedOf<Steps extends StepTypes> = {
  readonly [What in NameOf<Steps>]: { readonly what: What; readonly gave: Steps[What]['gave'] };
}[NameOf<Steps>];

export interface StepRule<Data, Given, Gave, What extends string = string> {
  given(state: LoopState<Data>): Given;
  /** Others see what it does: the reason for it must be safe on the disk first. */
  readonly outward?: true;
  /** It only waits for something: a command to pause or stop need not wait with it. */
  readonly isWait?: true;
  after(state: LoopState<Data>, gave: Gave): Step<Data, What>;
}

export interface Step<Data, What extends string = never> {
  readonly data: Data;
  readonly go: Go<What>;
}

export type Go<What extends string = never> =
  | { readonly to: 'run'; readonly purpose: Purpose }
  /** `isBaseline`: before the first iteration, under a key of its own. */
  | { readonly to: 'check'; readonly index: number; readonly isBaseline?: true }
  | { readonly to: 'publish'; readonly index: number }
  | { readonly to: 'step'; readonly what: What }
  /** This iteration is over and the work is not done. */
  | { readonly to: 'next-iteration' }
  /** The same iteration again, under a new try. */
  | { readonly to: 'again' }
  /** The same iteration again, once a person has answered. */
  | { readonly to: 'ask'; readonly question: string }
  /** What the machine does about such a run by itself: on with the work, back off, try again, end. */
  | { readonly to: 'default'; readonly ran: Ran }
  | { readonly to: 'end'; readonly ending: Ending };

/** When an agent cannot go on without a person: `ask` and wait for the answer, or end the loop with the question. */
export type OnBlocked = 'wait' | 'end';

/** Any loop kind's rules, as far as the machine needs to know them. */
export type AnyRules<Data> = Omit<LoopRules<Data, StepTypes>, 'steps'> & {
  readonly steps?: Readonly<Record<string, StepRule<Data, unknown, unknown>>>;
};

export function ruleOf<Data, Name extends 'afterRun' | 'afterNeedless' | 'checks' | 'publishing'>(
  rules: AnyRules<Data>,
  name: Name,
): NonNullable<AnyRules<Data>[Name]> {
  const rule = rules[name];
  if (rule === undefined) throw new Error(`the loop kind "${rules.loopKind}" has no rule "${name}"`);
  return rule;
}

export function stepRule<Data>({ loopKind, steps }: AnyRules<Data>, what: string): StepRule<Data, unknown, unknown> {
  const rule = steps !== undefined && Object.hasOwn(steps, what) ? steps[what] : undefined;
  if (rule === undefined) throw new Error(`the loop kind "${loopKind}" has no step "${what}"`);
  return rule;
}
