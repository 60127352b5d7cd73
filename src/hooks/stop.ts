/**
 * Claude Code's Stop hook: one turn of the crank, under the loop's lock. The agent's turn is over; either the loop has
 * ended and the session may stop, or the agent is told to go on. A session without a loop is none of its business.
 */
import { existsSync, statSync, writeSync } from 'node:fs';
import { listenForTag } from '../core/claims/tag.ts';
import { fold } from '../core/crank.ts';
import { maskFor } from '../core/mask.ts';
import type { Recorded, Result } from '../core/record.ts';
import { isOver, type LoopState } from '../core/state.ts';
import { turn } from '../core/turn.ts';
import { PROMISE_TAG, type SessionData, sessionCrank } from '../doors/insession/rules.ts';
import { performInSession, sessionLoopId } from '../doors/insession/rules-turn.ts';
import { thisPlace } from '../process/identity.ts';
import { openJournal } from '../state/journal.ts';
import { tryLock } from '../state/lock.ts';
import { journalPath, loopFolder, loopLock, stateRoot } from '../state/paths.ts';
import { withRequest } from '../state/request.ts';
import { statusOf, writeStatus } from '../state/status.ts';
import { readInput } from './io/input.ts';

const LONGEST_LINE = 200;

function stop(): void {
  const input = readInput();
  const id = typeof input.session_id === 'string' ? sessionLoopId(input.session_id) : null;
  if (id === null) return;
  const folder = loopFolder(stateRoot(process.env), id);
  if (!existsSync(journalPath(folder))) return;
  const attempt = tryLock(loopLock(folder), 'Stop hook', thisPlace());
  // Another hook of this session is turning the same crank; one turn is enough.
  if (!attempt.got) return;
  try {
    answer(turnLoop(folder, input));
  } finally {
    attempt.lock.release();
  }
}

function turnLoop(folder: string, input: Readonly<Record<string, unknown>>): LoopState<SessionData> {
  const { journal, records } = openJournal(journalPath(folder), maskFor(process.env));
  try {
    const before = fold(sessionCrank, withRequest(records, folder));
    const ran = ranFrom(input);
    if (isOver(before) || isSameTurn(records)) return before;
    const effects = { perform: performInSession, append: journal.append, now: Date.now() };
    const after = turn(sessionCrank, before, before.phase.at === 'await' ? ran : null, effects);
    // The answer leaves the house: what it rests on must be on the disk.
    journal.syncNow();
    writeStatus(folder, statusOf(after, records[0]?.at ?? after.at));
    return after;
  } finally {
    journal.close();
  }
}

/**
 * Two copies of this hook may be called for one turn of the agent; the crank is turned by the first. Claude Code starts
 * all hooks of a stop at once and goes on when they have answered: one that was started before the last turn was recorded
 * belongs to it. (The transcript does not tell: it may not have grown yet when the hook is called.)
 */
function isSameTurn(records: readonly Recorded[]): boolean {
  const last = records.findLast(({ result }) => result.kind === 'ran');
  return last !== undefined && performance.timeOrigin <= last.at;
}

type RanInSession = Extract<Result, { kind: 'ran' }>;

function ranFrom(input: Readonly<Record<string, unknown>>): RanInSession {
  const words = typeof input.last_assistant_message === 'string' ? input.last_assistant_message : '';
  const transcript = typeof input.transcript_path === 'string' ? input.transcript_path : '';
  const tag = listenForTag(PROMISE_TAG, true);
  tag.hear(words);
  return {
    kind: 'ran',
    outcome: { kind: 'worked' },
    said: { tag: tag.heard(), firstLine: words.split('\n', 1)[0]?.slice(0, LONGEST_LINE) ?? null },
    transcript: { path: transcript, bytes: statSync(transcript, { throwIfNoEntry: false })?.size ?? 0 },
  };
}

/** Nothing said lets the session stop. */
function answer(state: LoopState<SessionData>): void {
  if (isOver(state)) return;
  const { prompt, maximumIterations } = state.data.request;
  const systemMessage = `Ralph iteration ${state.iteration}/${maximumIterations}`;
  writeSync(1, `${JSON.stringify({ decision: 'block', reason: prompt, systemMessage })}\n`);
}

try {
  stop();
} catch (error) {
  // Whatever is wrong with us must not hold a session: it may stop, and is told why nobody kept it going.
  writeSync(
    2,
    `ralph: the Stop hook could not turn the loop: ${error instanceof Error ? error.message : String(error)}\n`,
  );
  process.exitCode = 1;
}
