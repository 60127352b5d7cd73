/** A check decides whether the work is good. Kinds differ in how they find out, not in what the outcome means. */
import { defined } from './defined.ts';
import { describeExit, type Exit, exitNumber } from './outcome.ts';
import type { Duration } from './time.ts';

export interface CheckSpec extends AskedCheck {
  readonly index: number;
  readonly log: string;
  /** How many characters of the output are kept for the next prompt, and from which end (the start by default). */
  readonly keepChars: number;
  readonly keeps?: 'start' | 'end';
  readonly timeoutMs: Duration | null;
  /** See `Checked`. */
  readonly isBaseline?: true;
}

/** The default kind of a guardrail: a shell command of the user's, whose exit code decides. */
export const COMMAND = 'command';

/** `kind` is one of those in `src/checks`; only that kind interprets `given`. */
export interface AskedCheck {
  readonly kind: string;
  readonly given: Readonly<Record<string, CheckValues[keyof CheckValues]>>;
}

/** The keys that a kind of check adds to a guardrail's settings; `what` describes a key, also in editors. */
export interface CheckForm {
  readonly kind: string;
  readonly keys: CheckKeys;
}

export type CheckKeys = Readonly<Record<string, CheckKey>>;
export type CheckKey = { readonly is: keyof CheckValues; readonly what: string; readonly optional?: true };
/** A non-empty string, an integer, a boolean, a list of non-empty strings. */
export type CheckValues = { text: string; number: number; flag: boolean; texts: readonly string[] };

/** `how` is for people: `exit 1`, `signal SIGSEGV`, `2 of 12 tests failed`. `code`: what a shell would show. */
export type CheckOutcome =
  | { readonly is: 'passed'; readonly how?: string }
  | { readonly is: 'failed'; readonly how: string; readonly code?: number }
  /** The command is missing (127) or not executable (126). `tree` identifies the work tree at the time, if known. */
  | { readonly is: 'unrunnable'; readonly code: number; readonly tree?: string }
  | { readonly is: 'timed-out'; readonly afterMs: Duration }
  /** It was cut off before it had a result. */
  | { readonly is: 'unseen' };

export interface Checked {
  readonly index: number;
  readonly outcome: CheckOutcome;
  readonly log: string;
  /** Part of a failure's output, for the next prompt; `CheckSpec.keeps` says which part. */
  readonly output: string;
  readonly truncated: boolean;
  readonly durationMs: Duration;
  /** The SHA-256 of the log; absent if there is no log, and in loops of older releases. */
  readonly digest?: string;
  /** Identifies a failure's output, without what always differs: see `failureFingerprint`. Absent in older releases. */
  readonly fingerprint?: string;
  /** It ran before the first iteration, so it judges none. */
  readonly isBaseline?: true;
  /** What the sandbox refused, in sentences for people; absent if nothing. */
  readonly refused?: readonly string[];
}

/** The exit codes of a shell for a command that it could not run. */
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

/** The record of a check. `kept` returns the output for the next prompt; it is not called for a check that passed. */
export function checkedAs(check: CheckSpec, outcome: CheckOutcome, tookMs: Duration, kept: () => Kept): Checked {
  const { index, log, isBaseline } = check;
  const said = outcome.is === 'passed' ? { output: '', truncated: false } : kept();
  return { index, outcome, log, ...said, durationMs: Math.round(tookMs), ...defined({ isBaseline }) };
}

/** The first or last characters, by code point. `isWhole`: the text is the complete output. */
export function partOfText(text: string, chars: number, which: 'start' | 'end', isWhole: boolean): Kept {
  const characters = [...text];
  const shown = which === 'start' ? characters.slice(0, chars) : characters.slice(-chars);
  return { output: shown.join(''), truncated: !isWhole || characters.length > chars };
}

export const hasPassed = ({ outcome }: Pick<Checked, 'outcome'>): boolean => outcome.is === 'passed';

export function describeOutcome(outcome: CheckOutcome): string {
  return ('how' in outcome ? outcome.how : undefined) ?? describeExit(exitOf(outcome));
}

/** Null for a check that is not a command: it has no exit code. */
export function codeOfOutcome(outcome: CheckOutcome): number | null {
  return 'how' in outcome && !('code' in outcome) ? null : exitNumber(exitOf(outcome));
}

function exitOf(outcome: CheckOutcome): Exit {
  if (outcome.is === 'timed-out') return { by: 'timeout', afterMs: outcome.afterMs };
  if (outcome.is === 'unseen') return { by: 'unseen' };
  return { by: 'code', code: outcome.is === 'passed' ? 0 : (outcome.code ?? 1) };
}

/** The command as it appears in the name of its log file. */
export function logSlug(command: string): string {
  return command
    .replaceAll(/[^a-zA-Z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 50);
}
