/**
 * Finds a worker's loop and tells what is true of it, from its journal. The state file is never believed: where it is
 * missing or damaged it is written again, and only the three values that people may edit are taken from it.
 */
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../../config/environment.ts';
import { errnoOf, RalphError } from '../../../core/error.ts';
import { fold } from '../../../core/machine.ts';
import type { Ran, Recorded } from '../../../core/record.ts';
import { isOver, type LoopState, startedIterations } from '../../../core/state.ts';
import { reasonOf } from '../../../core/system-fault.ts';
import type { Instant } from '../../../core/time.ts';
import { wantedOf } from '../../../engine/control.ts';
import { neverBegan } from '../../../engine/loop.ts';
import { thisMachine } from '../../../process/identity/identity.ts';
import { readRefusals } from '../../../runners/sandbox/refusals.ts';
import { readJournal } from '../../../state/journal.ts';
import { type Holder, isLocked, lockHolder } from '../../../state/lock.ts';
import { journalPath, loopFolder, loopLock } from '../../../state/paths.ts';
import { withRequest } from '../../../state/request.ts';
import { runsFolder } from '../../../state/run-files.ts';
import { refused, type Swarm } from '../workers/swarm.ts';
import { isName } from '../workers/worker-name.ts';
import { loopOf, pointersFolder } from './pointer.ts';
import { ralphStateOf } from './project.ts';
import { type RalphData, ralphMachine } from './rules.ts';
import {
  changeStateFile,
  editedInputs,
  type RalphState,
  ralphFolder,
  ralphFolders,
  readStateFile,
  withEdits,
} from './state-file.ts';

export interface FoundRalph {
  readonly id: string;
  readonly cwd: string;
  readonly folder: string;
  readonly isOver: boolean;
  readonly state: LoopState<RalphData>;
  readonly createdAt: Instant;
  /** Of the last iteration that was started. */
  readonly iterationStartedAt: Instant;
  /** Of the last run that came to an end. */
  readonly lastRun: Ran | null;
  /** Why its supervisor gave up though the loop is not over, such as a prompt file that is gone. */
  readonly problem: string | null;
}

/** A loop, and what people are told of it. */
export interface KnownRalph {
  readonly found: FoundRalph;
  readonly view: RalphState;
  /** Who turns it, on this machine; null for nobody. */
  readonly supervisor: Holder | null;
  /** Also by one whom we cannot see, on another machine or in another container. */
  readonly isSupervised: boolean;
}

export function findRalph(home: string, name: string, { root }: Environment): FoundRalph | null {
  const id = loopOf(home, name);
  if (id === null) return null;
  const folder = loopFolder(root, id);
  const records = recordsOf(folder);
  const [first] = records;
  if (first === undefined && existsSync(journalPath(folder))) throw neverBegan(id, folder);
  if (first === undefined) return null;
  const state = fold(ralphMachine, withRequest(records, folder));
  return {
    id,
    cwd: state.cwd,
    folder,
    isOver: isOver(state),
    state,
    createdAt: first.at,
    iterationStartedAt: records.findLast(({ result }) => result.kind === 'started')?.at ?? first.at,
    lastRun: lastRunIn(records),
    problem: problemIn(state, records.at(-1)),
  };
}

/** Does anybody turn it? A look only: whoever took the lock to look would keep a supervisor from it. */
export function isSupervised({ folder }: Pick<FoundRalph, 'folder'>): boolean {
  return isLocked(loopLock(folder), thisMachine());
}

/** Is it being turned, and not just brought to its end? A damaged journal does not say the latter. */
export function isTurned(home: string, name: string, environment: Environment): boolean {
  const id = loopOf(home, name);
  if (id === null || !isSupervised({ folder: loopFolder(environment.root, id) })) return false;
  try {
    return findRalph(home, name, environment)?.isOver !== true;
  } catch (error) {
    if (error instanceof RalphError) return true;
    throw error;
  }
}

type Asking = Pick<Swarm, 'home' | 'warn'>;

/** Has it begun to work, and could it be continued where it stands? One whose journal is damaged cannot. */
export function isUnfinished(name: string, asking: Asking, environment: Environment): boolean {
  try {
    const found = knownRalph(name, asking, environment)?.found;
    return found !== undefined && !found.isOver && startedIterations(found.state) > 0;
  } catch (error) {
    if (error instanceof RalphError) return false;
    throw error;
  }
}

