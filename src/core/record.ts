/** A record is memo and event in one: what an action gave, written once, folded for ever. */
import type { Handle, LoopCommand } from './action.ts';
import type { QuotaNews, QuotaWindow } from './budget/quota.ts';
import type { LoopTerms } from './budget/terms.ts';
import { type Checked, outcomeOfCommand } from './check.ts';
import { defined } from './defined.ts';
import type { Ending } from './ending.ts';
import type { AgentResult, CallUsage } from './events.ts';
import type { Exit, Outcome } from './outcome.ts';
import type { Told } from './prompt/told.ts';
import type { Duration, Instant } from './time.ts';

/**
 * 2: `continued`, `needless`. 3: `loopKind` instead of `door`. 4: a check's `outcome` (see upcast).
 * 5: `left`, and an interruption by a command. 6: an agent that is known to be limited is not started before its reset.
 * 7: a fallback that fails uses up no iteration.
 */
export const RECORD_VERSION = 7;

/** From this version on a supervisor that leaves says so: one that is gone without a word has died. */
export const TELLS_LEAVING = 5;
/** Before this version every agent was started when its turn came. */
export const LIMITS_AGENTS = 6;
/** Before this version a fallback that failed counted as any agent. */
export const SPARES_FALLBACKS = 7;
const LAST_UPCAST = 4;

export interface Recorded {
  readonly v: number;
  readonly seq: number;
  readonly at: Instant;
  readonly key: string;
  /** Counts from 1; above 1 means that an earlier attempt at this key was cut off before it was recorded. */
  readonly attempt: number;
  readonly result: Result;
  /** When a supervisor came back to the loop, on the first record that it makes: the loop stood still before that. */
  readonly resumedAt?: Instant;
  /** How far the clock has moved by itself since the record before: the machine slept, or the clock was set. */
  readonly jumpedMs?: Duration;
  /** Beside it: the last sign of life of the supervisor before, if it gave one after its last record. */
  readonly aliveUntil?: Instant;
  /** Something in it looked like a key, and was hidden when it was written. */
  readonly masked?: true;
}

/** Records are made here and nowhere else. */
export function firstRecord(created: Created, at: Instant): Recorded {
  return { v: RECORD_VERSION, seq: 0, at, key: 'created', attempt: 1, result: { kind: 'created', ...created } };
}

/** What a record is made of; the attempt is the first one unless given. */
export type RecordMade = Pick<Recorded, 'key' | 'result' | 'at'> &
  Partial<Pick<Recorded, 'attempt'>> & {
    readonly resumedAt?: Instant | undefined;
    readonly aliveUntil?: Instant | undefined;
    readonly jumpedMs?: Duration | undefined;
  };

export function nextRecord({ seq }: Pick<Recorded, 'seq'>, made: RecordMade): Recorded {
  const { key, attempt = 1, result, at, resumedAt, aliveUntil, jumpedMs } = made;
  const told = defined({ resumedAt, aliveUntil, jumpedMs });
  return { v: RECORD_VERSION, seq: seq + 1, at, key, attempt, result, ...told };
}

/**
 * How long a supervisor has driven the loop between two records: not while there was none, nor while the machine slept. A
 * clock can be set back, also while no supervisor is there to see it.
 */
export function drivenMs({ at, resumedAt, aliveUntil, jumpedMs = 0 }: Recorded, before: Instant): Duration {
  if (resumedAt === undefined) return Math.max(0, at - before - jumpedMs);
  const lived = aliveUntil === undefined ? 0 : Math.max(0, Math.min(aliveUntil, resumedAt) - before);
  return lived + Math.max(0, at - resumedAt - jumpedMs);
}

export type Result =
  | ({ readonly kind: 'created' } & Created)
  | ({ readonly kind: 'inputs' } & InputsRead)
  /**
   * `tree`: what was there before the first run of a supervisor; a person may have worked there since the last one.
   * `fallback`: the name of the agent, where it is not the loop's own (`LoopTerms.fallbacks`).
   */
  | { readonly kind: 'started'; readonly handle: Handle; readonly tree?: TreeRecord; readonly fallback?: string }
  /** There was no reason for the run, and it was not started. */
  | { readonly kind: 'needless' }
  | ({ readonly kind: 'ran' } & Ran)
  | ({ readonly kind: 'checked' } & Checked)
  | ({ readonly kind: 'published' } & Published)
  | { readonly kind: 'stepped'; readonly what: string; readonly gave: unknown }
  | ({ readonly kind: 'waited'; readonly command?: LoopCommand } & Heard)
  /**
   * The action was aborted; its run, if it had one, is gone. `byCommand`: a person said `--now`, and the wait that follows
   * hears what.
   */
  | { readonly kind: 'interrupted'; readonly reason: string; readonly byCommand?: true; readonly used?: CallUsage }
  | { readonly kind: 'unstartable'; readonly reason: string; readonly hint?: string }
  | { readonly kind: 'ended'; readonly ending: Ending }
  /** The supervisor left the loop unfinished, as it was asked to: by this signal, or by the program that runs it. */
  | { readonly kind: 'left'; readonly by?: string }
  /** A person asked to continue: after an ending whose reason is gone, or with other options. */
  | { readonly kind: 'continued'; readonly options?: unknown; readonly terms?: LoopTerms };

/** The first record of a loop: who it is and what it was asked. */
export interface Created {
  readonly id: string;
  readonly loopKind: string;
  readonly cwd: string;
  readonly release: string;
  /** What it was started with; its loop kind knows the type. */
  readonly options: unknown;
  /** The id of the loop whose agent asked for this one; absent where a person did. */
  readonly parent?: string;
  /** When its agents may be started, and what they may cost; absent where nothing was said. */
  readonly terms?: LoopTerms;
  /** Absent in loops of older releases and of the fleet. */
  readonly base?: LoopBase;
}

