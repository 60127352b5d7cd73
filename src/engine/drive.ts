/** The outer loop: asks the crank what to do, has it done, records what came of it, until the end. */
import type { Crank } from '../core/crank.ts';
import type { Ending } from '../core/ending.ts';
import { RECORD_VERSION, type Recorded } from '../core/record.ts';
import { isOver } from '../core/state.ts';
import { systemFault } from '../core/system-fault.ts';
import type { Instant } from '../core/time.ts';
import { alwaysReady, type Readiness } from '../process/follow.ts';
import { durabilityOf } from './durability.ts';
import type { LoopEvent } from './events.ts';
import type { OpenLoop } from './loop.ts';
import type { Perform, Performed } from './perform.ts';
import { statusWriter } from './status-writer.ts';

export interface DriveOptions<Data> {
  readonly perform: Perform;
  readonly now: () => Instant;
  readonly emit: (event: LoopEvent<Data>) => void;
  /** A watcher that is behind holds up the reading of what the agent prints, not the agent. */
  readonly ready?: Readiness;
  /** Finish what is being done, then stop. The loop stays unfinished and can be resumed. */
  readonly stop: AbortSignal;
  /** Stop now: what is being done is ended. */
  readonly cancel: AbortSignal;
  /** The command that goes on with this loop, for whoever has to free a disk first. */
  readonly resume?: string;
}

export type Driven = { readonly kind: 'ended'; readonly ending: Ending } | { readonly kind: 'stopped' };

export async function drive<Data>(
  crank: Crank<Data>,
  loop: OpenLoop<Data>,
  options: DriveOptions<Data>,
): Promise<Driven> {
  const { journal, folder, createdAt } = loop;
  const { perform, now, emit, stop, cancel, resume, ready = alwaysReady } = options;
  const durability = durabilityOf(journal);
  const stopOrCancel = AbortSignal.any([stop, cancel]);
  const status = statusWriter<Data>(folder, createdAt);
  let { state } = loop;

  try {
    while (!isOver(state)) {
      // An agent that has been started is what is being done, and so is the look at what it left.
      const isAtIt = state.phase.at === 'await' || state.phase.at === 'step';
      if (cancel.aborted || (stop.aborted && !isAtIt)) return { kind: 'stopped' };
      const action = crank.next(state);
      emit({ type: 'action', action, state });

      // Nothing leaves the house before the reason for it is safe.
      if (action.do === 'publish' || action.do === 'end' || (action.do === 'step' && action.outward))
        await durability.settled();
      let performed: Performed;
      if (action.do === 'end') {
        performed = { result: { kind: 'ended', ending: action.ending }, attempt: 1 };
      } else {
        const run = 'run' in action ? action.run : null;
        let seq = 0;
        performed = await perform(action, {
          signal: action.do === 'wait' ? stopOrCancel : cancel,
          ready,
          progress: (event) => {
            if (run !== null) emit({ type: 'progress', run, seq: seq++, event });
          },
        });
      }

      const { result, attempt } = performed;
      const record: Recorded = { v: RECORD_VERSION, seq: state.seq + 1, at: now(), key: action.key, attempt, result };
      journal.append(record);
      if (result.kind === 'ran') durability.begin();
      if (result.kind === 'ended') journal.syncNow();
      state = crank.apply(state, record);
      if (result.kind === 'inputs' || result.kind === 'ended') status.update(state);
      emit({ type: 'record', record, state });
    }
    return { kind: 'ended', ending: state.phase.ending };
  } catch (error) {
    throw systemFault(error, resume === undefined ? {} : { resume }) ?? error;
  } finally {
    status.close();
  }
}
