/** What of a package.json is about checks: its scripts, and the settings of test runners that stand in it. Pure. */
import { type Fields, isFields, parsedJson } from '../text/json.ts';

/** Settings of runners and linters. */
const KEYS = ['jest', 'vitest', 'mocha', 'ava', 'c8', 'nyc', 'tap', 'wireit', 'eslintConfig', 'babel', 'tasks'];

/** In a form that can be compared. */
export function jsonPart(text: string): string | null {
  const fields = fieldsOf(text);
  if (fields === null) return null;
  return JSON.stringify([inOrder(fieldsIn(fields, 'scripts')), ...KEYS.map((key) => fields[key] ?? null)]);
}

/** Where a script stands means nothing. */
const inOrder = (scripts: Fields) => Object.entries(scripts).sort(([one], [other]) => (one < other ? -1 : 1));

/** Scripts of the start are as they were; new ones stay, but for those that npm runs before or after one of the start. */
export function withJsonPart(now: string, before: string | null): string {
  const fields = fieldsOf(now);
  const known = before === null ? {} : fieldsOf(before);
  if (fields === null || known === null) return before ?? now;
  const were = fieldsIn(known, 'scripts');
  const isHook = (name: string): boolean => /^(?:pre|post)/.test(name) && name.replace(/^(?:pre|post)/, '') in were;
  const added = Object.entries(fieldsIn(fields, 'scripts')).filter(([name]) => !(name in were) && !isHook(name));
  const others = Object.entries(fields).filter(([key]) => key !== 'scripts' && !KEYS.includes(key));
  const kept = KEYS.filter((key) => key in known).map((key) => [key, known[key]] as const);
  const scripts = { ...were, ...Object.fromEntries(added) };
  return `${JSON.stringify({ ...Object.fromEntries(others), scripts, ...Object.fromEntries(kept) }, null, 2)}\n`;
}

function fieldsIn(fields: Fields, key: string): Fields {
  const value = fields[key];
  return isFields(value) ? value : {};
}

function fieldsOf(text: string): Fields | null {
  const value = parsedJson(text.replace(/^\uFEFF/, ''));
  return isFields(value) ? value : null;
}
