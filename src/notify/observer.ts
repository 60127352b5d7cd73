/** Watches the events of one loop and queues a message for what people want to know. It waits for nothing. */

import type { Environment } from '../config/environment.ts';
import { type NotifySettings, projectEvents, readNotifySettings } from '../config/notify-settings.ts';
import type { Clock } from '../core/closing/closing-summary.ts';
import { RalphError } from '../core/error.ts';
import { NOTICE_EVENTS, type Notice, type NoticeEvent } from '../core/notice.ts';
import type { LoopState } from '../core/state.ts';
import { faultMessage, systemFault } from '../core/system-fault.ts';
import type { LoopEvent } from '../engine/drive.ts';
import { readJournalEnds } from '../state/journal.ts';
import { lockHolder } from '../state/lock.ts';
import { journalPath, loopFolder, type StateRoot } from '../state/paths.ts';
import { shortName } from '../state/short-names.ts';
import { continuedElsewhere } from '../views/resumable.ts';
import {
  type NoticeText,
  noticeOf,
  noticeOfBudget,
  noticeOfError,
  placeOf,
  type Told,
  toldBefore,
} from './notice-of-loop.ts';
import { hasOpenReplies } from './replies/book-file.ts';
import { hasQueued, newNoticeId, queueNotice, senderLock } from './spool.ts';
import { terminalNotice } from './terminal-notice.ts';

export interface ObserverPorts {
  readonly environment: Pick<Environment, 'root' | 'variables' | 'mask'>;
  readonly clock: Clock;
  /** For what keeps messages from being queued; the loop goes on. */
  tell(line: string): void;
  startSender(): void;
  /** Writes to the terminal of the loop; absent where there is none. */
  readonly toTerminal?: ((text: string) => void) | undefined;
}

export interface LoopObserver {
  see(event: LoopEvent): void;
  /** An error has kept the loop from going on. */
  failed(error: unknown): void;
}

/** Null where no one is to be notified. What is wrong with the settings is refused before the loop begins. */
export function loopObserver(ports: ObserverPorts): LoopObserver | null {
  const settings = readNotifySettings(ports.environment.variables);
  if (settings === null) return null;
  replaceSender(ports);
  return observing(settings, ports);
}

/** The sender may have been killed, or ended with the machine or with the agent that started it, and left work to do. */
function replaceSender({ environment: { root }, startSender }: ObserverPorts): void {
  if ((hasQueued(root) || hasOpenReplies(root)) && lockHolder(senderLock(root)) === null) startSender();
}

function observing(settings: NotifySettings, ports: ObserverPorts): LoopObserver {
  const { environment, clock, tell } = ports;
  const { root, mask } = environment;
  let told: Told | null = null;
  let last: LoopState<unknown> | null = null;
  let wanted: readonly NoticeEvent[] | null = null;
  let name = '';
  const words = (state: LoopState<unknown>) => ({ name, clock, mask, isResumed: continuedElsewhere(state) === null });
  const begin = (state: LoopState<unknown>): Told => {
    name = shortName(root, state.id);
    const here = eventsHere(state.cwd, tell);
    wanted = isAskedByAgent(root, state.id) ? here.filter((event) => OF_CHILDREN.includes(event)) : here;
    return toldBefore(state);
  };
  const queue = (state: LoopState<unknown>, text: NoticeText): void => {
    if (!(wanted ?? []).includes(text.event) || !settings.events.includes(text.event)) return;
    const now = Date.now();
    const loop = { id: state.id, name, kind: state.loopKind, place: placeOf(mask(state.cwd)) };
    const notice: Notice = { v: 1, id: newNoticeId(now), at: now, loop, ...text };
    ports.toTerminal?.(terminalNotice(settings, notice, now));
    const isSent = Object.values(settings.receivers).some(
      ({ kind, events }) => kind !== 'terminal' && (events?.includes(text.event) ?? true),
    );
    if (isSent && queueNotice(root, notice)) ports.startSender();
  };
  const guarded = (act: () => void): void => {
    try {
      act();
    } catch (error) {
      // A message is never worth a loop.
      if (systemFault(error) === null && !(error instanceof RalphError)) throw error;
      tell(`warning: no notification could be queued: ${faultMessage(error)}`);
    }
  };
  return {
    see(event) {
      if (event.type === 'progress') return;
      guarded(() => {
        last = event.state;
        // What its records had to tell before this supervisor came, the last one has told.
        const before =
          told ?? begin(event.type === 'record' ? { ...event.state, phase: { at: 'inputs' } } : event.state);
        told ??= before;
        if (event.type === 'budget') queue(event.state, noticeOfBudget(event.state, event.use, words(event.state)));
        if (event.type !== 'record') return;
        if (event.record.result.kind === 'ran') replaceSender(ports);
        const now = noticeOf(before, event.record, event.state, words(event.state));
        told = now.told;
        if (now.notice !== null) queue(event.state, now.notice);
      });
    },
    failed(error) {
      const state = last;
      if (state !== null && !told?.isOver)
        guarded(() => queue(state, noticeOfError(state, faultMessage(error), words(state))));
    },
  };
}

/** An agent asked for the loop and hears how it ends; a person is wanted only for what no agent can do. */
const OF_CHILDREN: readonly NoticeEvent[] = ['blocked', 'tampered'];

function isAskedByAgent(root: StateRoot, id: string): boolean {
  const first = readJournalEnds(journalPath(loopFolder(root, id)))?.first.result;
  return first?.kind === 'created' && first.parent !== undefined;
}

/** What the project wants; a mistake in there mutes nothing. */
function eventsHere(cwd: string, tell: (line: string) => void): readonly NoticeEvent[] {
  try {
    return projectEvents(cwd);
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    tell(`warning: ${error.message}`);
    return NOTICE_EVENTS;
  }
}
