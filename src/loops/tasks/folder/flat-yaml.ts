/**
 * YAML of the simplest form, a key and a plain value per line: written so that every reader of YAML takes it, and read
 * without one, which is a part of what a restart costs.
 */

export type Scalar = string | number;

const LINE = /^([a-z][a-z_]*): (.*)$/;
/** Text that needs no quotes. */
const PLAIN = /^[A-Za-z/][\w/.@+-]*$/;
/** What YAML takes for something else than text. */
const WORD = /^(?:null|true|false|yes|no|on|off|y|n)$/i;
const NUMBER = /^-?\d{1,15}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

/** Text stays text: a bare `20260220` would be a number for whoever reads it, a bare `null` nothing. */
export function flatLine(key: string, value: Scalar): string {
  if (typeof value === 'number' || TIME.test(value)) return `${key}: ${value}\n`;
  return `${key}: ${isPlain(value) ? value : JSON.stringify(value)}\n`;
}

/** Null for anything that is not of this form, be it YAML or not. */
export function readFlat(text: string): Record<string, Scalar> | null {
  const fields: Record<string, Scalar> = {};
  for (const line of text.trimEnd().split('\n')) {
    const [, key = '', written = ''] = LINE.exec(line) ?? [];
    const value = scalarOf(written);
    if (key === '' || key in fields || value === null) return null;
    fields[key] = value;
  }
  return fields;
}

function scalarOf(written: string): Scalar | null {
  if (NUMBER.test(written)) return Number(written);
  if (TIME.test(written) || isPlain(written)) return written;
  if (!written.startsWith('"')) return null;
  try {
    const text: unknown = JSON.parse(written);
    return typeof text === 'string' ? text : null;
  } catch {
    // YAML knows quotes that JSON does not.
    return null;
  }
}

function isPlain(text: string): boolean {
  return PLAIN.test(text) && !WORD.test(text);
}
