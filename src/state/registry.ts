/** Lists the loops on this machine: their folders are the registry, and their journals say what they are. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Usage } from '../core/budget/usage.ts';
import { defined } from '../core/defined.ts';
import { canContinue, type Ending, EXIT_CODES } from '../core/ending.ts';
import { errnoOf, RalphError } from '../core/error.ts';
import type { LoopMachine } from '../core/machine/machine.ts';
import type { Told } from '../core/prompt/told.ts';
import type { LoopAbout } from '../core/rules.ts';
import { isOver, type Leaving, type LoopState, type Phase, startedIterations } from '../core/state.ts';
import { systemFault } from '../core/system-fault.ts';
import { isFields } from '../core/text/json.ts';
import type { Duration, Instant } from '../core/time.ts';
import { ifThere, readPlainText } from '../process/files.ts';
import { readJournalEnds } from './journal.ts';
import { isLoopId, journalPath, loopsFolder, type StateRoot, statusPath } from './paths.ts';
import { writeProjection } from './projection.ts';
import { outputFile } from './run-files.ts';

export interface ListedLoop {
  readonly id: string;
  readonly loopKind: string;
  readonly cwd: string;
  /** See `Created`. */
  readonly parent?: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** Null if it has not ended. */
  readonly ending: Ending | null;
}

/** Oldest first. A loop that cannot be read is left out. */
export function listLoops(root: StateRoot): ListedLoop[] {
  return foldersIn(root)
    .map(readLoop)
    .filter((loop): loop is ListedLoop => loop !== null && !(loop instanceof RalphError))
    .sort((a, b) => a.createdAt - b.createdAt);
}

/** The loops of a kind in a directory, oldest first. */
export function loopsIn(root: StateRoot, loopKind: string, cwd: string): ListedLoop[] {
  return listLoops(root).filter((loop) => loop.loopKind === loopKind && loop.cwd === cwd);
}

/** The newest loop that is neither done nor stopped for good. */
export function newestToContinue(root: StateRoot, loopKind: string, cwd: string): ListedLoop | null {
  return loopsIn(root, loopKind, cwd).findLast(isUnfinished) ?? null;
}

/** Left by its supervisor, or ended for a reason that can go away. */
export function isUnfinished({ ending }: ListedLoop): boolean {
  return ending === null || canContinue(ending);
}

/** The hint if no loop was found: `hint`, unless there are loops that cannot be read, one of which it may be. */
export function unlessUnreadable(root: StateRoot, hint: string): string {
  const [first, ...more] = unreadableIn(foldersIn(root));
  if (first === undefined) return hint;
  const others = more.length === 0 ? '' : ` (and ${more.length} more like it)`;
  return `It may be one that cannot be read: ${first.message}${others}`;
}

/** The error of an unreadable loop that belongs here by its status, which is good enough for a message only. */
export function unreadableHere(root: StateRoot, loopKind: string, cwd: string): RalphError | null {
  return unreadableIn(foldersIn(root).filter((folder) => isSaidToBe(folder, loopKind, cwd)))[0] ?? null;
}

function unreadableIn(folders: readonly string[]): RalphError[] {
  return folders.map(readLoop).filter((loop) => loop instanceof RalphError);
}

function isSaidToBe(folder: string, loopKind: string, cwd: string): boolean {
  try {
    const status = JSON.parse(readPlainText(statusPath(folder))) as Partial<ListedLoop> | null;
    return status?.loopKind === loopKind && status.cwd === cwd;
  } catch {
    // No status to go by.
    return false;
  }
}

/** Null if it is not a loop, an error if it cannot be read. */
function readLoop(folder: string): ListedLoop | RalphError | null {
  try {
    const ends = readJournalEnds(journalPath(folder));
    // A status is written with the first record: a loop with one but without records has lost them, others never began.
    if (ends === null) return existsSync(statusPath(folder)) ? unreadable(`${journalPath(folder)} is empty`) : null;
    const { first, last } = ends;
    if (first.result.kind !== 'created') return null;
    const { id, loopKind, cwd, parent } = first.result;
    const ending = last.result.kind === 'ended' ? last.result.ending : null;
    return { id, loopKind, cwd, ...defined({ parent }), createdAt: first.at, updatedAt: last.at, ending };
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    if (errnoOf(error) === 'ENOTDIR')
      return isLoopId(basename(folder)) ? unreadable(`${folder} is not a folder`) : null;
    const fault = error instanceof RalphError ? error : systemFault(error);
    if (fault === null) throw error;
    return fault;
  }
}

function unreadable(what: string): RalphError {
  return new RalphError('LOOP_UNREADABLE', what, { hint: 'Restore it from a backup, or start a new loop.' });
}

function foldersIn(root: StateRoot): string[] {
  return loopIds(root).map((id) => join(loopsFolder(root), id));
}

/** The names of the loops' folders; reads no files. */
export function loopIds(root: StateRoot): string[] {
  return ifThere(() => readdirSync(loopsFolder(root))) ?? [];
}

