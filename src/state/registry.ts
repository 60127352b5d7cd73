/** The machine's loops: their folders are the registry, and their journals say what they are. */
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
  /** Null while it can still go on. */
  readonly ending: Ending | null;
}

/** Oldest first. A loop that cannot be read is left out. */
export function listLoops(root: StateRoot): ListedLoop[] {
  return foldersIn(root)
    .map(readLoop)
    .filter((loop): loop is ListedLoop => loop !== null && !(loop instanceof RalphError))
    .sort((a, b) => a.createdAt - b.createdAt);
}

/** Those of a kind in a directory, oldest first. */
export function loopsIn(root: StateRoot, loopKind: string, cwd: string): ListedLoop[] {
  return listLoops(root).filter((loop) => loop.loopKind === loopKind && loop.cwd === cwd);
}

/** The newest that is neither done nor stopped for good. */
export function newestToContinue(root: StateRoot, loopKind: string, cwd: string): ListedLoop | null {
  return loopsIn(root, loopKind, cwd).findLast(isUnfinished) ?? null;
}

/** Left by its supervisor, or ended for a reason that can be gone. */
export function isUnfinished({ ending }: ListedLoop): boolean {
  return ending === null || canContinue(ending);
}

/** For a refusal because no loop was found: it may be one that cannot be read. The hint is of use where all can be. */
export function unlessUnreadable(root: StateRoot, hint: string): string {
  const [first, ...more] = unreadableIn(foldersIn(root));
  if (first === undefined) return hint;
  const others = more.length === 0 ? '' : ` (and ${more.length} more like it)`;
  return `It may be one that cannot be read: ${first.message}${others}`;
}

/** Only the status of such a loop still says whose it is: good enough to name the trouble, and for nothing else. */
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
    // Nothing there to go by.
    return false;
  }
}

/** Null for what is no loop, an error for one that cannot be read. */
function readLoop(folder: string): ListedLoop | RalphError | null {
  try {
    const ends = readJournalEnds(journalPath(folder));
    // A loop has a status from its first record on: without records one that has it has lost them, and others never began.
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

/** The names of their folders: nothing is read. */
export function loopIds(root: StateRoot): string[] {
  return ifThere(() => readdirSync(loopsFolder(root))) ?? [];
}

/** What a list says of a loop. It is written for people and other programs; the journal is the truth. */
export interface LoopStatus extends Omit<ListedLoop, 'parent'> {
  readonly v: 2;
  /** How long the journal was: where it is longer, it has more to say. */
  readonly journalBytes: number;
  /** In how many iterations an agent was started. */
  readonly iterations: number;
  readonly phase: Phase;
  readonly workedMs: Duration;
  readonly usage: Usage;
  readonly lastFailure: string | null;
  readonly lastCommit: string | null;
  readonly about: Omit<LoopAbout, 'task'>;
  /** What it was asked when it began, in one line; absent where only the journal says it. */
  readonly asked?: string | null;
  /** The same as its last iteration read it: of a prompt in a file, the file's first line. */
  readonly task?: string | null;
  /** The agent that was started last, where it is not the loop's own. */
  readonly fallback: string | null;
  /** The output of the run that was started last; null where none is at work. */
  readonly transcript: string | null;
  /** How its last supervisor left it. */
  readonly leaving: Leaving;
  /** The id of the last command that a record has consumed; null for none. */
  readonly consumed: string | null;
  /** What the loop has heard for its agent, and no run has been given that is at work or has worked. */
  readonly told: readonly Told[];
}

/** One place for what a list can say: a new field is written here, and shown where a view wants it. */
export function statusOf<Data>(
  { about, transcript }: Pick<LoopMachine<Data>, 'about' | 'transcript'>,
  state: LoopState<Data>,
  { createdAt, bytes }: { readonly createdAt: Instant; readonly bytes: number },
): LoopStatus {
  const { id, loopKind, cwd, at: updatedAt, phase, workedMs, usage, lastFailure, lastCommit } = state;
  const { leaving, consumed } = state;
  // The task may be long, and hold what must not be shown: it stays in the journal, where keys are masked.
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
/** As large as a time can be. */
const isNumber = (value: unknown): boolean => typeof value === 'number' && Math.abs(value) <= 8.64e15;
const isTextOrAbsent = (value: unknown): boolean => value === undefined || isText(value);
const isUntil = (value: unknown): boolean => isTextOrAbsent(value) || isNumber(value);
const orNull = (is: (value: unknown) => boolean) => (value: unknown) => value === null || is(value);

/** Every field: a status that an earlier release wrote lacks those that came since, and is made again. */
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
  // What is shown of it lies with the loop, or in the folder of its task.
  const { transcript, cwd } = status;
  if (typeof transcript !== 'string' || typeof cwd !== 'string') return transcript === null;
  return !transcript.includes('..') && transcript.replace(`${cwd}/`, '').startsWith('runs/');
}

export function writeStatus(loop: string, status: LoopStatus): void {
  writeProjection(statusPath(loop), `${JSON.stringify(status)}\n`);
}
