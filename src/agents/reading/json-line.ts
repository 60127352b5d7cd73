/** Reads lines of JSON that nothing vouches for: what has another form than expected is passed over. */
import { type Fields, isFields, parsedJson } from '../../core/text/json.ts';

export type JsonObject = Fields;

/** Null for half a line, or a program's own text: the caller keeps it as it came. */
export function parseObject(raw: string): JsonObject | null {
  const value = raw.startsWith('{') ? parsedJson(raw) : undefined;
  return isFields(value) ? value : null;
}

export function objectFrom(value: unknown): JsonObject {
  return isFields(value) ? value : {};
}

export function objectsFrom(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** Text where text belongs; whatever else a stream holds there is not shown. */
export function textFrom(value: unknown, otherwise = ''): string {
  return typeof value === 'string' ? value : otherwise;
}

export function numberFrom(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The name of a model; whatever else stands there is none. */
export function modelFrom(value: unknown): { model?: string } {
  return typeof value === 'string' && /^[\w.:@/[\]-]{1,100}$/.test(value) ? { model: value } : {};
}

/** Only the figures that are there: unknown is not zero, and nothing is less than that. */
export function figures<Name extends string>(values: Readonly<Record<Name, unknown>>): { [N in Name]?: number } {
  const known: { [N in Name]?: number } = {};
  // Asked for every message of a stream: a loop, and no lists of pairs.
  for (const name in values) {
    const value = numberFrom(values[name]);
    if (value !== undefined && value >= 0) known[name] = value;
  }
  return known;
}
