/** Finds a worker's loop and its state, from the journal; only the values that people edit come from the state file. */
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { RalphError } from '../../../core/error.ts';
import { fold } from '../../../core/machine/machine.ts';
import { isOver, startedIterations } from '../../../core/state.ts';
import { reasonOf } from '../../../core/system-fault.ts';
import { wantedOf } from '../../../engine/control.ts';
import { neverBegan } from '../../../engine/loop.ts';
import { ifThere, nullOn } from '../../../process/files.ts';
import { readRefusals } from '../../../runners/sandbox/refusals.ts';
import { readJournal } from '../../../state/journal.ts';
import { isLocked, lockHolder } from '../../../state/lock.ts';
import { withRequest } from '../../../state/new-loop.ts';
import { journalPath, loopFolder, loopLock, stateRoot } from '../../../state/paths.ts';
import { runsFolder } from '../../../state/run-files.ts';
import { isName } from '../workers/record.ts';
import { refused, type Swarm } from '../workers/swarm.ts';
import {
  changeStateFile,
  loopOf,
  pointersFolder,
  type RalphState,
  ralphFolder,
  ralphFolders,
  ralphStateOf,
  readStateFile,
  withEdits,
} from './files.ts';
import { ralphMachine } from './rules.ts';

export type FoundRalph = NonNullable<ReturnType<typeof findRalph>>;

export type KnownRalph = NonNullable<ReturnType<typeof knownRalph>>;

export function findRalph(swarm: Swarm, name: string) {
  const id = loopOf(swarm.home, name);
  if (id === null) return null;
  const folder = loopFolder(stateRoot(swarm.env), id);
  // Empty if the loop's folder in the state directory is gone.
  const records = ifThere(() => readJournal(journalPath(folder)).records) ?? [];
  const [first] = records;
  if (first === undefined && existsSync(journalPath(folder))) throw neverBegan(id, folder);
  if (first === undefined) return null;
  const state = fold(ralphMachine, withRequest(records, folder));
  const last = records.findLast(({ result }) => result.kind === 'ran')?.result;
  const end = records.findLast(({ result }) => result.kind !== 'left')?.result;
  return {
    id,
    cwd: state.cwd,
    folder,
    isOver: isOver(state),
    state,
    createdAt: first.at,
    iterationStartedAt: records.findLast(({ result }) => result.kind === 'started')?.at ?? first.at,
    lastRun: last?.kind === 'ran' ? last : null,
    /** Why its supervisor gave up although the loop is not over, such as a missing prompt file. */
    problem: state.phase.at === 'inputs' && end?.kind === 'interrupted' ? end.reason : null,
  };
}

/** Whether a supervisor runs it. Does not take the lock, which would keep a supervisor out. */
export const isSupervised = ({ folder }: Pick<FoundRalph, 'folder'>) => isLocked(loopLock(folder));

/** Whether a supervisor runs it and the loop is not over yet. With a damaged journal, the supervisor alone decides. */
export function isTurned(swarm: Swarm, name: string): boolean {
  const id = loopOf(swarm.home, name);
  if (id === null || !isSupervised({ folder: loopFolder(stateRoot(swarm.env), id) })) return false;
  return unlessDamaged(() => findRalph(swarm, name)?.isOver !== true, true);
}

/** Whether it has begun its work and can be continued. A loop with a damaged journal cannot. */
export function isUnfinished(swarm: Swarm, name: string): boolean {
  return unlessDamaged(() => {
    const found = knownRalph(swarm, name)?.found;
    return found !== undefined && !found.isOver && startedIterations(found.state) > 0;
  }, false);
}

function unlessDamaged(look: () => boolean, otherwise: boolean): boolean {
  try {
    return look();
  } catch (error) {
    if (error instanceof RalphError) return otherwise;
    throw error;
  }
}

export function ralphNamed(swarm: Swarm, name: string): KnownRalph {
  const known = knownRalph(swarm, name);
  if (known !== null) return known;
  const wasRemoved = findRalph(swarm, name) !== null;
  const hint = `Its folder ${ralphFolder(swarm.home, name)} was removed, and no supervisor runs its loop.`;
  throw refused(`worker '${name}' is not a ralph worker`, 1, wasRemoved ? hint : undefined);
}

/**
 * Null, too, if the loop's folder was removed and no supervisor runs it: that is how people forget a loop. A running
 * supervisor creates the folder again at once.
 */
export function knownRalph(swarm: Swarm, name: string) {
  const home = swarm.home;
  // Refuses names that would lead to another folder.
  const files = ralphFolder(home, name);
  const found = findRalph(swarm, name);
  if (found === null) return null;
  const supervised = isSupervised(found);
  if (!supervised && lstatSync(files, { throwIfNoEntry: false }) === undefined) return null;
  const file = readStateFile(home, name);
  // `true`: another process may have written it in the meantime, and known more.
  if (file.is !== 'whole') rewriteStateFile(swarm, name, true);
  return {
    found,
    view: withEdits(viewOf(found, supervised), file),
    /** The process on this machine that runs it; null for none. */
    supervisor: lockHolder(loopLock(found.folder)),
    /** True also for a supervisor that we cannot see, on another machine or in another container. */
    isSupervised: supervised,
  };
}

export function ralphNames(home: string): string[] {
  const namesIn = (folder: string): string[] => nullOn(['ENOENT', 'ENOTDIR'], () => readdirSync(folder)) ?? [];
  return [...new Set([...namesIn(ralphFolders(home)), ...namesIn(pointersFolder(home))])].filter(isName).sort();
}

/** Writes the state file again from the journal and the last command. */
export function rewriteStateFile(swarm: Swarm, name: string, unlessWhole = false): void {
  const { home, warn } = swarm;
  try {
    changeStateFile({ home: home, name, warn }, (file) => {
      // Read the journal under the lock: a supervisor writes its record before the file.
      const found = unlessWhole && file.is === 'whole' ? null : findRalph(swarm, name);
      return found === null ? null : withEdits(viewOf(found, isSupervised(found)), file);
    });
  } catch (error) {
    warn(`swarm: warning: ${unwritten(error, name)}`);
  }
}

/** Why the state file could not be written. Only for system errors, which must not stop the loop; throws any other. */
export function unwritten(error: unknown, name: string): string {
  if (error instanceof RalphError) return error.message;
  if (error instanceof Error && 'syscall' in error)
    return `cannot write the state file of '${name}': ${reasonOf(error)}`;
  throw error;
}

function viewOf(found: FoundRalph, supervised: boolean): RalphState {
  const { folder, state } = found;
  const run = state.phase.at === 'await' ? refusalsFile(state.phase.handle.name) : null;
  const refusals = run === null ? 0 : readRefusals(join(runsFolder(folder), run)).length;
  // With a new supervisor, the problem of the one that gave up is outdated.
  const problem = supervised ? null : found.problem;
  return ralphStateOf(state, { ...found, wanted: wantedOf(folder), refusals, problem });
}

/** The file, in the folder of the runs, to which a run's sandbox writes what it refuses. */
export const refusalsFile = (run: string) => `${run}.refused`;
