/** What a loop kind brings to the loop machine: pure rules. Those that a kind does not need are absent. */
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

/** The steps that only this loop kind has: what the rules give each, and what it returns, as plain data. */
export type StepTypes = Readonly<Record<string, { readonly given: unknown; readonly gave: unknown }>>;
// oxlint-disable-next-line typescript/no-generated-empty-object-type -- a table without an entry is what is meant
export type NoSteps = Pick<StepTypes, never>;
type NameOf<Steps> = keyof Steps & string;

/** `Request`: what the loop was started with. `Inputs`: what it reads before every iteration. Both are journal data. */
export interface LoopRules<Data, Steps extends StepTypes = NoSteps, Request = unknown, Inputs = unknown> {
  readonly loopKind: string;
  begin(request: Request): Data;
  takeInputs(data: Data, inputs: Inputs): Data;
  /** What lists and screens show of the loop. */
  about?(data: Data): LoopAbout;
  /** Did its agent say that it is done? Absent if it says so in another way, such as with a file. */
  isClaim?(data: Data, heard: string | null): boolean;
  /** The result of a step of its own, for people; null if they would not look for it. */
  stepSummary?(step: SteppedOf<Steps>): StepSummary | null;
  /** Where a run's output is, if not in the loop's own folder with the others. */
  transcript?(data: Data, handle: Handle): string | null;
  /** What the reader of the inputs needs to know; plain data. */
  inputsGiven?(data: Data, terms: LoopTerms): unknown;
  /** A run was started. */
  takeHandle?(data: Data, handle: Handle, started: StartedRun): Data;
  /** The loop stood still, paused or without a supervisor: a person has had time to edit. */
  afterStandstill?(data: Data): Data;
  /** A person has answered the loop's question. By default, the answer is appended once to the next work prompt. */
  consumeAnswer?(data: Data, answer: string): Data;
  /** Takes the part of the request that a loop is continued with. */
  takeOptions?(data: Data, options: Partial<Request>): Data;
  /** When the loop is continued: is part of its last iteration still to be done, such as repeating a proof? */
  hasMoreToDo?(data: Data): boolean;
  /** Can send the loop elsewhere before the limit is checked and the work begins; null lets it begin. */
  afterInputs?(state: LoopState<Data>): Step<Data, NameOf<Steps>> | null;
  /** How many iterations the loop may take. */
  limit(data: Data): number;
  /** The first pause of a back-off: one second by default, less in tests. */
  backoffUnit?(data: Data): Duration;
  /** How long an agent may hang before it is ended, unless the user says otherwise; absent for no limit. */
  readonly hangAfter?: Duration;
  /** How the loop waits out faults from outside; without it, five in a row or a usage limit end the loop. */
  outages?(data: Data): OutagePolicy;
  /** What to do when the loop makes no progress; by default what its terms say. `pivot` needs a prompt for its run. */
  onStuck?(data: Data): OnStuck;
  /** A pivot has ended, with any outcome. Without this rule, the next iteration follows. */
  afterPivot?(state: LoopState<Data>): Step<Data, NameOf<Steps>>;
  agent(state: LoopState<Data>, purpose: Purpose): AgentChoice;
  prompt(state: LoopState<Data>, purpose: Purpose): string;
  listen(state: LoopState<Data>, purpose: Purpose): Listen;
  /** The commit that the run is for, if it only makes sense when there is something to commit. */
  unlessClean?(state: LoopState<Data>, purpose: Purpose): CommitScope | null;
  limits?(state: LoopState<Data>, purpose: Purpose): RunLimits;
  screen?(state: LoopState<Data>): ScreenWatch;
  /** Read the inputs, which may change the limit, again before the loop ends at it: at once, or after the rest. */
  readonly rereadsLimit?: 'at-once' | 'after-rest';
  /** The pause between two iterations. */
  rest?(data: Data): Duration;
  /** The work of an iteration is finished (`worked`), or a run with another purpose ended, with any outcome. */
  afterRun?(state: LoopState<Data>, purpose: Purpose, ran: Ran): Step<Data, NameOf<Steps>>;
  /** Decides about any outcome of the work but an interruption. By default, the machine handles failures and faults. */
  afterEveryRun?(state: LoopState<Data>, ran: Ran): Step<Data, NameOf<Steps>>;
  /** The outcome of a run counts only when the rules say `default`: they look first at what the run left behind. */
  readonly deferFailureCount?: true;
  /** A run was not started, because there was nothing to commit. */
  afterNeedless?(state: LoopState<Data>, purpose: Purpose): Step<Data, NameOf<Steps>>;
  readonly checks?: ListRule<Data, CheckSpec, Checked, NameOf<Steps>> & {
    /** This check may fail: it does not count when progress is judged. */
    isExcused?(state: LoopState<Data>, checked: Checked): boolean;
  };
  readonly publishing?: ListRule<Data, PublishSpec, Published, NameOf<Steps>>;
  readonly steps?: StepRules<Data, Steps>;
}

