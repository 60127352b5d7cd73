/** `ralph ls`: lists loops, those of this directory and those that need attention first. */

import { plural } from '../../core/budget/usage.ts';
import { questionOf } from '../../core/state.ts';
import { isReadable, type ReadableLoop, type StoredLoop } from '../../engine/store/loop-store.ts';
import { shortNames } from '../../state/short-names.ts';
import { printable } from '../../stream/printable.ts';
import { type Activity, activityOf } from '../../views/activity.ts';
import { CONDITION_MARKS, CONDITIONS, type Condition, conditionOf } from '../../views/loop-condition.ts';
import { isHere } from '../../views/loop-names.ts';
import { taskOf } from '../../views/loop-task.ts';
import {
  costWords,
  iterationWords,
  loopData,
  placeName,
  roughly,
  shortClock,
  workedFor,
} from '../../views/loop-words.ts';
import { isAnswered, isResumable, notSucceeded, withoutTaken } from '../../views/resumable.ts';
import type { LoopsContext } from './context.ts';
import { type LsRow, lsTable } from './ls-table.ts';

export interface LsFlags {
  readonly all?: boolean;
  readonly json?: boolean;
}

/** Without `--all`: the newest loops here, those that run elsewhere, and a few others of the last day. */
const MOST_HERE = 10;
const MOST_RECENT = 5;
const RECENT_MS = 24 * 60 * 60_000;

export async function lsCommand({ all = false, json = false }: LsFlags, context: LoopsContext): Promise<number> {
  const { store, say, cwd, now } = context;
  const loops = await store.list();
  const readable = loops.filter(isReadable);
  const chosen = all ? readable : worthShowing(readable, cwd, now);
  const shown = chosen.map((loop) => withoutTaken(loop, readable));
  const views = await Promise.all(
    shown.map(async (loop) => {
      const [activity, task] = await Promise.all([activityOf(store, loop), taskOf(store, loop)]);
      return { loop, activity, task };
    }),
  );
  const names = shortNames(loops.map(({ id }) => id));
  const unreadable = loops.filter((loop) => !isReadable(loop));
  if (json) {
    say(JSON.stringify([...views.map((view) => asData(view, names, context)), ...unreadable], null, 2));
    return 0;
  }
  if (views.length === 0) say(readable.length === 0 ? 'No loops yet. Start one: ralph run "…"' : 'No loops here.');
  else for (const [line, style] of tableOf(views.sort(byUrgency(context)), names, context)) say(line, style);
  for (const line of footer(readable.length - shown.length, unreadable, all)) say(line);
  return 0;
}

function worthShowing(all: readonly ReadableLoop[], cwd: string, now: number): ReadableLoop[] {
  const loops = notSucceeded(all);
  const elsewhere = loops.filter((loop) => !isHere(loop, cwd));
  const isTurned = ({ ending, supervisor }: ReadableLoop): boolean => ending === null && supervisor !== null;
  const recent = elsewhere.filter((loop) => !isTurned(loop) && now - loop.updatedAt < RECENT_MS);
  return [
    ...loops.filter((loop) => isHere(loop, cwd)).slice(-MOST_HERE),
    ...elsewhere.filter(isTurned),
    ...recent.slice(-MOST_RECENT),
  ];
}

interface View {
  readonly loop: ReadableLoop;
  readonly activity: Activity | null;
  readonly task: string | null;
}

/** This directory first, then loops that need a person, then the newest. */
function byUrgency({ cwd, now }: LoopsContext): (a: View, b: View) => number {
  const clock = shortClock(now);
  const rank = ({ loop }: View): readonly number[] => [
    isHere(loop, cwd) ? 0 : 1,
    CONDITIONS.indexOf(conditionOf(loop, clock).is),
    -loop.createdAt,
  ];
  return (a, b) => {
    const [left, right] = [rank(a), rank(b)];
    return left.map((value, index) => value - (right[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
  };
}

function tableOf(views: readonly View[], names: ReadonlyMap<string, string>, context: LoopsContext) {
  const clock = shortClock(context.now);
  const conditions = views.map(({ loop }) => conditionOf(loop, clock));
  const rows = views.map((view, index): LsRow => {
    const { loop } = view;
    const { is, words } = conditions[index] ?? conditionOf(loop, clock);
    const loopName = names.get(loop.id) ?? loop.id;
    return {
      mark: CONDITION_MARKS[is],
      loop: loopName,
      kind: loop.loopKind,
      where: inOneLine([placeName(loop.about.cwd ?? loop.cwd, context.cwd), loop.about.name].filter(Boolean).join(' ')),
      state: inOneLine(words),
      iterations: iterationWords(loop),
      time: roughly(workedFor(loop, context.now)),
      cost: costWords(loop.usage),
      last: inOneLine(lastWords(view, loopName, is)),
    };
  });
  const [head = '', ...lines] = lsTable(rows, context.columns);
  return [
    [head, 'dim'] as const,
    ...lines.map((line, index) => [line, COLORS[conditions[index]?.is ?? 'done']] as const),
  ];
}

const COLORS = {
  'needs-you': 'yellow',
  working: 'reset',
  waiting: 'yellow',
  left: 'red',
  failed: 'red',
  done: 'green',
} as const satisfies Record<Condition, string>;

/** What is most worth knowing: what the loop does, what it asks, or how to continue it, and its task. */
function lastWords(view: View, short: string, is: Condition): string {
  const { length } = view.loop.messages;
  const words = whatItDoes(view, short, is);
  if (length === 0 || isAnswered(view.loop)) return words;
  const parts = [plural(length, 'message'), words].filter(Boolean);
  return (is === 'left' ? parts.toReversed() : parts).join(' · ');
}

function whatItDoes({ loop, activity, task }: View, short: string, is: Condition): string {
  const { ending, lastFailure, lastCommit } = loop;
  const about = (words: string): string => [words, task].filter(Boolean).join(' · ');
  if (is === 'left' || isAnswered(loop)) return about(`ralph resume ${short}`);
  if (ending?.kind === 'done') return task ?? (lastCommit === null ? '' : `committed ${lastCommit.slice(0, 7)}`);
  if (ending?.kind === 'iteration-limit' && isResumable(loop))
    return about(`ralph resume ${short} -m ${ending.limit * 2}`);
  if (ending !== null) return ('reason' in ending ? ending.reason : lastFailure) ?? task ?? '';
  return questionOf(loop) ?? activity?.text ?? task ?? '';
}

const inOneLine = (text: string): string => printable(text).replaceAll(/\s+/g, ' ').trim();

function footer(more: number, unreadable: readonly StoredLoop[], all: boolean): string[] {
  const lines = more > 0 ? [`${more} more: ralph ls --all`] : [];
  const shown = all ? unreadable : unreadable.slice(0, 1);
  const problems = shown.map(
    (loop) => `warning: loop ${loop.id} cannot be read: ${'problem' in loop ? loop.problem : ''}`,
  );
  const rest = unreadable.length - shown.length;
  return [...lines, ...problems, ...(rest > 0 ? [`warning: ${rest} more cannot be read: ralph ls --all`] : [])];
}

function asData({ loop, activity, task }: View, names: ReadonlyMap<string, string>, { now }: LoopsContext): object {
  const state = conditionOf(loop, (at) => new Date(at).toISOString());
  return { ...loopData(loop), name: names.get(loop.id), state, workedMs: workedFor(loop, now), task, activity };
}
