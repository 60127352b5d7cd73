/** What a loop is called: the short form of its id, that lists show and people type. */
import type { StateRoot } from './paths.ts';
import { loopIds } from './registry.ts';

/** People can type so many characters without looking again. */
const SHORTEST = 4;

/** The part of an id that tells it from others: not the date that it begins with. */
export function ownPart(id: string): string {
  const [, random] = /^\d{8}-\d{6}-([0-9a-f]{8})$/.exec(id) ?? [];
  if (random !== undefined) return random;
  const [, session = id, number = ''] = /^session-([\w-]+?)(\.\d+)?$/.exec(id) ?? [];
  return number === '' ? session : `${session.slice(0, 8)}${number}`;
}

/** The shortest name for each loop that means no other one. */
export function shortNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const known = [...new Set(ids)];
  const parts = known.map((id) => ownPart(id)).sort();
  const names = new Map<string, string>();
  for (const id of known) {
    const part = ownPart(id);
    const at = parts.indexOf(part);
    const shared = Math.max(sharedLength(part, parts[at - 1]), sharedLength(part, parts[at + 1]));
    names.set(id, shared >= part.length ? id : part.slice(0, Math.max(SHORTEST, shared + 1)));
  }
  return names;
}

function sharedLength(a: string, b = ''): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/** Among the loops of this machine. */
export function shortName(root: StateRoot, id: string): string {
  return shortNames([...loopIds(root), id]).get(id) ?? id;
}
