/** How a value that an agent wrote stands in a message: as JSON would show it, and never at length. */

const LONGEST = 80;

export function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}

/** Words in single quotes, anything else as JSON: `'approved'`, `null`, `3`. */
export function quoted(value: unknown): string {
  if (typeof value === 'string') return `'${cut(value)}'`;
  return value === undefined ? 'nothing' : cut(JSON.stringify(value));
}

/** `passes false → true` */
export function changed(field: string, before: unknown, after: unknown): string {
  return `${field} ${quoted(before)} → ${quoted(after)}`;
}