export interface StartedRun {
  readonly purpose: Purpose;
  /** The work tree before the run; null if no snapshot was made for it. */
  readonly tree: TreeRecord | null;
}

export interface LoopAbout {
  /** What the loop was asked to do: the whole prompt, or where to find it; null if not known yet. */
  readonly task: string | null;
  /** What people call it: the name of a worker, the id of a task. */
  readonly name?: string;
  /** How many iterations it may take; null if not known yet. */
  readonly limit: number | null;
  /** The command that starts its agent. */
  readonly agent: string | null;
  /** Where its agent works, if not in the loop's own directory. */
  readonly cwd?: string;
  /** The directory in which the loop was started, if it works elsewhere: in a worktree made for it. */
  readonly startedFrom?: string;
  /** The commands that judge its work, by index. */
  readonly checks?: readonly string[];
  /** How its agent says that it is done. */
  readonly claim?: string;
}

/** The result of proving a claim. */
export interface ProofSummary {
  readonly passed: boolean;
  /** The commit of the project that was checked out; null if it was a snapshot of the work tree, or nothing. */
  readonly commit: string | null;
  /** Why the claim does not hold, one sentence each. */
  readonly findings: readonly string[];
}

export interface StepSummary {
  /** In two words, such as `US-001 approved`. */
  readonly words?: string | undefined;
  readonly isProven?: boolean;
  /** Its time counts as time for checks. */
  readonly isChecking?: true;
  /** Present if the step was the proof of a claim. */
  readonly proof?: ProofSummary;
  /** The commit that was checked out before the work, and after it. */
  readonly headBefore?: string | null;
  readonly headAfter?: string | null;
}

/** For things that are done one by one, by index. */
interface ListRule<Data, Spec, Gave, What extends string> {
  spec(state: LoopState<Data>, index: number): Spec;
  after(state: LoopState<Data>, gave: Gave): Step<Data, What>;
}

export type StepRules<Data, Steps extends StepTypes> = {
  readonly [What in NameOf<Steps>]: StepRule<Data, Steps[What]['given'], Steps[What]['gave'], NameOf<Steps>>;
};

/** The record of one of these steps, for the views of its loop kind. */
export type SteppedOf<Steps extends StepTypes> = {
  readonly [What in NameOf<Steps>]: { readonly what: What; readonly gave: Steps[What]['gave'] };
}[NameOf<Steps>];

export interface StepRule<Data, Given, Gave, What extends string = string> {
  given(state: LoopState<Data>): Given;
  /** Others see its effect, so the records that justify it must be safely on disk first. */
  readonly outward?: true;
  /** It only waits for something: a command to pause or stop need not wait until it is over. */
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
  /** What the machine does by default after such a run: continue with the work, back off, try again, end. */
  | { readonly to: 'default'; readonly ran: Ran }
  | { readonly to: 'end'; readonly ending: Ending };

/** When an agent cannot continue without a person: `wait` asks and waits, `end` ends the loop with the question. */
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
