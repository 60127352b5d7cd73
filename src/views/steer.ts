/**
 * Sends commands and messages to a loop: they go into its queue, whether the loop runs or not. Each function returns
 * sentences that say what happens next. If it cannot be done, it throws an error that says what to do instead.
 */
import { RalphError } from '../core/error.ts';
import type { Told } from '../core/prompt/told.ts';
import { isPaused, questionOf } from '../core/state.ts';
import type { Instant } from '../core/time.ts';
import { endLeftRun } from '../engine/left-behind/orphans.ts';
import type { LoopStore, ReadableLoop } from '../engine/store/loop-store.ts';
import type { StateRoot } from '../state/paths.ts';
import { shortNames } from '../state/short-names.ts';
import type { Found } from './found-loop.ts';
import { conditionOf } from './loop-condition.ts';
import { isAsking, isResumable, resumeFlags, successorOf } from './resumable.ts';

export interface Steering {
  readonly store: LoopStore;
  readonly root: StateRoot;
  /** Formats a time for the reader. */
  clock(at: Instant): string;
  /** The name of the program that acts for a person; the loop's records and its agent get to know it. */
  readonly from?: string;
}

/** Which loops a command chooses from if none is named. */
export const RUNNING = { is: ({ ending }: ReadableLoop) => ending === null, what: 'unfinished loop' };
/** Includes loops that have ended but can be resumed: messages to them are kept until then. */
export const LISTENING = {
  is: (loop: ReadableLoop) => loop.ending === null || isResumable(loop),
  what: 'unfinished loop',
};
export const ASKING = { is: isAsking, what: 'loop that waits for an answer' };

export async function halt(
  command: 'pause' | 'stop',
  found: Found,
  { now = false }: { readonly now?: boolean },
  steering: Steering,
): Promise<string[]> {
  const { loop, short } = found;
  if (loop.ending !== null) throw over(found, 'Nothing was changed.', steering);
  if (command === 'pause' && isPaused(loop)) {
    return [
      questionOf(loop) === null
        ? `Loop ${short} is already paused.`
        : `Loop ${short} is already waiting for an answer.`,
    ];
  }
  if (loop.loopKind === 'session' && now) {
    const hint = `Type /cancel-ralph in it, or leave out --now: then it acts when the agent next stops.`;
    throw new RalphError('SESSION', `loop ${short} runs inside a session, which ralph does not end`, { hint });
  }
  if (loop.supervisor === null && loop.loopKind !== 'session') return haltLeft(found, steering);
  await steering.store.send(loop.id, { command, ...(now ? { now } : {}), ...originOf(steering) });
  const what = command === 'pause' ? 'pauses' : 'stops';
  const ended = whatIsEnded(loop);
  const atOnce = ended === null ? 'as soon as its current step is over' : `now; ${ended} is ended`;
  const later = loop.loopKind === 'session' ? 'when its agent next stops' : 'after this iteration';
  const when = now ? atOnce : later;
  const isOver = command === 'stop' && (loop.loopKind === 'session' || loop.loopKind === 'swarm');
  return [`Loop ${short} ${what} ${when}.`, ...(isOver ? [] : [howToContinue(loop, short)])];
}

function howToContinue({ loopKind }: ReadableLoop, short: string): string {
  const how = loopKind === 'session' ? 'type in its session: /ralph-loop --resume' : `run: ralph resume ${short}`;
  return `To continue, ${how}`;
}

/** What a command with `now` ends; null for what is finished first, such as a commit that has begun. */
function whatIsEnded({ phase }: ReadableLoop): string | null {
  if (phase.at === 'check') return 'its check';
  if (phase.at !== 'await' && phase.at !== 'start') return null;
  return phase.purpose === 'message' ? 'the agent that writes its commit message' : 'its agent';
}