export interface LoopBase {
  /** The commit that was checked out; null for none. */
  readonly commit: string | null;
  /** The files that decide how its work is judged, each with its SHA-256; null for one that was not there. */
  readonly pins: Readonly<Record<string, string | null>>;
}

/** What of the queue of commands a record has consumed: each command is consumed by one record. Absent for nothing. */
export interface Heard {
  /** Everything that people said up to the command with this id is done with by this record. */
  readonly consumed?: string;
  /** What of that is for the agent. */
  readonly told?: readonly Told[];
}

/** `inputs` is absent when they are what the state already holds (`digest` says which). */
export interface InputsRead extends Heard {
  readonly digest: string;
  readonly inputs?: unknown;
  /** Files that have changed since they were read, and were not read again; told once for each change. */
  readonly ignored?: readonly string[];
  /** Why the prompt could not be read, so that the last one is used again; told once. */
  readonly unreadPrompt?: string;
  /** How much of their usage windows agents have used, where they told so elsewhere since the last time. */
  readonly quota?: readonly QuotaNews[];
}

export interface Ran {
  readonly outcome: Outcome;
  /** The agent's own words, as far as a rule may ask about them. */
  readonly said: Said;
  readonly transcript: { readonly path: string; readonly bytes: number };
  /** The program that ran, without its folder; absent in older releases, and in loops whose agents others start. */
  readonly agent?: string;
  readonly account?: AgentResult;
  /** What its calls told of what they used, where its account does not. */
  readonly used?: CallUsage;
  /** How much of its agent's usage windows is used, as it told last; absent where it did not tell. */
  readonly quota?: readonly QuotaWindow[];
  /** What ended it, where it did not end by itself. */
  readonly endedBy?: 'inactivity' | 'done-pattern' | 'budget';
  /** When it ended, where that was earlier than this record: the supervisor may have been gone at the time. */
  readonly endedAt?: Instant;
  /** How many tools the agent called; absent where its output does not tell. */
  readonly toolCalls?: number;
  /** What a run that failed said about it on stderr. */
  readonly complaint?: string;
  /** How often its sandbox refused it something; absent for never. */
  readonly refusals?: number;
  /** What else the Stop hook of a session saw of it, for the rules. */
  readonly seen?: unknown;
  /** The work tree at its end; absent where none is kept, as without a repository, and in older releases. */
  readonly tree?: TreeRecord;
}

/**
 * A snapshot of the work tree: its commit in the loop's own git directory, or why there is none. `changed`: in how many files
 * it differs from the last one; absent for the first one of a supervisor.
 */
export type TreeRecord =
  | ({ readonly commit: string; readonly changed?: number; readonly leftOut?: LeftOut } & TreeIds)
  | { readonly commit: null; readonly reason: string };

/** By which trees can be compared; absent in older releases, and where it is not known. */
interface TreeIds {
  /** The same for two snapshots that hold the same files. */
  readonly tree?: string;
  /** The commit of the project that was checked out. */
  readonly head?: string;
}

/** Files that a snapshot does not hold; `files` are the first of them. */
export interface LeftOut {
  readonly count: number;
  readonly files: readonly { readonly path: string; readonly why: 'too large' | 'unreadable' | 'not a file' }[];
}

/** What stood in the first tag that was listened for, and the first line with words on it: no fence of a code block. */
export interface Said {
  readonly tag: string | null;
  readonly firstLine: string | null;
  /** The last words of plain text, where there are more lines than the first; an agent's account holds them otherwise. */
  readonly last?: string;
}

export interface Published {
  readonly index: number;
  readonly task: string;
  readonly status: 'done' | 'nothing' | 'failed';
  /** What it made (a commit's hash), or why it failed. */
  readonly detail: string;
  /** How much a commit changed, in files and lines; absent where git does not tell. */
  readonly changed?: { readonly files: number; readonly added: number; readonly removed: number };
  /** New files that a commit of tracked files does not hold. */
  readonly leftBehind?: { readonly count: number; readonly names: readonly string[] };
}

/** Up to version 2 the loop kind was called `door`, and the loop inside a session `insession`. */
type CreatedUpTo2 = Omit<Created, 'loopKind'> & { readonly door: string };
/** Up to version 3 a check told the exit of its command. */
type CheckedUpTo3 = Omit<Checked, 'outcome'> & {
  readonly exit: Exit;
  readonly passed: boolean;
  readonly tree?: string;
};

/** Brings a record of an older release to today's form, wherever records are read: nothing behind it knows another. */
export function upcast(record: Recorded): Recorded {
  const { result } = record;
  const v = Math.max(record.v, LAST_UPCAST);
  if (result.kind === 'created' && 'door' in result) {
    return { ...record, v, result: { kind: 'created', ...upcastCreated(result) } };
  }
  if (result.kind === 'checked' && 'exit' in result) {
    return { ...record, v, result: { kind: 'checked', ...upcastChecked(result as Result & CheckedUpTo3) } };
  }
  return record;
}

export function upcastCreated(created: Created | CreatedUpTo2): Created {
  if (!('door' in created)) return created;
  const { door, ...rest } = created;
  return { ...rest, loopKind: door === 'insession' ? 'session' : door };
}

function upcastChecked({ exit, passed: _passed, tree, ...rest }: CheckedUpTo3): Checked {
  const outcome = outcomeOfCommand(exit);
  return { ...rest, outcome: outcome.is === 'unrunnable' && tree !== undefined ? { ...outcome, tree } : outcome };
}
