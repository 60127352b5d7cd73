/** What the agent did and said in the turn that it wants to end, as the loop records it. */
import type { SessionHost, StopEvent, WorkSeen } from '../../agents/session/host.ts';
import type { Result } from '../../core/record.ts';
import type { LoopState } from '../../core/state.ts';
import { digestOf } from '../../core/text/digest.ts';
import { isPromised } from '../../loops/session/request.ts';
import type { SessionData } from '../../loops/session/rules.ts';
import { toolsRunIn } from '../../loops/session/store.ts';
import type { SeenInTurn } from '../../loops/session/work.ts';
import type { MachineIdentity } from '../../process/identity/identity.ts';
import { sleepNow } from '../../state/lock.ts';
import type { Call } from './call.ts';
import { placeInWorktree } from './git.ts';
import { bootMoment, runningFor } from './own-time.ts';

const PATIENCE_MS = 2000;
const LOOK_EVERY_MS = 20;
const LONGEST_LINE = 200;

export function turnOfAgent(
  { host, event, cap }: Call<StopEvent>,
  folder: string,
  { data, cwd }: LoopState<SessionData>,
  { boot }: MachineIdentity,
): Result {
  const toolsRun = toolsRunIn(folder);
  const work = wholeWork(host, event, data, toolsRun);
  const { texts, toolCalls, hasOutput, mark } = work;
  const words = event.words ?? texts.at(-1) ?? '';
  // The last words stand last, whether the transcript has them or not.
  const isGiven = isPromised(data.request, [...texts, words]);
  const worktree = isGiven && data.request.checks.length > 0 ? placeInWorktree(cwd, event.cwd) : null;
  const { background = [] } = event;
  const seen: SeenInTurn = {
    toolCalls,
    hasOutput,
    reply: digestOf(words),
    late: isBehind(event, work) ? digestOf(words.trim()) : null,
    mark,
    isFresh: event.isFresh,
    isSilent: toolCalls === 0 && texts.length === 0 && words === '',
    cap: cap?.blocks ?? null,
    ...(worktree === null ? {} : { worktree }),
    ...(toolsRun === 0 ? {} : { toolsRun }),
    ...(background.length === 0 ? {} : { background }),
    recordedAt: bootMoment(boot),
  };
  return {
    kind: 'ran',
    outcome: { kind: 'worked' },
    said: {
      tag: isGiven ? data.request.promise : null,
      firstLine: words.split('\n', 1)[0]?.slice(0, LONGEST_LINE) ?? null,
    },
    transcript: { path: mark.transcript ?? '', bytes: mark.offset },
    ...(toolCalls === null ? {} : { toolCalls }),
    seen,
  };
}

/**
 * An agent may write its transcript a moment after things have happened, now and then after the hook was called. A promise
 * is not rejected for the want of tool calls that are on their way there: as long as the last words are missing in it,
 * the transcript is behind, and is looked at again.
 */
function wholeWork(host: SessionHost, event: StopEvent, data: SessionData, toolsRun: number): WorkSeen {
  for (const end = runningFor() + PATIENCE_MS; ; sleepNow(LOOK_EVERY_MS)) {
    const seen = host.workSince(event, data.mark);
    const work = { ...seen, texts: withoutKnown(seen.texts, data.late) };
    if (!isBehind(event, work) || !wouldBeRejected(event, work, data, toolsRun) || runningFor() > end) return work;
  }
}

/** The last words are not among those that the transcript has. */
function isBehind({ words, transcript }: StopEvent, { texts }: WorkSeen): boolean {
  const said = words?.trim() ?? '';
  return transcript !== null && said !== '' && !texts.some((text) => text.trim() === said);
}

function wouldBeRejected(
  { words }: StopEvent,
  { texts, toolCalls }: WorkSeen,
  { request, toolCalls: before }: SessionData,
  toolsRun: number,
): boolean {
  const isTooLittle = (toolCalls === null ? Math.max(before, toolsRun) : before + toolCalls) < request.minToolCalls;
  return isTooLittle && request.onPromiseNoWork !== 'accept' && isPromised(request, [...texts, words ?? '']);
}

/** What was judged at the last stop, before the transcript had it, is not news when it turns up there, with or without blanks around it. */
function withoutKnown(texts: readonly string[], late: string | null): readonly string[] {
  const known = late === null ? -1 : texts.findIndex((text) => digestOf(text.trim()) === late);
  return known < 0 ? texts : texts.filter((_, index) => index !== known);
}
