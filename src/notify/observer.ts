/** Watches the events of one loop and queues messages for people. It never waits. */

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
  /** Shows why a message could not be queued; the loop continues. */
  tell(line: string): void;
  startSender(): void;
  /** Writes to the loop's terminal; absent if there is none. */
  readonly toTerminal?: ((text: string) => void) | undefined;
}

export interface LoopObserver {
  see(event: LoopEvent): void;
  /** Called when an error stopped the loop. */
  failed(error: unknown): void;
}

/** Null if no notifications are set up. Invalid settings are refused before the loop begins. */
export function loopObserver(ports: ObserverPorts): LoopObserver | null {
  const settings = readNotifySettings(ports.environment.variables);
  if (settings === null) return null;
  replaceSender(ports);
  return observing(settings, ports);
}

/**
 * Starts a new sender if there is work for it: the last one may have been killed, or ended with the machine or with the
 * agent that started it.
 */
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
      // A failed message must not stop the loop.
      if (systemFault(error) === null && !(error instanceof RalphError)) throw error;
      tell(`warning: no notification could be queued: ${faultMessage(error)}`);
    }
  };
  return {
    see(event) {
      if (event.type === 'progress') return;
      guarded(() => {
        last = event.state;
        // Everything before this supervisor's first event was reported by the previous one.
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

/** The agent that asked for this loop sees how it ends; a person gets only what no agent can handle. */
const OF_CHILDREN: readonly NoticeEvent[] = ['blocked', 'tampered'];

function isAskedByAgent(root: StateRoot, id: string): boolean {
  const first = readJournalEnds(journalPath(loopFolder(root, id)))?.first.result;
  return first?.kind === 'created' && first.parent !== undefined;
}

/** The events that the project's settings ask for; a mistake in them mutes nothing. */
function eventsHere(cwd: string, tell: (line: string) => void): readonly NoticeEvent[] {
  try {
    return projectEvents(cwd);
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    tell(`warning: ${error.message}`);
    return NOTICE_EVENTS;
  }
}
