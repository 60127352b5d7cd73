/** The agent wants to stop: takes the loop's next turn, under its lock, and lets the agent stop or sends it back. */
import type { SessionAnswer, SessionHost, StopEvent, WorkSeen } from '../../agents/session/host.ts';
import type { Action } from '../../core/action.ts';
import type { Result } from '../../core/record.ts';
import { isOver } from '../../core/state.ts';
import { digestOf } from '../../core/text/digest.ts';
import { openUnder, turnOpen } from '../../engine/loop.ts';
import { continuationFor } from '../../loops/session/messages.ts';
import { isPromised } from '../../loops/session/request.ts';
import { BROKEN_OFF, LOOK_AT_TREE, type State, sessionMachine, statusOfSession } from '../../loops/session/rules.ts';
import {
  activeLoop,
  note,
  performAtOnce,
  persistTurn,
  type SessionLoop,
  toolsRunIn,
} from '../../loops/session/store.ts';
import { endNotice, goOnNotice, logLine, unheardPromise } from '../../loops/session/wording.ts';
import type { SeenInTurn } from '../../loops/session/work.ts';
import { sleepNow } from '../../process/blocking.ts';
import { tryLock } from '../../state/lock.ts';
import { loopLock } from '../../state/paths.ts';
import { placeInWorktree, treeFingerprint } from '../io/git.ts';
import { bootMoment, type Call, closingText, runningFor, textLimitsFor, wasRunningAt } from './call.ts';
import { endLeftCheck, runCheck } from './check.ts';
import { notifyOfStop } from './notify.ts';

type StopCall = Call<StopEvent>;

export async function answerStop(call: StopCall): Promise<SessionAnswer> {
  const folder = activeLoop(call.place);
  if (folder === null) return { kind: 'nothing' };
  const attempt = tryLock(loopLock(folder), 'Stop hook');
  // Another hook of this session is taking the same turn; one is enough.
  if (!attempt.got) return { kind: 'nothing' };
  const loop = openUnder(attempt.lock, sessionMachine, folder, call.mask);
  try {
    // Two copies of this hook may be called for one turn of the agent; only the first takes the loop's turn. Hosts
    // start all hooks of a stop at once and continue when they have answered, so a hook that was started before the
    // last turn was recorded belongs to that turn. (The transcript may not have grown yet at this point, and the wall
    // clock may be set back.)
    const recordedAt = loop.state.data.last?.recordedAt;
    if (recordedAt !== undefined && wasRunningAt(recordedAt)) return { kind: 'nothing' };
    const after = await turnLoop(call, loop);
    if (after === null) return { kind: 'nothing' };
    persistTurn(call.place, loop, after);
    if (after.seq !== loop.state.seq) note(folder, after, call.mask(logLine(after)));
    if (statusOfSession(after) !== 'ACTIVE') {
      if (after.seq !== loop.state.seq) notifyOfStop(call, after);
      return { kind: 'stop', notice: stopNotice(call, loop, after) };
    }
    const limits = textLimitsFor(call, folder, after.data.request.task);
    return { kind: 'go-on', prompt: continuationFor(after, limits), notice: goOnNotice(after, call.typing) };
  } finally {
    loop.close();
  }
}

/** Null if a check was interrupted: nothing was decided. */
async function turnLoop(call: StopCall, loop: SessionLoop): Promise<State | null> {
  const { folder } = loop;
  const { cwd } = loop.state;
  let checksBegan: number | null = null;
  let isTimeUp = false;
  const performed = performAtOnce(folder);
  const perform = (action: Action): Result | null =>
    action.do === 'step' && action.what === LOOK_AT_TREE
      ? { kind: 'stepped', what: LOOK_AT_TREE, gave: treeFingerprint(cwd) }
      : performed(action);
  const turned = (from: State, result: Result | null) => turnOpen(sessionMachine, loop, from, result, perform);
  // A killed hook may have left its turn unfinished, and the agent has had another turn since.
  const left = unjudged(loop.state);
  if (left !== null) note(folder, loop.state, 'the promise was not judged: its checks were interrupted');
  const isBetweenTurns = ['wait', 'inputs', 'start'].includes(loop.state.phase.at);
  let state = left !== null || isBetweenTurns ? turned(loop.state, left) : loop.state;
  let brought: Result | null = state.phase.at === 'await' ? turnOfAgent(call, folder, state) : null;
  for (;;) {
    state = turned(state, brought);
    const action = isOver(state) ? null : sessionMachine.next(state);
    if (action?.do !== 'check') return state;
    endLeftCheck(folder);
    checksBegan ??= runningFor();
    const leftMs = isTimeUp ? 0 : (action.check.timeoutMs ?? 0) - (runningFor() - checksBegan);
    // A session's rules only ask for commands.
    const run = { spec: action.check, folder, cwd: state.data.last?.worktree ?? cwd, leftMs, mask: call.mask };
    const checked = await runCheck(run);
    if (checked === null) return null;
    isTimeUp ||= checked.outcome.is === 'timed-out';
    brought = { kind: 'checked', ...checked };
  }
}

