/** Drives a loop to its end: has each action performed, and writes its result to the journal in time. */
import type { Action, RunKey } from '../core/action.ts';
import { type Budgeted, type BudgetUse, newWarnings } from '../core/budget/terms.ts';
import { defined } from '../core/defined.ts';
import type { Ending } from '../core/ending.ts';
import { errnoOf } from '../core/error.ts';
import type { AgentEvent } from '../core/events.ts';
import type { LoopMachine } from '../core/machine/machine.ts';
import { endedBy, turns } from '../core/machine/turn.ts';
import { nextRecord, type Recorded, type Result } from '../core/record.ts';
import type { LoopState } from '../core/state.ts';
import { systemFault } from '../core/system-fault.ts';
import { alwaysReady, type Readiness } from '../process/follow.ts';
import { journalPath } from '../state/paths.ts';
import { clockJumps } from './drive/clock-jumps.ts';
import { durabilityOf } from './drive/durability.ts';
import { journalWatch, missingFrom } from './drive/journal-watch.ts';
import { signOfLifeAfter, signsOfLife } from './drive/sign-of-life.ts';
import { statusWriter } from './drive/status-writer.ts';
import { loopStatus, type OpenLoop } from './loop.ts';
import type { Perform, Performed } from './performers/perform.ts';

/** What a running loop reports. Records are complete; progress is for display and may be dropped. */
export type LoopEvent<Data = unknown> =
  | { readonly type: 'action'; readonly action: Action; readonly state: LoopState<Data> }
  | { readonly type: 'record'; readonly record: Recorded; readonly state: LoopState<Data> }
  /** A budget is nearly used up; emitted once for each kind of budget. */
  | { readonly type: 'budget'; readonly use: BudgetUse; readonly state: LoopState<Data> }
  | { readonly type: 'progress'; readonly run: RunKey; readonly seq: number; readonly event: AgentEvent };

export interface DriveOptions<Data> {
  readonly emit: (event: LoopEvent<Data>) => void;
  /** Back-pressure: a slow reader of the events delays the reading of the agent's output, not the agent. */
  readonly ready?: Readiness;
  /** Finish the current action, then stop. The loop stays unfinished and can be resumed. */
  readonly stop: AbortSignal;
  /** Stop at the next wait: an iteration that has begun ends with its checks and its commit. */
  readonly stopAtWait?: AbortSignal;
  /** Stop now: the current action is ended. */
  readonly cancel: AbortSignal;
}

const NO_ROOM = ['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO'];

export type Driven = { readonly kind: 'ended'; readonly ending: Ending } | { readonly kind: 'stopped' };

/** Something else has written into the journal; this record was not appended. */
class Tampering extends Error {
  constructor(
    readonly harm: string,
    readonly record: Recorded,
  ) {
    super(harm);
  }
}

