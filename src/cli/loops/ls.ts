/** `ralph ls`: the loops of this machine, those of this directory and those that want to be looked at first. */
import { isReadable, type ReadableLoop, type StoredLoop } from '../../engine/store/loop-store.ts';
import { printable } from '../../stream/printable.ts';
import { type Activity, activityOf } from '../../views/activity.ts';
import { CONDITION_MARKS, CONDITIONS, type Condition, conditionOf } from '../../views/loop-condition.ts';
import { isHere, shortNames } from '../../views/loop-names.ts';
import { successorOf } from '../../views/resumable.ts';
import type { LoopsContext } from './context.ts';
import { costWords, iterationWords, placeName, roughly, shortClock, workedFor } from './words.ts';

export interface LsFlags {
  readonly all?: boolean;
  readonly json?: boolean;
}

/** Without `--all`: the newest of this directory, what runs elsewhere, and a few that were there a day ago. */
const MOST_HERE = 10;
const MOST_RECENT = 5;
const RECENT_MS = 24 * 60 * 60_000;

export async function lsCommand({ all = false, json = false }: LsFlags, context: LoopsContext): Promise<number> {
  const { store, say, cwd, now } = context;
  const loops = await store.list();
  const readable = loops.filter(isReadable);
  const shown = all ? readable : worthShowing(readable, cwd, now);
  const views = await Promise.all(shown.map(async (loop) => ({ loop, activity: await activityOf(store, loop) })));
  const names = shortNames(loops.map(({ id }) => id));
  const unreadable = loops.filter((loop) => !isReadable(loop));
  if (json) {
    say(JSON.stringify([...views.map((view) => asData(view, names, context)), ...unreadable], null, 2));
    return 0;
  }
  if (views.length === 0) say(readable.length === 0 ? 'No loops yet. Start one: ralph run -p "…"' : 'No loops here.');
  else for (const [line, style] of tableOf(views.sort(byUrgency(context)), names, context)) say(line, style);
  for (const line of footer(readable.length - shown.length, unreadable, all)) say(line);
  return 0;
}

function worthShowing(all: readonly ReadableLoop[], cwd: string, now: number): ReadableLoop[] {
  const loops = all.filter((loop) => successorOf(loop, all) === null);
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
}

/** This directory first, then what needs a person, then what is newest. */
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

const HEADER = ['', 'LOOP', 'KIND', 'WHERE', 'STATE', 'ITER', 'TIME', 'COST', 'LAST'];
const RIGHT = new Set(['ITER', 'TIME', 'COST']);
const WIDEST: Readonly<Record<string, number>> = { WHERE: 22, STATE: 20 };

function tableOf(views: readonly View[], names: ReadonlyMap<string, string>, context: LoopsContext) {
  const clock = shortClock(context.now);
  const rows = views.map((view) => {
    const { loop } = view;
    const { is, words } = conditionOf(loop, clock);
    const where = [placeName(loop.about.cwd ?? loop.cwd, context.cwd), loop.about.name].filter(Boolean).join(' ');
    const time = roughly(workedFor(loop, context.now));
    const short = names.get(loop.id) ?? loop.id;
    const cells = [
      CONDITION_MARKS[is],
      short,
      loop.loopKind,
      where,
      words,
      iterationWords(loop),
      time,
      costWords(loop.usage),
    ];
    return { is, cells: [...cells, lastWords(view, short, is)].map(inOneLine) };
  });
  const fitted = rows.map(({ is, cells }) => ({
    is,
    cells: cells.map((cell, column) => cutLeft(cell, WIDEST[HEADER[column] ?? ''])),
  }));
  const widths = HEADER.map((title, column) =>
    Math.max(title.length, ...fitted.map(({ cells }) => cells[column]?.length ?? 0)),
  );
  const lineOf = (cells: readonly string[]): string => {
    const padded = cells.map((cell, column) => {
      const width = column === HEADER.length - 1 ? 0 : (widths[column] ?? 0);
      return RIGHT.has(HEADER[column] ?? '') ? cell.padStart(width) : cell.padEnd(width);
    });
    // The mark stands close to what it marks.
    const line = `${padded[0]} ${padded.slice(1).join('  ')}`.trimEnd();
    return context.columns === null ? line : cut(line, context.columns);
  };
  return [[lineOf(HEADER), 'dim'] as const, ...fitted.map(({ is, cells }) => [lineOf(cells), COLORS[is]] as const)];
}

const COLORS = {
  'needs-you': 'yellow',
  working: 'reset',
  waiting: 'yellow',
  left: 'red',
  failed: 'red',
  done: 'green',
} as const satisfies Record<Condition, string>;

/** What is most worth knowing: what it does, what it asks, or how it is continued. */
function lastWords({ loop, activity }: View, short: string, is: Condition): string {
  const { ending, lastFailure, lastCommit } = loop;
  if (is === 'left') return `ralph resume ${short}`;
  if (ending?.kind === 'done') return lastCommit === null ? '' : `committed ${lastCommit.slice(0, 7)}`;
  if (ending !== null) return ('reason' in ending ? ending.reason : lastFailure) ?? '';
  return activity?.text ?? '';
}

const inOneLine = (text: string): string => printable(text).replaceAll(/\s+/g, ' ').trim();

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}

/** Of a path the end says most. */
function cutLeft(text: string, width = Number.POSITIVE_INFINITY): string {
  return text.length <= width ? text : `…${text.slice(text.length - width + 1)}`;
}

function footer(more: number, unreadable: readonly StoredLoop[], all: boolean): string[] {
  const lines = more > 0 ? [`${more} more: ralph ls --all`] : [];
  const shown = all ? unreadable : unreadable.slice(0, 1);
  const problems = shown.map(
    (loop) => `warning: loop ${loop.id} cannot be read: ${'problem' in loop ? loop.problem : ''}`,
  );
  const rest = unreadable.length - shown.length;
  return [...lines, ...problems, ...(rest > 0 ? [`warning: ${rest} more cannot be read: ralph ls --all`] : [])];
}

function asData({ loop, activity }: View, names: ReadonlyMap<string, string>, { now }: LoopsContext): object {
  const { v: _v, journalBytes: _bytes, ...rest } = loop;
  const state = conditionOf(loop, (at) => new Date(at).toISOString());
  return { ...rest, name: names.get(loop.id), state, workedMs: workedFor(loop, now), activity };
}
