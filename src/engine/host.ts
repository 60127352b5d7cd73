/** The loop host: drives a loop that is open under its lock with what its loop kind brings, and closes everything. */
import { version } from '../../package.json';
import type { Environment } from '../config/environment.ts';
import type { LoopTerms } from '../core/budget/terms.ts';
import { type WorkState, workSince } from '../core/closing/closing-summary.ts';
import type { LoopMachine } from '../core/machine/machine.ts';
import type { Created } from '../core/record.ts';
import { isOver, type LoopState } from '../core/state.ts';
import { systemFault } from '../core/system-fault.ts';
import { type Host, thisHost } from '../process/host.ts';
import { baseOf } from '../state/loop-base.ts';
import { makeLoopsFolder } from '../state/new-loop.ts';
import { newLoopId } from '../state/paths.ts';
import { type Driven, type DriveOptions, drive } from './drive.ts';
import type { FallbackSpec } from './fallbacks.ts';
import { beginUnder, continueLoop, type LoopHome, lockFor, type OpenLoop } from './loop.ts';
import type { Preflight } from './loop-plan.ts';
import type { Perform } from './performers/perform.ts';
import { quotaSharing } from './quota.ts';
import { type SnapshotPlace, withSnapshots } from './snapshots.ts';
import { withControl } from './wait.ts';

export interface HostOptions<Data> extends DriveOptions<Data> {
  readonly environment: Environment;
  /** The command line that starts this program; a sandbox needs it. */
  readonly self: readonly [string, ...string[]] | null;
  /** What is said about the loop apart from its events. */
  readonly tell: (line: string) => void;
  /** For a loop that is begun; for one that is resumed, what changes. */
  readonly terms?: LoopTerms | undefined;
  /** The agents that work while the loop's own is limited; they become a part of its terms. */
  readonly fallbacks?: readonly FallbackSpec[] | undefined;
  readonly preflight?: Preflight;
  /** Gets what is there at the end, however the loop was left. */
  readonly left?: (state: LoopState<Data>, work: WorkState) => void;
}

/** What a loop kind brings for one loop. */
export interface Hosted<Data> {
  readonly machine: LoopMachine<Data>;
  /** The command that continues the loop, for a person; absent where none does. */
  readonly resume?: string;
  /** Called before the first turn. What it opens is closed at the end, in reverse order, also where opening failed. */
  open(closing: Closing): Promise<LoopWorld>;
}

export interface LoopWorld {
  readonly perform: Perform;
  /** Is the work committed? Asked once, when the loop was left; absent where it is not shown. */
  readonly work?: () => Promise<WorkState>;
  /** Whose snapshots are kept, one for each iteration; absent where none are. */
  readonly snapshots?: SnapshotPlace;
  /** What the loop kind has to do after the last turn and before its ending is shown. */
  readonly after?: (driven: Driven) => unknown;
}

export interface Closing {
  add(close: () => unknown): void;
}

export async function hostLoop<Data>(
  opened: OpenLoop<Data>,
  { machine, resume, open }: Hosted<Data>,
  { left, terms, ...options }: DriveOptions<Data> & Pick<HostOptions<Data>, 'left' | 'terms'>,
): Promise<Driven> {
  const closers: (() => unknown)[] = [() => opened.close()];
  let loop = opened;
  let last = opened.state;
  const quota = quotaSharing(opened.folder);
  const emit: typeof options.emit = (event) => {
    if (event.type === 'record') {
      last = event.state;
      quota.keep(event);
    }
    options.emit(event);
  };
  try {
    const isChanged = terms !== undefined && Object.keys(terms).length > 0;
    // A loop that was just begun has them in its first record.
    if (isChanged && opened.state.seq > 0 && !isOver(opened.state))
      loop = continueLoop(machine, opened, undefined, terms);
    last = loop.state;
    const world = await open({ add: (close) => void closers.push(close) });
    const { snapshots } = world;
    const own = quota.withNews(world.perform, loop.state.terms);
    const perform = snapshots === undefined ? own : withSnapshots(own, loop.folder, snapshots);
    const steered = withControl(perform, loop.folder, loop.state.consumed);
    closers.push(steered.close);
    const driven = await drive(machine, loop, steered.perform, { ...options, emit });
    await world.after?.(driven);
    if (world.work !== undefined) left?.(last, workSince(last.base, await world.work()));
    return driven;
  } catch (error) {
    throw systemFault(error, resume === undefined ? {} : { resume }) ?? error;
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}

export interface NewLoop extends Omit<Created, 'id' | 'release' | 'base'> {
  readonly id?: string;
  /** The files, by their paths from its directory on, that decide how its work is judged. */
  readonly pins?: readonly string[];
}

export function beginLoop<Data>(
  machine: LoopMachine<Data>,
  { id = newLoopId(Date.now()), pins, ...created }: NewLoop,
  home: LoopHome,
): OpenLoop<Data> {
  const base = baseOf(created.cwd, pins);
  makeLoopsFolder(home.root);
  return beginUnder(lockFor(home, created.cwd, id), machine, { ...created, id, release: version, base }, home);
}

export const hostOf = ({ variables, containment }: Environment): Host => thisHost(variables, containment);