/** What lists show of a loop. Written for people and other programs; the journal is the truth. */
export interface LoopStatus extends Omit<ListedLoop, 'parent'> {
  readonly v: 2;
  /** The length of the journal at the time: if it is longer now, this is out of date. */
  readonly journalBytes: number;
  /** In how many iterations an agent was started. */
  readonly iterations: number;
  readonly phase: Phase;
  readonly workedMs: Duration;
  readonly usage: Usage;
  readonly lastFailure: string | null;
  readonly lastCommit: string | null;
  readonly about: Omit<LoopAbout, 'task'>;
  /** What the loop was asked to do when it began, in one line; absent if only the journal has it. */
  readonly asked?: string | null;
  /** The same as of its last iteration; if the prompt is in a file, that file's first line. */
  readonly task?: string | null;
  /** The agent that was started last, if it is not the loop's own. */
  readonly fallback: string | null;
  /** The output of the current run; null if no agent is at work. */
  readonly transcript: string | null;
  /** How its last supervisor left it. */
  readonly leaving: Leaving;
  /** The id of the last command that a record has consumed, or null. */
  readonly consumed: string | null;
  /** Messages for the agent that have not reached it: neither the current run nor one that worked was given them. */
  readonly told: readonly Told[];
}

/** The one place that decides what lists know: a new field is written here, and shown where a view wants it. */
export function statusOf<Data>(
  { about, transcript }: Pick<LoopMachine<Data>, 'about' | 'transcript'>,
  state: LoopState<Data>,
  { createdAt, bytes }: { readonly createdAt: Instant; readonly bytes: number },
): LoopStatus {
  const { id, loopKind, cwd, at: updatedAt, phase, workedMs, usage, lastFailure, lastCommit } = state;
  const { leaving, consumed } = state;
  // The task can be long, and contain what must not be shown: it stays in the journal, where keys are masked.
  const { task: _task, ...shown } = about(state);
  const running = phase.at === 'await' ? phase.handle : null;
  return {
    v: 2,
    id,
    loopKind,
    cwd,
    createdAt,
    updatedAt,
    ending: isOver(state) ? state.phase.ending : null,
    journalBytes: bytes,
    iterations: startedIterations(state),
    phase,
    workedMs,
    usage,
    lastFailure,
    lastCommit,
    about: shown,
    fallback: state.worker?.fallback?.name ?? null,
    transcript: running === null ? null : (transcript(state, running) ?? join('runs', outputFile(running.name))),
    leaving,
    consumed,
    told: phase.at === 'await' && phase.purpose === 'work' ? [] : state.told,
  };
}

const isText = (value: unknown): boolean => typeof value === 'string';
/** In the range of a date. */
const isNumber = (value: unknown): boolean => typeof value === 'number' && Math.abs(value) <= 8.64e15;
const isTextOrAbsent = (value: unknown): boolean => value === undefined || isText(value);
const isUntil = (value: unknown): boolean => isTextOrAbsent(value) || isNumber(value);
const orNull = (is: (value: unknown) => boolean) => (value: unknown) => value === null || is(value);

/** Every field is required: a status of an older release lacks newer fields, and is written again. */
const FORM: Readonly<Record<keyof LoopStatus, (value: unknown) => boolean>> = {
  v: (value) => value === 2,
  id: isText,
  loopKind: isText,
  cwd: isText,
  createdAt: isNumber,
  updatedAt: isNumber,
  ending: orNull(
    (value) => isFields(value) && Object.hasOwn(EXIT_CODES, String(value.kind)) && isTextOrAbsent(value.reason),
  ),
  journalBytes: isNumber,
  iterations: isNumber,
  phase: (value) => isFields(value) && isText(value.at) && isTextOrAbsent(value.purpose) && isUntil(value.until),
  workedMs: isNumber,
  usage: (value) => isFields(value) && isNumber(value.runs) && isNumber(value.costUsd),
  lastFailure: orNull(isText),
  lastCommit: orNull(isText),
  about: (value) =>
    isFields(value) &&
    orNull(isText)(value.agent) &&
    orNull(isNumber)(value.limit) &&
    isTextOrAbsent(value.name) &&
    isTextOrAbsent(value.cwd) &&
    isTextOrAbsent(value.startedFrom),
  asked: (value) => value === null || isTextOrAbsent(value),
  task: (value) => value === null || isTextOrAbsent(value),
  fallback: orNull(isText),
  transcript: orNull(isText),
  leaving: (value) => isFields(value) && isText(value.is) && (value.is !== 'left' || orNull(isText)(value.by)),
  consumed: orNull(isText),
  told: (value) => Array.isArray(value) && value.every((one) => isFields(one) && isText(one.as) && isText(one.text)),
};

const FIELDS = Object.keys(FORM) as (keyof LoopStatus)[];

export function isStatus(status: unknown): status is LoopStatus {
  if (!isFields(status) || !FIELDS.every((name) => FORM[name](status[name]))) return false;
  // The transcript that is shown is in the folder of the loop, or of its task.
  const { transcript, cwd } = status;
  if (typeof transcript !== 'string' || typeof cwd !== 'string') return transcript === null;
  return !transcript.includes('..') && transcript.replace(`${cwd}/`, '').startsWith('runs/');
}

export function writeStatus(loop: string, status: LoopStatus): void {
  writeProjection(statusPath(loop), `${JSON.stringify(status)}\n`);
}
