/** Notifies people when the loop of a session is over or needs them, by a file in the queue of the sender. */
import { join } from 'node:path';
import { notifyingSettings } from '../../config/user-file.ts';
import { type Notice, type NoticeEvent, titleOf } from '../../core/notice.ts';
import { isOver } from '../../core/state.ts';
import { isFields, parsedJson } from '../../core/text/json.ts';
import { type State, statusOfSession } from '../../loops/session/rules.ts';
import { type NoticeText, noticeOfEnding, placeOf } from '../../notify/notice-of-loop.ts';
import { newNoticeId, queueNotice } from '../../notify/spool.ts';
import { startSender } from '../../notify/start-sender.ts';
import { plainTextIfThere } from '../../process/files.ts';
import { shortName } from '../../state/short-names.ts';
import type { Call } from './call.ts';

/** Errors here are ignored: a notification must never make the hook fail. */
export function notifyOfStop(call: Pick<Call, 'place' | 'mask' | 'typing'>, state: State): void {
  const { env } = process;
  const settings = notifyingSettings(env);
  if (settings === null || !hasReceivers(settings) || (env.RALPH_REHEARSAL ?? '') !== '') return;
  try {
    const { root } = call.place;
    const name = shortName(root, state.id);
    const text = textFor(state, name, call);
    if (text === null || !isWanted(state.cwd, text.event)) return;
    const now = Date.now();
    const loop = { id: state.id, name, kind: state.loopKind, place: placeOf(call.mask(state.cwd)) };
    const notice: Notice = { v: 1, id: newNoticeId(now), at: now, loop, ...text };
    if (queueNotice(root, notice)) startSender(env, __dirname);
  } catch {
    // The answer to the agent is more important.
  }
}

function textFor(state: State, name: string, { mask, typing }: Pick<Call, 'mask' | 'typing'>): NoticeText | null {
  const clock = (at: number): string => new Date(at).toTimeString().slice(0, 5);
  if (isOver(state)) return noticeOfEnding(state, state.phase.ending, { name, clock, mask, isResumed: false });
  if (statusOfSession(state) !== 'CAP_REACHED') return null;
  const title = titleOf('blocked', placeOf(mask(state.cwd)), 'needs you');
  return {
    event: 'blocked',
    title,
    text: `Its agent stopped.\nLoop ${name}`,
    next: `${typing.slash}ralph-loop --resume`,
    can: [],
  };
}

/** True for settings that cannot be parsed: they are being edited, and the sender keeps using the last valid ones. */
function hasReceivers(settings: string): boolean {
  const read = parsedJson(settings);
  if (!isFields(read)) return true;
  const { receivers } = notifyIn(read) as { receivers?: unknown };
  return isFields(receivers) && Object.keys(receivers).length > 0;
}

const SETTINGS = ['.ralph/settings.json', '.ralph/settings.local.json'];

/** What the project's settings say about its loops, read without the schemas for settings, which are slow to load. */
function isWanted(cwd: string, event: NoticeEvent): boolean {
  const said = SETTINGS.map((file) => parsedJson(plainTextIfThere(join(cwd, file)) ?? ''));
  const { mute, events } = Object.assign({}, ...said.map(notifyIn)) as { mute?: unknown; events?: unknown };
  return event === 'tampered' || (mute !== true && (!Array.isArray(events) || events.includes(event)));
}

function notifyIn(settings: unknown): object {
  return isFields(settings) && isFields(settings.notify) ? settings.notify : {};
}
