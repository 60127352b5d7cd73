/** The machine's loops: their folders are the registry, and their journals say what they are. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { defined } from '../core/defined.ts';
import { canContinue, type Ending } from '../core/ending.ts';
import { errnoOf, RalphError } from '../core/error.ts';
import { isOver, type LoopState } from '../core/state.ts';
import { systemFault } from '../core/system-fault.ts';
import type { Instant } from '../core/time.ts';
import { ifThere, readPlainText } from '../process/files.ts';
import { readJournalEnds } from './journal.ts';
import { isLoopId, journalPath, loopsFolder, type StateRoot, statusPath } from './paths.ts';
import { writeProjection } from './projection.ts';

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
  const folder = loopsFolder(root);
  return (ifThere(() => readdirSync(folder)) ?? []).map((name) => join(folder, name));
}

/** A loop's line in the registry, for people and other programs; the journal is the truth. */
export interface LoopStatus extends ListedLoop {
  readonly v: 1;
  readonly iteration: number;
  readonly phase: string;
}

export function statusOf<Data>(state: LoopState<Data>, createdAt: Instant): LoopStatus {
  const { id, loopKind, cwd, iteration, phase } = state;
  const ending = isOver(state) ? state.phase.ending : null;
  return { v: 1, id, loopKind, cwd, createdAt, updatedAt: state.at, iteration, phase: phase.at, ending };
}

export function writeStatus(loop: string, status: LoopStatus): void {
  writeProjection(statusPath(loop), `${JSON.stringify(status)}\n`);
}
