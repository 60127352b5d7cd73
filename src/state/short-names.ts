/** The short form of a loop's id, which lists show and people type. */
import type { StateRoot } from './paths.ts';
import { loopIds } from './registry.ts';

/** People can type this many characters without looking again. */
const SHORTEST = 4;

/** The part of an id that distinguishes it from others, without the leading date. */
export function ownPart(id: string): string {
  const [, random] = /^\d{8}-\d{6}-([0-9a-f]{8})$/.exec(id) ?? [];
  if (random !== undefined) return random;
  const [, session = id, number = ''] = /^session-([\w-]+?)(\.\d+)?$/.exec(id) ?? [];
  return number === '' ? session : `${session.slice(0, 8)}${number}`;
}

/** The shortest unambiguous name for each loop. */
export function shortNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const partOf = new Map(ids.map((id) => [id, ownPart(id)]));
  const parts = [...partOf.values()].sort();
  const places = new Map(parts.map((part, index) => [part, index]));
  const names = new Map<string, string>();
  for (const [id, part] of partOf) {
    const at = places.get(part) ?? 0;
    const shared = Math.max(sharedLength(part, parts[at - 1]), sharedLength(part, parts[at + 1]));
    names.set(id, nameOf(id, part, shared));
  }
  return names;
}

/** `shared`: how many of its first characters another one shares. */
function nameOf(id: string, part: string, shared: number): string {
  return shared >= part.length ? id : part.slice(0, Math.max(SHORTEST, shared + 1));
}

function sharedLength(a: string, b = ''): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

/** The short name of one of them. */
export function shortNameAmong(ids: readonly string[], id: string): string {
  const part = ownPart(id);
  const shared = ids.reduce(
    (most, each) => (each === id ? most : Math.max(most, sharedLength(part, ownPart(each)))),
    0,
  );
  return nameOf(id, part, shared);
}

/** The short name among the loops on this machine. */
export function shortName(root: StateRoot, id: string): string {
  return shortNameAmong(loopIds(root), id);
}