/** A promise is judged only by the hook of its own stop: checks that this hook did not finish are not made up for. */
function unjudged({ phase }: State): Result | null {
  if (phase.at === 'step' && phase.what === LOOK_AT_TREE)
    return { kind: 'stepped', what: LOOK_AT_TREE, gave: BROKEN_OFF };
  if (phase.at !== 'check') return null;
  const nothing = { log: '', output: '', truncated: false, durationMs: 0 };
  return { kind: 'checked', index: phase.index, outcome: { is: 'unseen' }, ...nothing };
}

function stopNotice(call: StopCall, { folder, state: before }: SessionLoop, after: State): string | null {
  const { event, typing, cap } = call;
  const { request } = after.data;
  // Shown once, when the loop stops; and if a promise is given later, which is no longer judged.
  if (after.seq === before.seq) return isPromised(request, [event.words ?? '']) ? unheardPromise(after, typing) : null;
  const notice = endNotice(after, typing, cap?.howToLift(request.maximumIterations + 1) ?? null);
  const closing = closingText(call, after, folder);
  return notice === null ? closing : `${notice}\n${closing}`;
}

const PATIENCE_MS = 2000;
const LOOK_EVERY_MS = 20;

/** What the agent did and said in the turn that it wants to end, as the loop records it. */
function turnOfAgent({ host, event, cap }: StopCall, folder: string, { data, cwd }: State): Result {
  const toolsRun = toolsRunIn(folder);
  const work = wholeWork(host, event, data, toolsRun);
  const { texts, ...counted } = work;
  const words = event.words ?? texts.at(-1) ?? '';
  // The last message comes last, whether or not the transcript has it.
  const isGiven = isPromised(data.request, [...texts, words]);
  const worktree = isGiven && data.request.checks.length > 0 ? placeInWorktree(cwd, event.cwd) : null;
  const { background = [] } = event;
  const seen: SeenInTurn = {
    ...counted,
    reply: digestOf(words),
    late: isBehind(event, work) ? digestOf(words.trim()) : null,
    isFresh: event.isFresh,
    isSilent: work.toolCalls === 0 && texts.length === 0 && words === '',
    cap: cap?.blocks ?? null,
    ...(worktree === null ? {} : { worktree }),
    ...(toolsRun === 0 ? {} : { toolsRun }),
    ...(background.length === 0 ? {} : { background }),
    recordedAt: bootMoment(),
  };
  return {
    kind: 'ran',
    outcome: { kind: 'worked' },
    said: { tag: isGiven ? data.request.promise : null, firstLine: words.split('\n', 1)[0]?.slice(0, 200) ?? null },
    transcript: { path: work.mark.transcript ?? '', bytes: work.mark.offset },
    ...(work.toolCalls === null ? {} : { toolCalls: work.toolCalls }),
    seen,
  };
}

/**
 * An agent may write its transcript a moment after the hook was called: while the last message is missing there, it is
 * read again before a promise is rejected for a lack of tool calls.
 */
function wholeWork(host: SessionHost, event: StopEvent, data: State['data'], toolsRun: number): WorkSeen {
  const { request, toolCalls: before } = data;
  const late = data.last?.late ?? null;
  for (const end = runningFor() + PATIENCE_MS; ; sleepNow(LOOK_EVERY_MS)) {
    const seen = host.workSince(event, data.mark);
    // A message that was judged at the last stop, before the transcript had it, is not new when it appears there.
    const known = late === null ? -1 : seen.texts.findIndex((text) => digestOf(text.trim()) === late);
    const work = { ...seen, texts: seen.texts.filter((_, index) => index !== known) };
    const calls = seen.toolCalls === null ? Math.max(before, toolsRun) : before + seen.toolCalls;
    const isTooLittle = calls < request.minToolCalls && request.onPromiseNoWork !== 'accept';
    const isRejected = isTooLittle && isPromised(request, [...work.texts, event.words ?? '']);
    if (!isRejected || !isBehind(event, work) || runningFor() > end) return work;
  }
}

/** Whether the transcript does not have the last message yet. */
function isBehind({ words, transcript }: StopEvent, { texts }: WorkSeen): boolean {
  const said = words?.trim() ?? '';
  return transcript !== null && said !== '' && !texts.some((text) => text.trim() === said);
}