/** For a loop whose supervisor is gone; its agent may still be at work. */
async function haltLeft({ loop, short }: Found, { root }: Steering): Promise<string[]> {
  const wasAtWork = loop.loopKind !== 'swarm' && (await endLeftRun(root, loop));
  const ended = wasAtWork ? ' Its agent was still at work, and was ended.' : '';
  const isSwarm = loop.loopKind === 'swarm';
  return [
    ...(isSwarm ? [`An agent may still be at work in its window; to end it, run: swarm kill ${loop.about.name}`] : []),
    `Loop ${short} has no supervisor, so it makes no progress.${ended}`,
    `To continue, run: ralph resume ${short}`,
    ...(DROPPED.includes(loop.loopKind) ? [`To drop it, run: ralph gc ${short}`] : []),
  ];
}

/** Loop kinds that leave nothing behind but what ralph stores about them. */
const DROPPED = ['run', 'stories'];

/** Longer messages belong in a file that the agent reads. */
export const LONGEST_TEXT = 20_000;

export async function tell(as: Told['as'], found: Found, text: string, steering: Steering): Promise<string[]> {
  const { loop, short } = found;
  refuseSucceeded(found);
  const words = text.trim();
  if (words === '')
    throw new RalphError('EMPTY', 'the message is empty', { hint: `For example: ralph ${as} "Use tabs."` });
  if (words.length > LONGEST_TEXT) {
    const hint = 'Write it into a file, and tell the agent to read that.';
    throw new RalphError('TOO_LONG', `the message has ${words.length} characters; ${LONGEST_TEXT} are allowed`, {
      hint,
    });
  }
  if (loop.ending !== null && !isResumable(loop)) throw over(found, 'There will be no further prompt.', steering);
  // Without a question, an answer is an ordinary message.
  await steering.store.send(loop.id, { command: isAsking(loop) ? as : 'tell', text: words, ...originOf(steering) });
  const isLive = loop.ending === null && (loop.supervisor !== null || loop.loopKind === 'session');
  if (isLive && as === 'answer' && isAsking(loop)) return [`Loop ${short} continues with your answer.`];
  if (isLive) return [`Loop ${short} gets it with its next prompt.`];
  return [
    `Saved: loop ${short} gets it with its first prompt when you resume it.`,
    `To continue, run: ralph resume ${short}${resumeFlags(loop)}`,
  ];
}

/** For a loop that a supervisor drives: throws unless it is paused, or about to be. */
export function refuseUnlessPaused({ loop, short }: Found): void {
  const isWaiting = loop.phase.at === 'wait' && loop.phase.until === 'command';
  if (isWaiting || loop.wanted === 'pause') return;
  const hint =
    loop.wanted === 'stop'
      ? `It stops after this iteration. Then run: ralph resume ${short}`
      : `To watch it: ralph logs ${short} -f`;
  throw new RalphError('RUNNING', `loop ${short} is running${supervisorWords(loop)}`, { hint });
}

/** Tells the supervisor of a paused loop to continue. */
export async function goOn(found: Found, steering: Steering): Promise<string[]> {
  const { loop, short } = found;
  refuseUnlessPaused(found);
  await steering.store.send(loop.id, { command: 'resume', ...originOf(steering) });
  return [`Resumed loop ${short}${supervisorWords(loop)}.`];
}

export function supervisorWords({ supervisor }: ReadableLoop): string {
  return supervisor?.pid == null ? '' : ` (pid ${supervisor.pid})`;
}

/** Throws if the loop's task continues in another loop. */
export function refuseSucceeded({ loop, short, all }: Found): void {
  const successor = successorOf(loop, all);
  if (successor === null) return;
  const name = shortNames(all.map(({ id }) => id)).get(successor.id) ?? successor.id;
  throw new RalphError('SUCCEEDED', `loop ${short} is over: its task continues in loop ${name}`, { exitCode: 1 });
}

export function over({ loop, short }: Found, fact: string, { clock }: Pick<Steering, 'clock'>): RalphError {
  const hint = isResumable(loop) ? { hint: `To continue it, run: ralph resume ${short}${resumeFlags(loop)}` } : {};
  const { words } = conditionOf(loop, clock);
  return new RalphError('OVER', `loop ${short} is over (${words}). ${fact}`, { ...hint, exitCode: 1 });
}

function originOf({ from }: Steering): { readonly from?: string } {
  return from === undefined ? {} : { from };
}
