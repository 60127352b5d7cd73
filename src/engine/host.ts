/** The loop host: drives a loop that is open under its lock with what its loop kind provides, and closes everything. */
import { version } from '../../package.json';
import { type Environment, isRehearsed } from '../config/environment.ts';
import type { LoopTerms } from '../core/budget/terms.ts';
import { type WorkState, workSince } from '../core/closing/closing-summary.ts';
import type { LoopMachine } from '../core/machine/machine.ts';
import type { Created } from '../core/record.ts';
import { isOver, type LoopState } from '../core/state.ts';
import { systemFault } from '../core/system-fault.ts';
import type { Duration } from '../core/time.ts';
import { type Host, thisHost } from '../process/host.ts';
import { baseOf } from '../state/loop-base.ts';
import { makeLoopsFolder } from '../state/new-loop.ts';
import { newLoopId, rootOf } from '../state/paths.ts';
import type { ListedLoop } from '../state/registry.ts';
import { voidEarlierCommands } from './control.ts';
import { type Driven, type DriveOptions, drive } from './drive.ts';
import type { FallbackSpec } from './fallbacks.ts';
import { endOrphans } from './left-behind/orphans.ts';
import { beginUnder, continueLoop, type LoopHome, lockFor, type OpenLoop, reopenLoop } from './loop.ts';
import type { Preflight } from './loop-plan.ts';
import type { Perform } from './performers/perform.ts';
import { quotaSharing } from './quota.ts';
import { type SnapshotPlace, withSnapshots } from './snapshots.ts';
import { withControl } from './wait.ts';

export interface HostOptions<Data> extends DriveOptions<Data> {
  readonly environment: Environment;
  /** The command line that starts this program; a sandbox needs it. */
  readonly self: readonly [string, ...string[]] | null;
  /** Gets lines for the user that are not events of the loop. */
  readonly tell: (line: string) => void;
  /** For a new loop, its terms; for a resumed loop, those that change. */
  readonly terms?: LoopTerms | undefined;
  /** The agents that work while the loop's own is limited; they become part of its terms. */
  readonly fallbacks?: readonly FallbackSpec[] | undefined;
  readonly preflight?: Preflight;
  /** Called when the loop has ended or was left, with its last state and the state of the work. */
  readonly left?: (state: LoopState<Data>, work: WorkState) => void;
}

/** What a loop kind provides for one loop. */
export interface Hosted<Data> {
  readonly machine: LoopMachine<Data>;
  /** The command with which a person continues the loop; absent if there is none. */
  readonly resume?: string;
  /** What interrupted loops left running in the directory is ended first; needs the work tree's lock. */
  readonly orphans?: { readonly grace: Duration; readonly loopKind?: string };
  /** Called before the first turn. What it adds to `closing` is closed in reverse order, even if opening fails. */
  open(closing: Closing): Promise<LoopWorld>;
}

export interface LoopWorld {
  readonly perform: Perform;
  /** Says whether the work is committed. Called once, when the loop was left; absent if that is not shown. */
  readonly work?: () => Promise<WorkState>;
  /** The work tree to take a snapshot of in each iteration; absent if none are taken. */
  readonly snapshots?: SnapshotPlace;
  /** What the loop kind does after the last turn, before the ending is shown. */
  readonly after?: (driven: Driven) => unknown;
}

export interface Closing {
  add(close: () => unknown): void;
}

export async function hostLoop<Data>(
  loop: OpenLoop<Data>,
  { machine, resume, orphans, open }: Hosted<Data>,
  { environment, left, ...options }: DriveOptions<Data> & Pick<HostOptions<Data>, 'environment' | 'left'>,
): Promise<Driven> {
  const closers: (() => unknown)[] = [() => loop.close()];
  let last = loop.state;
  const quota = quotaSharing(loop.folder, isRehearsed(environment.variables));
  const emit: typeof options.emit = (event) => {
    if (event.type === 'record') {
      last = event.state;
      quota.keep(event);
    }
    options.emit(event);
  };
  try {
    const { seq, id, cwd } = loop.state;
    if (orphans !== undefined && seq === 0) {
      const { grace, ...which } = orphans;
      await endOrphans(rootOf(loop.folder), { cwd, except: id, ...which }, grace);
    }
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
  /** The files that decide how the work is judged, as paths relative to its directory. */
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

/** What a loop is continued with. */
export interface Continuation {
  /** Only the terms that change. */
  readonly terms: LoopTerms | undefined;
  /** Null if the loop continues as it is; otherwise this is recorded, with the options that change. */
  readonly change: { readonly options?: unknown } | null;
}

export interface Resuming<Data, Prepared extends Continuation> {
  /** See `reopenLoop`. */
  readonly readAgain: (request: never, masked: never) => unknown;
  /** If it throws, the loop is left as it is, so that it can be resumed later. */
  readonly prepare: (loop: OpenLoop<Data>) => Prepared | Promise<Prepared>;
}

/** Opens a loop that a person wants to continue; pass it to `hostLoop`. */
export async function resumeLoop<Data, Prepared extends Continuation>(
  machine: LoopMachine<Data>,
  { id, cwd }: Pick<ListedLoop, 'id' | 'cwd'>,
  home: LoopHome,
  { readAgain, prepare }: Resuming<Data, Prepared>,
): Promise<Prepared & { readonly loop: OpenLoop<Data> }> {
  const loop = reopenLoop(machine, id, cwd, home, readAgain);
  try {
    const prepared = await prepare(loop);
    voidEarlierCommands(loop.folder);
    const { change, terms = {} } = prepared;
    const changed = change === null ? loop : continueLoop(machine, loop, change.options);
    if (Object.keys(terms).length === 0 || isOver(changed.state)) return { ...prepared, loop: changed };
    return { ...prepared, loop: continueLoop(machine, changed, undefined, terms) };
  } catch (error) {
    loop.close();
    throw error;
  }
}

export const hostOf = ({ variables, containment }: Environment): Host => thisHost(variables, containment);
