/** `ralph show`: what a loop did, as a time line. */
import { placeName } from '../../views/loop-words.ts';
import { machineOf } from '../../views/machines.ts';
import { showLines } from '../../views/show-lines.ts';
import { timelineOf } from '../../views/timeline/timeline.ts';
import { untilNow } from '../../views/until-now.ts';
import { clockTime } from '../terminal/words.ts';
import { foundLoop, type LoopsContext, unknownKind } from './context.ts';

export async function showCommand(name: string | null, { json = false }, context: LoopsContext): Promise<number> {
  const { store, say, cwd, width, now } = context;
  const { loop, short } = await foundLoop(context, { name });
  const machine = await machineOf(loop.loopKind);
  if (machine === null) throw unknownKind(loop);
  const timeline = timelineOf(await store.records(loop.id), machine);
  if (json) say(JSON.stringify(timeline, null, 2));
  else {
    const place = placeName(loop.about.cwd ?? loop.cwd, cwd);
    for (const { text, style } of showLines(untilNow(timeline, loop, now), {
      name: short,
      place,
      clock: clockTime,
      width,
    }))
      say(text, style);
  }
  return 0;
}
