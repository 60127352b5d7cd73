/**
 * Claude Code writes its transcript a moment after things have happened, now and then after the hook was called. A promise
 * is not rejected for the want of tool calls that are on their way there: as long as the last words are missing in it,
 * the transcript is behind, and is looked at again.
 */

import type { SessionHost, StopEvent, WorkSeen } from '../../agents/session/host.ts';
import { digestOf } from '../../core/text/digest.ts';
import { isPromised } from '../../loops/session/promise.ts';
import type { SessionData } from '../../loops/session/rules.ts';
import { runningFor } from './own-time.ts';

const PATIENCE_MS = 2000;
const LOOK_EVERY_MS = 20;

/** `toolsRun`: how many tools have run by what their own hooks have noted. */
export async function settledWork(
  host: SessionHost,
  event: StopEvent,
  data: SessionData,
  toolsRun: number,
): Promise<WorkSeen> {
  for (const end = runningFor() + PATIENCE_MS; ; await aMoment()) {
    const seen = host.workSince(event, data.mark);
    const work = { ...seen, texts: withoutKnown(seen.texts, data.late) };
    if (!isBehind(event, work) || !wouldBeRejected(event, work, data, toolsRun) || runningFor() > end) return work;
  }
}

function aMoment(): Promise<void> {
  // (`node:timers/promises` would be loaded for every call of the hook.)
  return new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
}

/** The last words are not among those that the transcript has. */
export function isBehind({ words, transcript }: StopEvent, { texts }: WorkSeen): boolean {
  const said = words?.trim() ?? '';
  return transcript !== null && said !== '' && !texts.some((text) => text.trim() === said);
}

function wouldBeRejected(
  { words }: StopEvent,
  { texts, toolCalls }: WorkSeen,
  { request, toolCalls: before }: SessionData,
  toolsRun: number,
) {
  const isTooLittle = (toolCalls === null ? Math.max(before, toolsRun) : before + toolCalls) < request.minToolCalls;
  return isTooLittle && request.onPromiseNoWork !== 'accept' && isPromised(request, [...texts, words ?? '']);
}

/** What was judged at the last stop, before the transcript had it, is not news when it turns up there, with or without blanks around it. */
function withoutKnown(texts: readonly string[], late: string | null): readonly string[] {
  const known = late === null ? -1 : texts.findIndex((text) => digestOf(text.trim()) === late);
  return known < 0 ? texts : texts.filter((_, index) => index !== known);
}
