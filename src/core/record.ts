/** A record is the result of one action, memo and event in one: written once, folded into every later state. */
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
 * What is new in each version. 2: `continued`, `needless`. 3: `loopKind`, not `door`. 4: a check's `outcome` (see
 * upcast).
 * 5: `left`, and an interruption by a command. 6: an agent that is known to be limited is not started before its reset.
 * 7: a fallback that fails uses up no iteration.
 */
export const RECORD_VERSION = 7;

/** From this version on, a supervisor that leaves says so (`left`): one that is gone without that record has died. */
export const TELLS_LEAVING = 5;
/** Before this version, agents were started even if they were known to be limited. */
export const LIMITS_AGENTS = 6;
/** Before this version, a fallback that failed used up an iteration like any agent. */
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
  /** On the first record of a supervisor: when it took up the loop again, which had stood still until then. */
  readonly resumedAt?: Instant;
  /** How far the clock has jumped since the previous record: the machine slept, or the clock was set. */
  readonly jumpedMs?: Duration;
  /** With `resumedAt`: the previous supervisor's last sign of life, if there was one after its last record. */
  readonly aliveUntil?: Instant;
  /** Something in the record looked like a key and was masked when it was written. */
  readonly masked?: true;
}

/** Records are made only in this file. */
export function firstRecord(created: Created, at: Instant): Recorded {
  return { v: RECORD_VERSION, seq: 0, at, key: 'created', attempt: 1, result: { kind: 'created', ...created } };
}

/** What a record is made of; `attempt` is 1 by default. */
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
 * How long a supervisor has driven the loop between two records, without the time when there was none or the machine
 * slept. The clock can be set back, even while no supervisor is there to see it.
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
   * `tree`: the work tree before the first run of a supervisor; a person may have worked there since the last one.
   * `fallback`: the name of the agent, if it is not the loop's own (`LoopTerms.fallbacks`).
   */
  | { readonly kind: 'started'; readonly handle: Handle; readonly tree?: TreeRecord; readonly fallback?: string }
  /** The run was not started, because there was nothing to commit. */
  | { readonly kind: 'needless' }
  | ({ readonly kind: 'ran' } & Ran)
  | ({ readonly kind: 'checked' } & Checked)
  | ({ readonly kind: 'published' } & Published)
  | { readonly kind: 'stepped'; readonly what: string; readonly gave: unknown }
  | ({ readonly kind: 'waited'; readonly command?: LoopCommand } & Heard)
  /**
   * The action was aborted; its run, if it had one, is gone. `byCommand`: a person used `--now`; the wait that follows
   * takes the command.
   */
  | { readonly kind: 'interrupted'; readonly reason: string; readonly byCommand?: true; readonly used?: CallUsage }
  | { readonly kind: 'unstartable'; readonly reason: string; readonly hint?: string }
  | { readonly kind: 'ended'; readonly ending: Ending }
  /** The supervisor was asked to leave the loop unfinished: by the signal `by`, or by the program that runs it. */
  | { readonly kind: 'left'; readonly by?: string }
  /** A person asked to continue: after an ending whose reason is gone, or with other options. */
  | { readonly kind: 'continued'; readonly options?: unknown; readonly terms?: LoopTerms };

/** The first record of a loop: its identity, and what it was asked to do. */
export interface Created {
  readonly id: string;
  readonly loopKind: string;
  readonly cwd: string;
  readonly release: string;
  /** What it was started with; its loop kind knows the type. */
  readonly options: unknown;
  /** The id of the loop whose agent asked for this one; absent if a person did. */
  readonly parent?: string;
  /** When its agents may be started, and what they may cost; absent if nothing was said. */
  readonly terms?: LoopTerms;
  /** Absent in loops of older releases and of the fleet. */
  readonly base?: LoopBase;
}

export interface LoopBase {
  /** The commit that was checked out; null if there was none. */
  readonly commit: string | null;
  /** The files that decide how its work is judged, each with its SHA-256; null for one that did not exist. */
  readonly pins: Readonly<Record<string, string | null>>;
}

