/** Lists and tables of names, written the way one reads them: with spaces between the names. */

export function list(text: string): string[] {
  return text.trim().split(/\s+/);
}

/** A table in which several names may share a value: `{ 'rm unlink': … }`. */
export function table<T>(entries: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
  const all = new Map<string, T>();
  for (const [names, value] of Object.entries(entries)) for (const name of names.split(' ')) all.set(name, value);
  return all;
}