/** Throws for a worker that has no loop. */
export function knownRalphOr(name: string, asking: Asking, environment: Environment): KnownRalph {
  const known = knownRalph(name, asking, environment);
  if (known !== null) return known;
  const wasRemoved = findRalph(asking.home.path, name, environment) !== null;
  const hint = `Its folder ${ralphFolder(asking.home.path, name)} was removed, and no supervisor runs its loop.`;
  throw refused(`worker '${name}' is not a ralph worker`, 1, wasRemoved ? hint : undefined);
}

/** Null also for a loop whose folder was removed: that is how people forget one. While it is turned, it is back at once. */
export function knownRalph(name: string, asking: Asking, environment: Environment): KnownRalph | null {
  const home = asking.home.path;
  // Refuses a name that would lead elsewhere.
  const files = ralphFolder(home, name);
  const found = findRalph(home, name, environment);
  if (found === null) return null;
  const supervised = isSupervised(found);
  if (!supervised && lstatSync(files, { throwIfNoEntry: false }) === undefined) return null;
  const file = readStateFile(home, name);
  if (file.is !== 'whole') mendStateFile(name, asking, environment);
  const view = viewOf(found, supervised);
  return {
    found,
    view: { ...view, ...editedInputs(file, view) },
    supervisor: lockHolder(loopLock(found.folder), thisMachine()),
    isSupervised: supervised,
  };
}

/** All workers that have, or had, a loop. */
export function ralphNames(home: string): string[] {
  const names = [...namesIn(ralphFolders(home)), ...namesIn(pointersFolder(home))];
  return [...new Set(names)].filter(isName).sort();
}

/** Writes the state file anew from the journal and the order that stands. */
export function rewriteStateFile(name: string, asking: Asking, environment: Environment): void {
  writeView(name, asking, environment, () => true);
}

/** Under the lock somebody else may have done it already, and has known more. */
function mendStateFile(name: string, asking: Asking, environment: Environment): void {
  writeView(name, asking, environment, (is) => is !== 'whole');
}

function writeView(
  name: string,
  { home, warn }: Asking,
  environment: Environment,
  isWanted: (is: 'missing' | 'damaged' | 'whole') => boolean,
): void {
  try {
    changeStateFile({ home: home.path, name, warn }, (file) => {
      // Read under the lock: a supervisor writes its record first and the file then.
      const found = isWanted(file.is) ? findRalph(home.path, name, environment) : null;
      return found === null ? null : withEdits(viewOf(found, isSupervised(found)), file);
    });
  } catch (error) {
    warn(`swarm: warning: ${unwritten(error, name)}`);
  }
}

/** Why the state file could not be written, where that is the machine's doing: nobody's work depends on it. */
export function unwritten(error: unknown, name: string): string {
  if (error instanceof RalphError) return error.message;
  if (error instanceof Error && 'syscall' in error)
    return `cannot write the state file of '${name}': ${reasonOf(error)}`;
  throw error;
}

function viewOf(
  { folder, state, createdAt, iterationStartedAt, problem }: FoundRalph,
  supervised: boolean,
): RalphState {
  const { phase } = state;
  const run = phase.at === 'await' ? join(runsFolder(folder), refusalsFile(phase.handle.name)) : null;
  return ralphStateOf(state, {
    createdAt,
    iterationStartedAt,
    order: wantedOf(folder),
    refusals: run === null ? 0 : readRefusals(run).length,
    // Whoever turns it now has come after the one who gave up.
    problem: supervised ? null : problem,
  });
}

/** In the folder of the runs: where a run's sandbox writes what it refuses. */
export function refusalsFile(run: string): string {
  return `${run}.refused`;
}

function lastRunIn(records: readonly Recorded[]): Ran | null {
  const last = records.findLast(({ result }) => result.kind === 'ran')?.result;
  return last?.kind === 'ran' ? last : null;
}

function problemIn({ phase }: LoopState<RalphData>, last: Recorded | undefined): string | null {
  return phase.at === 'inputs' && last?.result.kind === 'interrupted' ? last.result.reason : null;
}

/** None for a loop whose folder in the state directory is gone. */
function recordsOf(folder: string): Recorded[] {
  try {
    return readJournal(journalPath(folder)).records;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}
