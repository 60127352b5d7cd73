/** `ralph pause`, `stop`, `tell` and `answer`: the commands that steer a loop. */
import { defined } from '../../core/defined.ts';
import { RalphError } from '../../core/error.ts';
import type { Told } from '../../core/prompt/told.ts';
import { isOwnAgent } from '../../engine/own-loop.ts';
import type { ReadableLoop } from '../../engine/store/loop-store.ts';
import type { Found } from '../../views/found-loop.ts';
import type { Meant } from '../../views/loop-names.ts';
import { ASKING, halt, LISTENING, RUNNING, type Steering, tell } from '../../views/steer.ts';
import { clockTime } from '../terminal/words.ts';
import { foundLoop, type LoopsContext } from './context.ts';

export async function haltCommand(
  command: 'pause' | 'stop',
  name: string | null,
  flags: { readonly now?: boolean },
  context: LoopsContext,
): Promise<number> {
  const found = await steerable(context, name, RUNNING);
  for (const line of await halt(command, found, flags, steeringOf(context))) context.say(line);
  return 0;
}

export async function tellCommand(
  as: Told['as'],
  name: string | null,
  text: string,
  context: LoopsContext,
): Promise<number> {
  // Without a name an answer goes to the newest loop here that waits for one.
  const found = await steerable(context, name, as === 'answer' ? ASKING : LISTENING);
  for (const line of await tell(as, found, text, steeringOf(context))) context.say(line);
  return 0;
}

export function steeringOf({ store, environment: { root } }: LoopsContext): Steering {
  return { store, root, clock: clockTime };
}

async function steerable(context: LoopsContext, name: string | null, among: Meant['among']): Promise<Found> {
  const found = await foundLoop(context, { name, ...defined({ among }) });
  refuseOwnAgent(found.loop, context);
  return found;
}

/** An agent that could steer its own loop could tell itself whatever it likes. */
export function refuseOwnAgent({ id }: ReadableLoop, { environment: { root, variables } }: LoopsContext): void {
  if (!isOwnAgent(root, id, variables)) return;
  throw new RalphError('OWN_AGENT', 'an agent cannot steer its own loop', { exitCode: 1 });
}