export async function drive<Data>(
  machine: LoopMachine<Data>,
  loop: OpenLoop<Data>,
  perform: Perform,
  { emit, stop, stopAtWait = stop, cancel, ready = alwaysReady }: DriveOptions<Data>,
): Promise<Driven> {
  const { journal, folder } = loop;
  const durability = durabilityOf(journal);
  const endsWait = AbortSignal.any([stop, stopAtWait, cancel]);
  const status = statusWriter(folder);
  const watch = journalWatch(journalPath(folder));
  let { state } = loop;
  let hasStarted = false;
  const jumps = clockJumps();
  // Goes into the first record if the loop is resumed.
  let back = state.seq > 0 ? { resumedAt: Date.now(), aliveUntil: signOfLifeAfter(state.at, folder) } : {};
  const stopSigns = signsOfLife(folder);

  const append = (record: Recorded): void => {
    const harm = watch.harm();
    if (harm !== null) throw new Tampering(harm, record);
    watch.appended(journal.append(record));
    if (record.result.kind === 'ran') durability.begin();
    if (record.result.kind === 'ended') journal.syncNow();
  };
  const warned = new Set<Budgeted>();
  const warn = (use: BudgetUse): void => {
    if (warned.has(use.of)) return;
    warned.add(use.of);
    emit({ type: 'budget', use, state });
  };
  const performed = async (action: Action): Promise<Performed> => {
    // Nothing outward happens before the records that justify it are on disk.
    if (action.do === 'publish' || action.do === 'end' || (action.do === 'step' && action.outward))
      await durability.synced();
    if (action.do === 'end') return { result: endedBy(action) };
    const run = 'run' in action ? action.run : null;
    let seq = 0;
    return perform(action, {
      signal: action.do === 'wait' ? endsWait : cancel,
      ready,
      warn,
      progress: (event) => {
        if (run !== null) emit({ type: 'progress', run, seq: seq++, event });
      },
    });
  };
  /** The history can no longer be trusted, so nothing that the agent says counts: it is ended, not waited for. */
  const endTampered = async (harm: string, unwritten: readonly Recorded[] = []): Promise<Driven> => {
    state = unwritten.reduce(machine.apply, state);
    try {
      const at = { signal: AbortSignal.abort(), ready: alwaysReady, progress: () => undefined };
      if (state.phase.at === 'await') await perform(machine.next(state), at);
    } catch (error) {
      // The agent is ended by what is known of it in memory; its files may be gone.
      if (errnoOf(error) === undefined) throw error;
    }
    const reason = `the loop's own records were tampered with (${harm}): its result cannot be trusted`;
    const ending: Ending = { kind: 'tampered', reason };
    const record = nextRecord(state, { key: 'end', result: { kind: 'ended', ending }, at: Date.now(), ...back });
    state = machine.apply(state, record);
    try {
      watch.restore([...unwritten, record]);
      status.update(loopStatus(loop, state));
    } catch (error) {
      // The loop reports the tampering even if an agent has revoked write permission there.
      if (errnoOf(error) === undefined) throw error;
    }
    emit({ type: 'record', record, state });
    return { kind: 'ended', ending };
  };

  /** Records that the supervisor left: it has not crashed. A full or missing disk does not prevent leaving. */
  const leave = (): Driven => {
    const result: Result = { kind: 'left', ...defined({ by: signalIn([cancel, stop, stopAtWait]) }) };
    const record = nextRecord(state, { key: `left/${state.seq + 1}`, result, at: Date.now(), ...back });
    try {
      append(record);
    } catch (error) {
      if (systemFault(error) === null) throw error;
      return { kind: 'stopped' };
    }
    state = machine.apply(state, record);
    status.update(loopStatus(loop, state));
    emit({ type: 'record', record, state });
    return { kind: 'stopped' };
  };

  try {
    const turning = turns(machine, state, append);
    for (let turn = turning.next(); ; ) {
      const { record } = turn.value;
      const before = state;
      ({ state } = turn.value);
      if (record !== null) {
        if (record.result.kind === 'inputs' || record.result.kind === 'ended') status.update(loopStatus(loop, state));
        emit({ type: 'record', record, state });
        for (const use of newWarnings(before, state)) warn(use);
      }
      if (turn.done === true) return { kind: 'ended', ending: turn.value.ending };
      const { action } = turn.value;
      // An agent that was started is seen to its end, and so is a step, unless it is cancelled. If a cancel came while
      // the agent was started, awaiting it ends it.
      const isAtIt = state.phase.at === 'await' || (state.phase.at === 'step' && !cancel.aborted);
      const isAsked = (stop.aborted || cancel.aborted) && !isAtIt;
      if (isAsked || (stopAtWait.aborted && action.do === 'wait')) return leave();
      emit({ type: 'action', action, state });
      const taken = await performed(action);
      hasStarted ||= action.do === 'start';
      turn = turning.next({ ...taken, at: Date.now(), ...back, jumpedMs: jumps() });
      back = {};
    }
  } catch (error) {
    if (error instanceof Tampering) {
      // Keep the record of a start: that agent is running, whatever became of the journal.
      return await endTampered(error.harm, error.record.result.kind === 'started' ? [error.record] : []);
    }
    // A full disk leaves half of our own record: that is not tampering.
    const isOurHalf = NO_ROOM.includes(errnoOf(error) ?? '');
    // Before our first agent has worked, it cannot have removed anything.
    const harm = isOurHalf ? null : (watch.harm() ?? (hasStarted ? missingFrom(folder, error) : null));
    if (harm === null) throw error;
    return await endTampered(harm);
  } finally {
    stopSigns();
    watch.close();
    status.close();
  }
}

/** The signal behind an abort, by name: its reason says so. A program that uses the library has none. */
function signalIn(asked: readonly AbortSignal[]): string | undefined {
  const reason: unknown = asked.find(({ aborted }) => aborted)?.reason;
  return reason instanceof Error && /^SIG[A-Z]+$/.test(reason.message) ? reason.message : undefined;
}
