/** What an installation, or its removal, changes, in one line: a difference may have scrolled away. */
import { isAbsolute, relative, sep } from 'node:path';
import type { Change, Installation, Plan } from './plan.ts';

export interface SummarySetting {
  /** The agent's: all files lie in it. */
  readonly folder: string;
  readonly settings: Installation['settings'];
  /** Paths within it are shown from there. */
  readonly cwd: string;
}

export function summaryOf({ changes }: Plan, { folder, settings, cwd }: SummarySetting, isRemoval: boolean): string {
  const shown = (path: string): string => (isWithin(cwd, path) ? relative(cwd, path) : path);
  const isShared = ({ path }: Change): boolean => path === settings?.path;
  const hooks = isRemoval
    ? "ralph's hooks out of"
    : `${count(Object.keys(settings?.groups ?? {}).length, 'hook')} into`;
  const shared = changes.filter(isShared).map(({ path }) => `${hooks} ${shown(path)}`);

  const counts = new Map<string, Record<Fate, number>>();
  for (const change of changes.filter((one) => !isShared(one))) {
    const place = `${shown(placeOf(folder, change.path))}/`;
    const fates = counts.get(place) ?? { new: 0, changed: 0, gone: 0 };
    fates[fateOf(change)]++;
    counts.set(place, fates);
  }
  const files = [...counts].flatMap(([place, fates]) => [
    ...(fates.new > 0 ? [`${count(fates.new, 'new file')} in ${place}`] : []),
    ...(fates.changed > 0 ? [`${count(fates.changed, 'changed file')} in ${place}`] : []),
    ...(fates.gone > 0 ? [`${count(fates.gone, 'file')} away from ${place}`] : []),
  ]);
  return `${[...shared, ...files].join(', ')}.`;
}

type Fate = 'new' | 'changed' | 'gone';

function fateOf({ before, after }: Change): Fate {
  if (after === null) return 'gone';
  return before === null ? 'new' : 'changed';
}

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
