/**
 * The agent wants to stop: one turn of the machine, under the loop's lock. Either the loop has ended and the session may
 * stop, or the agent is sent back.
 */

import type { SessionAnswer, SessionHost, StopEvent } from '../../agents/session/host.ts';
import type { Action } from '../../core/action.ts';
import type { Recorded, Result } from '../../core/record.ts';
import { isOver, type LoopState } from '../../core/state.ts';
import { digestOf } from '../../core/text/digest.ts';
import { type Mask, maskFor } from '../../core/text/mask.ts';
import { turnAtOnce } from '../../core/turn.ts';
import { continuationFor } from '../../loops/session/messages.ts';
import { isPromised } from '../../loops/session/promise.ts';
import {
  BROKEN_OFF,
  LOOK_AT_TREE,
  type SessionData,
  sessionMachine,
  statusOfSession,
} from '../../loops/session/rules.ts';
import { performAtOnce } from '../../loops/session/turn.ts';
import { endNotice, goOnNotice, logLine, unheardPromise } from '../../loops/session/wording.ts';
import type { SeenInTurn } from '../../loops/session/work.ts';
import { thisMachine } from '../../process/identity/identity.ts';
import { tryLock } from '../../state/lock.ts';
import { loopLock } from '../../state/paths.ts';
import { runCheck } from './check.ts';
import { endLeftCheck } from './check-left.ts';
import { closingText } from './closing.ts';
import { treeFingerprint } from './fingerprint.ts';
import { note, writeLog } from './log.ts';
import { tellingFor } from './messages.ts';
import { bootMoment, runningFor, wasRunningAt } from './own-time.ts';
import { isBehind, settledWork } from './settled-work.ts';
import { activeLoop, type OpenLoop, openLoop, type SessionPlace, settle, toolsRunIn } from './store.ts';
import { placeInWorktree } from './worktree.ts';

type State = LoopState<SessionData>;

const LONGEST_LINE = 200;

export async function answerStop(host: SessionHost, event: StopEvent, place: SessionPlace): Promise<SessionAnswer> {
  const folder = activeLoop(place);
  if (folder === null) return { kind: 'nothing' };
  const here = thisMachine();
  const attempt = tryLock(loopLock(folder), 'Stop hook', here);
  // Another hook of this session is turning the same machine; one turn is enough.
  if (!attempt.got) return { kind: 'nothing' };
  try {
    const mask = maskFor(process.env);
    const loop = openLoop(folder, mask);
    try {
      if (isSameTurn(loop.records, here.boot)) return { kind: 'nothing' };
      const after = await turnLoop(host, event, folder, loop, { mask, boot: here.boot });
      if (after === null) return { kind: 'nothing' };
      // The answer leaves the house: what it rests on must be on the disk.
      loop.journal.syncNow();
      settle(place, folder, after, loop.records[0]?.at ?? after.at);
      const status = statusOfSession(after);
      if (after.seq !== loop.state.seq) writeLog(folder, mask(logLine(after, status, after.at)));
      if (status !== 'ACTIVE') return { kind: 'stop', notice: noticeFor(host, event, folder, after, loop.state) };
      const telling = tellingFor(host, event, folder, after.data.request.task);
      return {
        kind: 'go-on',
        prompt: continuationFor(after, telling),
        notice: goOnNotice(after, host.typing(process.env)),
      };
    } finally {
      loop.journal.close();
    }
  } finally {
    attempt.lock.release();
  }
}

/**
 * Two copies of this hook may be called for one turn of the agent; the loop is turned by the first. The hosts start all
 * hooks of a stop at once and go on when they have answered: one that was started before the last turn was recorded
 * belongs to it. (The transcript does not tell: it may not have grown yet when the hook is called. Nor does the clock on
 * the wall: it may be set back.)
 */
function isSameTurn(records: readonly Recorded[], boot: string): boolean {
  const last = records.findLast(({ result }) => result.kind === 'ran')?.result;
  const { recordedAt } = (last?.kind === 'ran' ? (last.seen as Partial<SeenInTurn>) : null) ?? {};
  return recordedAt !== undefined && wasRunningAt(recordedAt, boot);
}

