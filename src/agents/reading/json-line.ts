/** Reads lines of JSON that nothing vouches for: what has another form than expected is passed over. */

export type JsonObject = Readonly<Record<string, unknown>>;

/** Null for half a line, or a program's own text: the caller keeps it as it came. */
export function parseObject(raw: string): JsonObject | null {
  if (!raw.startsWith('{')) return null;
  try {
    return JSON.parse(raw) as JsonObject;
  } catch {
    return null;
  }
}

export function isObject(value: unknown): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

export function objectFrom(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

export function objectsFrom(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Text where text belongs; whatever else a stream holds there is not shown. */
export function textFrom(value: unknown, otherwise = ''): string {
  return typeof value === 'string' ? value : otherwise;
}

export function numberFrom(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Only the figures that are there: unknown is not zero. */
export function figures<Name extends string>(values: Readonly<Record<Name, unknown>>): { [N in Name]?: number } {
  const known = Object.entries(values).filter(([, value]) => numberFrom(value) !== undefined);
  return Object.fromEntries(known) as { [N in Name]?: number };
}
