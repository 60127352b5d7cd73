/** Reads untrusted lines of JSON: values of an unexpected type are ignored. */
import { type Fields, isFields, parsedJson } from '../../core/text/json.ts';

export type JsonObject = Fields;

/** Null for a truncated line or plain text: the caller keeps the line as it is. */
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

/** The value if it is a string, else the default: other values in a stream are not shown. */
export function textFrom(value: unknown, otherwise = ''): string {
  return typeof value === 'string' ? value : otherwise;
}

export function numberFrom(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The value if it looks like a model's name. */
export function modelFrom(value: unknown): { model?: string } {
  return typeof value === 'string' && /^[\w.:@/[\]-]{1,100}$/.test(value) ? { model: value } : {};
}

/** Only the figures that are present and not negative: unknown is not zero. */
export function figures<Name extends string>(values: Readonly<Record<Name, unknown>>): { [N in Name]?: number } {
  const known: { [N in Name]?: number } = {};
  // Runs for every message of a stream: a plain loop avoids building lists of entries.
  for (const name in values) {
    const value = numberFrom(values[name]);
    if (value !== undefined && value >= 0) known[name] = value;
  }
  return known;
}