/** What a record has consumed from the queue of commands; each command is consumed by one record. */
export interface Heard {
  /** The id of the last command that this record consumes, with all commands before it. */
  readonly consumed?: string;
  /** The messages for the agent among them. */
  readonly told?: readonly Told[];
}

/** `inputs` is absent if the state already holds the same ones (`digest` identifies them). */
export interface InputsRead extends Heard {
  readonly digest: string;
  readonly inputs?: unknown;
  /** Files that have changed since they were read, and were not read again; reported once for each change. */
  readonly ignored?: readonly string[];
  /** Why the prompt could not be read, so that the previous one is used again; reported once. */
  readonly unreadPrompt?: string;
  /** The usage windows that agents have reported elsewhere since the last time. */
  readonly quota?: readonly QuotaNews[];
}

export interface Ran {
  readonly outcome: Outcome;
  /** The agent's own words that rules can ask about. */
  readonly said: Said;
  readonly transcript: { readonly path: string; readonly bytes: number };
  /** The program that ran, without its folder; absent in older releases, and if the loop does not start its agents. */
  readonly agent?: string;
  readonly account?: AgentResult;
  /** What its model calls reported as used; fills in what its account leaves out. */
  readonly used?: CallUsage;
  /** The agent's usage windows as it last reported them; absent if it did not. */
  readonly quota?: readonly QuotaWindow[];
  /** What ended it, if it did not end by itself. */
  readonly endedBy?: 'inactivity' | 'done-pattern' | 'budget';
  /** When it ended, if that was before this record: the supervisor may have been gone at the time. */
  readonly endedAt?: Instant;
  /** How many tools the agent called; absent if its output does not say. */
  readonly toolCalls?: number;
  /** What a failed run printed about it on stderr. */
  readonly complaint?: string;
  /** How often the sandbox refused something; absent if never. */
  readonly refusals?: number;
  /** What else the Stop hook of a session observed, for the rules. */
  readonly seen?: unknown;
  /** The work tree at its end; absent if none is kept (without a repository, for example), and in older releases. */
  readonly tree?: TreeRecord;
}

/**
 * A snapshot of the work tree: its commit in the loop's own git directory, or why there is none. `changed`: how many
 * files differ from the previous snapshot; absent for the first one of a supervisor.
 */
export type TreeRecord =
  | ({ readonly commit: string; readonly changed?: number; readonly leftOut?: LeftOut } & TreeIds)
  | { readonly commit: null; readonly reason: string };

/** For comparing trees; absent in older releases, and if unknown. */
interface TreeIds {
  /** The same for two snapshots that contain the same files. */
  readonly tree?: string;
  /** The commit of the project that was checked out. */
  readonly head?: string;
}

/** Files that a snapshot leaves out; `files` lists the first of them. */
export interface LeftOut {
  readonly count: number;
  readonly files: readonly { readonly path: string; readonly why: 'too large' | 'unreadable' | 'not a file' }[];
}

/** The content of the first tag that matched `Listen`, and the first line with words on it (no code fence). */
export interface Said {
  readonly tag: string | null;
  readonly firstLine: string | null;
  /** The last words of plain text that has more than one line; otherwise the agent's account holds them. */
  readonly last?: string;
}

export interface Published {
  readonly index: number;
  readonly task: string;
  readonly status: 'done' | 'nothing' | 'failed';
  /** What it made (a commit's hash), or why it failed. */
  readonly detail: string;
  /** How much a commit changed, in files and lines; absent if git does not say. */
  readonly changed?: { readonly files: number; readonly added: number; readonly removed: number };
  /** New files that a commit of tracked files leaves out. */
  readonly leftBehind?: { readonly count: number; readonly names: readonly string[] };
}

/** Up to version 2, the loop kind was called `door`, and the loop inside a session `insession`. */
type CreatedUpTo2 = Omit<Created, 'loopKind'> & { readonly door: string };
/** Up to version 3, a check recorded the exit of its command. */
type CheckedUpTo3 = Omit<Checked, 'outcome'> & {
  readonly exit: Exit;
  readonly passed: boolean;
  readonly tree?: string;
};

/** Converts a record of an older release to the current form, wherever records are read: other code knows only that. */
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
