/** What an installation, or its removal, changes: as `diff -u` shows it, and in one line. */
import { isAbsolute, relative, sep } from 'node:path';
import { structuredPatch } from 'diff';
import type { Change, Installation, Plan } from './plan.ts';

export function unifiedDiff({ path, before, after }: Change): string[] {
  const { hunks } = structuredPatch(path, path, before ?? '', after ?? '', undefined, undefined, { context: 3 });
  return [
    `--- ${before === null ? '/dev/null' : path}`,
    `+++ ${after === null ? '/dev/null' : path}`,
    ...hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
      `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`,
      ...lines,
    ]),
  ];
}

/** A side without lines is named by the line before it. */
function range(start: number, lines: number): string {
  return `${lines === 0 ? start - 1 : start},${lines}`;
}

export interface SummarySetting extends Pick<Installation, 'settings'> {
  /** The agent's: all files lie in it. */
  readonly folder: string;
  /** Paths within it are shown from there. */
  readonly cwd: string;
}

/** A difference may have scrolled away. */
export function summaryOf({ changes }: Plan, { folder, settings, cwd }: SummarySetting, isRemoval: boolean): string {
  const shown = (path: string): string => (isWithin(cwd, path) ? relative(cwd, path) : path);
  const hooks = isRemoval
    ? "ralph's hooks out of"
    : `${count(Object.keys(settings?.groups ?? {}).length, 'hook')} into`;
  const shared: string[] = [];
  const counts = new Map<string, Record<keyof typeof FATES, number>>();
  for (const { path, before, after } of changes) {
    if (path === settings?.path) {
      shared.push(`${hooks} ${shown(path)}`);
      continue;
    }
    const place = `${shown(placeOf(folder, path))}/`;
    const fates = counts.get(place) ?? { new: 0, changed: 0, gone: 0 };
    fates[after === null ? 'gone' : before === null ? 'new' : 'changed']++;
    counts.set(place, fates);
  }
  const files = [...counts].flatMap(([place, fates]) =>
    Object.entries(FATES).flatMap(([fate, [what, where]]) => {
      const number = fates[fate as keyof typeof FATES];
      return number > 0 ? [`${count(number, what)} ${where} ${place}`] : [];
    }),
  );
  return `${[...shared, ...files].join(', ')}.`;
}

/** What becomes of a file: how it is counted, and the word before its folder. */
const FATES = { new: ['new file', 'in'], changed: ['changed file', 'in'], gone: ['file', 'away from'] } as const;

/** The folder right below the agent's: a skill has one of its own, deeper down. */
function placeOf(folder: string, path: string): string {
  const [first = '', ...deeper] = relative(folder, path).split(sep);
  return deeper.length === 0 ? folder : `${folder}${sep}${first}`;
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way.split(sep)[0] !== '..';
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
