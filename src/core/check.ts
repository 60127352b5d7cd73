/** A check: what says whether the work is good. Kinds of checks differ in how they find out, not in what it means. */
import { defined } from './defined.ts';
import { describeExit, type Exit, exitNumber } from './outcome.ts';
import type { Duration } from './time.ts';

export interface CheckSpec extends AskedCheck {
  readonly index: number;
  readonly log: string;
  /** How much of the output is kept for the next prompt, and of which end: the start unless given. */
  readonly keepChars: number;
  readonly keeps?: 'start' | 'end';
  readonly timeoutMs: Duration | null;
  /** See `Checked`. */
  readonly isBaseline?: true;
}

/** The kind of a guardrail that names none: a shell command of the user's own, whose exit code decides. */
export const COMMAND = 'command';

/** `kind` is one of those that `src/checks` lists; only that kind looks into what it is given. */
export interface AskedCheck {
  readonly kind: string;
  readonly given: Readonly<Record<string, CheckValues[keyof CheckValues]>>;
}

/** What a kind of check has of its own in the settings of a guardrail; `what` says it in a sentence, also in editors. */
export interface CheckForm {
  readonly kind: string;
  readonly keys: CheckKeys;
}

export type CheckKeys = Readonly<Record<string, CheckKey>>;
export type CheckKey = { readonly is: keyof CheckValues; readonly what: string; readonly optional?: true };
/** A text that is not empty, a whole number, true or false, a list of such texts. */
export type CheckValues = { text: string; number: number; flag: boolean; texts: readonly string[] };

/** `how` is for people: `exit 1`, `signal SIGSEGV`, `2 of 12 tests failed`. `code` is what a shell would show of a command. */
export type CheckOutcome =
  | { readonly is: 'passed'; readonly how?: string }
  | { readonly is: 'failed'; readonly how: string; readonly code?: number }
  /** It is not there (127), or cannot be executed (126). `tree` names the work tree as it was, where that can be told. */
  | { readonly is: 'unrunnable'; readonly code: number; readonly tree?: string }
  | { readonly is: 'timed-out'; readonly afterMs: Duration }
  /** It was broken off before it could say anything. */
  | { readonly is: 'unseen' };

export interface Checked {
  readonly index: number;
  readonly outcome: CheckOutcome;
  readonly log: string;
  /** A part of a failure's output, for the next prompt: which one, the check says. */
  readonly output: string;
  readonly truncated: boolean;
  readonly durationMs: Duration;
  /** The SHA-256 of the log; absent where there is none, and in loops of older releases. */
  readonly digest?: string;
  /** Names what a failure printed, without what differs every time: see `failureFingerprint`. Absent in older releases. */
  readonly fingerprint?: string;
  /** It ran before the first iteration, and judges none. */
  readonly isBaseline?: true;
  /** What its sandbox refused it, in sentences for a person; absent for nothing. */
  readonly refused?: readonly string[];
}

/** What a shell says of a command that it could not run. */
const UNRUNNABLE = [126, 127];

export function outcomeOfCommand(exit: Exit): CheckOutcome {
  if (exit.by === 'timeout') return { is: 'timed-out', afterMs: exit.afterMs };
  if (exit.by === 'unseen') return { is: 'unseen' };
  const code = exitNumber(exit);
  if (exit.by === 'code' && code === 0) return { is: 'passed' };
  if (exit.by === 'code' && UNRUNNABLE.includes(code)) return { is: 'unrunnable', code };
  return { is: 'failed', how: describeExit(exit), code };
}

type Kept = Pick<Checked, 'output' | 'truncated' | 'fingerprint'>;

/** The record of a check. `kept`: what the next prompt is told of its output; one that passed has nothing to tell. */
export function checkedAs(check: CheckSpec, outcome: CheckOutcome, tookMs: Duration, kept: () => Kept): Checked {
  const { index, log, isBaseline } = check;
  const said = outcome.is === 'passed' ? { output: '', truncated: false } : kept();
  return { index, outcome, log, ...said, durationMs: Math.round(tookMs), ...defined({ isBaseline }) };
}

/** The first or last characters, counted as people count them. `isWhole`: the text is all that there was. */
export function partOfText(text: string, chars: number, which: 'start' | 'end', isWhole: boolean): Kept {
  const characters = [...text];
  const shown = which === 'start' ? characters.slice(0, chars) : characters.slice(-chars);
  return { output: shown.join(''), truncated: !isWhole || characters.length > chars };
}

export const hasPassed = ({ outcome }: Pick<Checked, 'outcome'>): boolean => outcome.is === 'passed';

export function describeOutcome(outcome: CheckOutcome): string {
  return ('how' in outcome ? outcome.how : undefined) ?? describeExit(exitOf(outcome));
}

/** Null for what is no command: it has no exit code. */
export function codeOfOutcome(outcome: CheckOutcome): number | null {
  return 'how' in outcome && !('code' in outcome) ? null : exitNumber(exitOf(outcome));
}

function exitOf(outcome: CheckOutcome): Exit {
  if (outcome.is === 'timed-out') return { by: 'timeout', afterMs: outcome.afterMs };
  if (outcome.is === 'unseen') return { by: 'unseen' };
  return { by: 'code', code: outcome.is === 'passed' ? 0 : (outcome.code ?? 1) };
}

/** What a command is called in the name of its log. */
export function logSlug(command: string): string {
  return command
    .replaceAll(/[^a-zA-Z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 50);
}
