/** `ralph gc`, also run daily at the end of a loop: deletes old loops, then the oldest if all take too much room. */

import { plural } from '../../core/budget/usage.ts';
import type { Duration } from '../../core/time.ts';
import { collectLeftovers } from '../../engine/left-behind/collect-leftovers.ts';
import { collectLoops } from '../../engine/left-behind/collect-loops.ts';
import { checkoutsFolder } from '../../engine/left-behind/proof-checkouts.ts';
import { writeFile } from '../../process/files.ts';
import { collectedStamp, loopsFolder } from '../../state/paths.ts';
import type { ListedLoop } from '../../state/registry.ts';
import { shortNames } from '../../state/short-names.ts';
import { printable } from '../../stream/printable.ts';
import { placeName, roughly, sizeWords } from '../../views/loop-words.ts';
import type { LoopsContext } from './context.ts';
import { pointedAt } from './pointed-at.ts';

export interface GcFlags {
  readonly olderThan: Duration;
  readonly keepBytes: number;
  readonly dryRun?: boolean;
}

const DAY_MS = 24 * 60 * 60_000;
export const KEEP: GcFlags = { olderThan: 30 * DAY_MS, keepBytes: 5 * 1024 ** 3 };

export async function gcCommand(flags: GcFlags, context: LoopsContext): Promise<number> {
  const { environment, say, now } = context;
  const { dryRun: isDryRun = false } = flags;
  const names = shortNames((await context.store.list()).map(({ id }) => id));
  const rows: { readonly loop: ListedLoop; readonly bytes: number }[] = [];
  const collected = await collectLoops({
    ...retentionOf(flags, context),
    isDryRun,
    removed: (loop, bytes) => void rows.push({ loop, bytes }),
    warn: (line) => say(line, 'yellow'),
  });
  const leftovers = collectLeftovers(placesOf(environment), now, isDryRun);
  for (const { loop, bytes } of rows) say(rowOf(loop, bytes, names.get(loop.id) ?? loop.id, context));
  const done = isDryRun ? 'Would delete' : 'Deleted';
  const { loops, bytes, left } = collected;
  if (loops === 0) say(`Nothing to delete: all loops together take ${sizeWords(left)}.`);
  else say(`${done} ${plural(loops, 'loop')}, ${sizeWords(bytes)}; the rest takes ${sizeWords(left)}.`);
  if (leftovers > 0) say(`${done} ${plural(leftovers, 'leftover')} of loops that are gone or never began.`);
  return 0;
}

const placesOf = ({ root, variables }: LoopsContext['environment']) => ({
  root,
  checkouts: checkoutsFolder(variables),
});

function rowOf({ loopKind, cwd, ending, updatedAt }: ListedLoop, bytes: number, short: string, context: LoopsContext) {
  const age = roughly(context.now - updatedAt).padStart(4);
  const how = ending?.kind ?? 'unfinished, its directory is gone';
  return [
    short.padEnd(8),
    loopKind.padEnd(7),
    age,
    sizeWords(bytes).padStart(9),
    placeName(cwd, context.cwd),
    how,
  ].join('  ');
}

function retentionOf(
  { olderThan, keepBytes }: GcFlags,
  { environment, now }: Pick<LoopsContext, 'environment' | 'now'>,
) {
  const room = { bytes: keepBytes, now };
  return { root: environment.root, before: now - olderThan, room, isPointedAt: pointedAt(environment) };
}

/** Too short to be noticed; the rest is collected another day. */
const MOST_MS = 1000;

/** Runs at the end of a loop's command. It prints nothing unless something was deleted, and never fails. */
export async function gcAfterLoop(context: Pick<LoopsContext, 'environment' | 'now'>, say: (line: string) => void) {
  const { root } = context.environment;
  try {
    // First, so that of several loops that end at once only one collects.
    writeFile(collectedStamp(root), '', { mode: 0o600 });
    const until = performance.now() + MOST_MS;
    const warn = (): void => undefined;
    const hasTime = (): boolean => performance.now() < until;
    const rules = { ...retentionOf(KEEP, context), isDryRun: false, removed: warn, warn, hasTime };
    const { loops, bytes } = await collectLoops(rules);
    collectLeftovers(placesOf(context.environment), context.now, false);
    if (loops === 0) return;
    const why = `older than ${KEEP.olderThan / DAY_MS} days, or beyond ${sizeWords(KEEP.keepBytes)} in all`;
    say(
      printable(
        `Deleted ${plural(loops, 'loop')} from ${loopsFolder(root)}, ${sizeWords(bytes)} (${why}; see ralph gc).`,
      ),
    );
  } catch {
    // It must not change how the loop ended; `ralph gc` shows the error.
  }
}
