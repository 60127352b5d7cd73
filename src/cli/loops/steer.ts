/** `ralph pause`, `stop`, `tell` and `answer`: what is said to a loop goes into its queue, whether it runs or not. */
import { defined } from '../../core/defined.ts';
import { RalphError } from '../../core/error.ts';
import type { Told } from '../../core/prompt/told.ts';
import { isPaused, questionOf } from '../../core/state.ts';
import { endLeftRun } from '../../engine/left-behind/orphans.ts';
import type { ReadableLoop } from '../../engine/store/loop-store.ts';
import { isInside } from '../../process/end.ts';
import { readLastTrace } from '../../process/trace.ts';
import { loopFolder } from '../../state/paths.ts';
import { runsFolder } from '../../state/run-files.ts';
import { shortNames } from '../../state/short-names.ts';
import { conditionOf } from '../../views/loop-condition.ts';
import type { Meant } from '../../views/loop-names.ts';
import { isAsking, isResumable, successorOf } from '../../views/resumable.ts';
import { clockTime } from '../terminal/words.ts';
import { type Found, foundLoop, type LoopsContext } from './context.ts';

const RUNNING = { is: ({ ending }: ReadableLoop) => ending === null, what: 'unfinished loop' };
/** Also what is over and can be continued: what is said to it is kept until then. */
const LISTENING = {
  is: (loop: ReadableLoop) => loop.ending === null || isResumable(loop),
  what: 'unfinished loop',
};

export async function haltCommand(
  command: 'pause' | 'stop',
  name: string | null,
  { now = false }: { readonly now?: boolean },
  context: LoopsContext,
): Promise<number> {
  const { store, say } = context;
  const found = await steerable(context, name, RUNNING);
  const { loop, short } = found;
  if (loop.ending !== null) throw over(found, 'Nothing was changed.');
  if (command === 'pause' && isPaused(loop)) {
    say(questionOf(loop) === null ? `Loop ${short} is already paused.` : `Loop ${short} waits for an answer already.`);
    return 0;
  }
  if (loop.loopKind === 'session' && now) {
    const hint = `Type /cancel-ralph in it, or leave out --now: then it acts when the agent next stops.`;
    throw new RalphError('SESSION', `loop ${short} runs inside a session, which ralph does not end`, { hint });
  }
  if (loop.supervisor === null && loop.loopKind !== 'session') return haltLeft(found, context);
  await store.send(loop.id, { command, ...(now ? { now } : {}) });
  const what = command === 'pause' ? 'pauses' : 'stops';
  const ended = whatIsEnded(loop);
  const atOnce = ended === null ? 'as soon as what it does now is over' : `now; ${ended} is ended`;
  const later = loop.loopKind === 'session' ? 'when its agent next stops' : 'after this iteration';
  const when = now ? atOnce : later;
  say(`Loop ${short} ${what} ${when}.`);
  const isOver = command === 'stop' && (loop.loopKind === 'session' || loop.loopKind === 'swarm');
  if (!isOver)
    say(
      `To continue, ${loop.loopKind === 'session' ? 'type in its session: /ralph-loop --resume' : `run: ralph resume ${short}`}`,
    );
  return 0;
}

/** By a command that cannot wait; null for what is finished first, such as a commit that has begun. */
function whatIsEnded({ phase }: ReadableLoop): string | null {
  if (phase.at === 'check') return 'its check';
  if (phase.at !== 'await' && phase.at !== 'start') return null;
  return phase.purpose === 'message' ? 'the agent that writes its commit message' : 'its agent';
}

/** Its supervisor is gone; its agent may not be. */
async function haltLeft({ loop, short }: Found, { environment, say }: LoopsContext): Promise<number> {
  const wasAtWork = loop.loopKind !== 'swarm' && (await endLeftRun(environment.root, loop));
  const ended = wasAtWork ? ' Its agent was still at work, and was ended.' : '';
  if (loop.loopKind === 'swarm')
    say(`An agent may still be at work in its window; to end it, run: swarm kill ${loop.about.name}`);
  say(`Loop ${short} has no supervisor: it stands still.${ended}`);
  say(`To continue, run: ralph resume ${short}`);
  if (DROPPED.includes(loop.loopKind)) say(`To drop it, run: ralph gc ${short}`);
  return 0;
}

/** The kinds that consist of nothing but what ralph keeps. */
const DROPPED = ['run', 'stories'];

/** Longer ones belong into a file that the agent reads. */
const LONGEST_TEXT = 20_000;

export async function tellCommand(
  as: Told['as'],
  name: string | null,
  text: string,
  context: LoopsContext,
): Promise<number> {
  const { store, say } = context;
  // Without a name an answer goes to the newest loop here that waits for one.
  const asks = { is: isAsking, what: 'loop that waits for an answer' };
  const found = await steerable(context, name, as === 'answer' ? asks : LISTENING);
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
  if (loop.ending !== null && !isResumable(loop)) throw over(found, 'No further prompt will come.');
  // Where nothing was asked, it is no answer.
  await store.send(loop.id, { command: isAsking(loop) ? as : 'tell', text: words });
  const isLive = loop.ending === null && (loop.supervisor !== null || loop.loopKind === 'session');
  if (isLive && as === 'answer' && isAsking(loop)) say(`Loop ${short} continues with your answer.`);
  else if (isLive) say(`Loop ${short} gets it with its next prompt.`);
  else {
    say(`Kept: loop ${short} gets it with its first prompt when it is continued.`);
    say(`To continue, run: ralph resume ${short}`);
  }
  return 0;
}

async function steerable(context: LoopsContext, name: string | null, among: Meant['among']): Promise<Found> {
  const found = await foundLoop(context, { name, ...defined({ among }) });
  refuseOwnAgent(found.loop, context);
  return found;
}

/** A task goes on in another loop. */
export function refuseSucceeded({ loop, short, all }: Found): void {
  const successor = successorOf(loop, all);
  if (successor === null) return;
  const name = shortNames(all.map(({ id }) => id)).get(successor.id) ?? successor.id;
  throw new RalphError('SUCCEEDED', `loop ${short} is over: its task goes on in loop ${name}`, { exitCode: 1 });
}

/** An agent that steers its own loop could have itself told whatever it likes. */
export function refuseOwnAgent({ id }: ReadableLoop, { environment: { root, variables } }: LoopsContext): void {
  const trace = readLastTrace(runsFolder(loopFolder(root, id)));
  if (variables.RALPH_LOOP !== id && (trace === null || !isInside(trace, process))) return;
  throw new RalphError('OWN_AGENT', 'a loop is not steered by its own agent', { exitCode: 1 });
}

export function over({ loop, short }: Found, fact: string): RalphError {
  const hint = isResumable(loop) ? { hint: `To continue it, run: ralph resume ${short}` } : {};
  const { words } = conditionOf(loop, clockTime);
  return new RalphError('OVER', `loop ${short} is over (${words}). ${fact}`, { ...hint, exitCode: 1 });
}