/** Null when a check was broken off: nothing was decided. */
async function turnLoop(
  host: SessionHost,
  event: StopEvent,
  folder: string,
  loop: OpenLoop,
  { mask, boot }: { readonly mask: Mask; readonly boot: string },
): Promise<State | null> {
  let checksBegan: number | null = null;
  let isTimeUp = false;
  const { append } = loop.journal;
  const { cwd } = loop.state;
  const turned = (from: State, result: Result | null): State =>
    turnAtOnce(sessionMachine, from, result, { perform: (action) => perform(action, cwd), append, now: Date.now() });
  // A hook that was killed may have left its turn half done, and the agent has had one more since.
  const left = unjudged(loop.state);
  if (left !== null) note(folder, loop.state, 'the promise was not judged: its checks were broken off');
  let state = left !== null || isBetweenTurns(loop.state) ? turned(loop.state, left) : loop.state;
  let brought: Result | null = state.phase.at === 'await' ? await ranFrom(host, event, folder, state, boot) : null;
  for (;;) {
    state = turned(state, brought);
    const action = isOver(state) ? null : sessionMachine.next(state);
    if (action?.do !== 'check') return state;
    endLeftCheck(folder);
    checksBegan ??= runningFor();
    const leftMs = isTimeUp ? 0 : (action.check.timeoutMs ?? 0) - (runningFor() - checksBegan);
    const place = state.data.worktree ?? cwd;
    const checked = await runCheck({ spec: action.check, folder, cwd: place, leftMs, mask });
    if (checked === null) return null;
    isTimeUp ||= checked.outcome.is === 'timed-out';
    brought = { kind: 'checked', ...checked };
  }
}

/** A promise is judged by the hook of the stop that it was given at: what that one has not come to is not made up for. */
function unjudged({ phase }: State): Result | null {
  if (phase.at === 'step' && phase.what === LOOK_AT_TREE) {
    return { kind: 'stepped', what: LOOK_AT_TREE, gave: BROKEN_OFF };
  }
  if (phase.at !== 'check') return null;
  const { index } = phase;
  return {
    kind: 'checked',
    index,
    outcome: { is: 'unseen' },
    log: '',
    output: '',
    truncated: false,
    durationMs: 0,
  };
}

function isBetweenTurns({ phase }: State): boolean {
  return phase.at === 'wait' || phase.at === 'inputs' || phase.at === 'start';
}

function perform(action: Action, tree: string): Result | null {
  if (action.do === 'step' && action.what === LOOK_AT_TREE) {
    return { kind: 'stepped', what: LOOK_AT_TREE, gave: treeFingerprint(tree) };
  }
  return performAtOnce(action);
}

async function ranFrom(
  host: SessionHost,
  event: StopEvent,
  folder: string,
  { data, cwd }: State,
  boot: string,
): Promise<Result> {
  const toolsRun = toolsRunIn(folder);
  const work = await settledWork(host, event, data, toolsRun);
  const { texts } = work;
  const words = event.words ?? texts.at(-1) ?? '';
  const cap = host.cap?.(process.env)?.blocks ?? null;
  // The last words stand last, whether the transcript has them or not.
  const isGiven = isPromised(data.request, [...texts, words]);
  const worktree = isGiven && data.request.checks.length > 0 ? placeInWorktree(cwd, event.cwd) : null;
  const seen: SeenInTurn = {
    toolCalls: work.toolCalls,
    hasOutput: work.hasOutput,
    reply: digestOf(words),
    late: isBehind(event, work) ? digestOf(words.trim()) : null,
    mark: work.mark,
    isFresh: event.isFresh,
    isSilent: work.toolCalls === 0 && texts.length === 0 && words === '',
    cap,
    ...(worktree === null ? {} : { worktree }),
    ...(toolsRun === 0 ? {} : { toolsRun }),
    ...(event.background === undefined || event.background.length === 0 ? {} : { background: event.background }),
    recordedAt: bootMoment(boot),
  };
  return {
    kind: 'ran',
    outcome: { kind: 'worked' },
    said: {
      tag: isGiven ? data.request.promise : null,
      firstLine: words.split('\n', 1)[0]?.slice(0, LONGEST_LINE) ?? null,
    },
    transcript: { path: work.mark.transcript ?? '', bytes: work.mark.offset },
    ...(work.toolCalls === null ? {} : { toolCalls: work.toolCalls }),
    seen,
  };
}

function noticeFor(
  host: SessionHost,
  { words }: StopEvent,
  folder: string,
  after: State,
  before: State,
): string | null {
  const typing = host.typing(process.env);
  // Told once, when it happened; and when a promise is given that nobody judges.
  if (after.seq === before.seq) return isPromised(after.data.request, [words ?? '']) ? unheardPromise(typing) : null;
  const cap = host.cap?.(process.env);
  const notice = endNotice(after, typing, cap?.howToLift(after.data.request.maximumIterations + 1) ?? null);
  const closing = closingText(after, folder, typing);
  return notice === null ? closing : `${notice}\n${closing}`;
}
