/**
 * What of a package.json is about checks: its scripts, the settings of test runners that stand in it, and in which packages of
 * a monorepo scripts are run. Pure.
 */
import { type Fields, isFields, parsedJson } from '../text/json.ts';

/** Settings of runners and linters. */
const KEYS = ['jest', 'vitest', 'mocha', 'ava', 'c8', 'nyc', 'tap', 'wireit', 'eslintConfig', 'babel', 'nx', 'tasks'];

/** In a form that can be compared. */
export function jsonPart(text: string): string | null {
  const fields = fieldsOf(text);
  if (fields === null) return null;
  const workspaces = workspacesIn(fields).toSorted();
  return JSON.stringify([workspaces, inOrder(fieldsIn(fields, 'scripts')), ...KEYS.map((key) => fields[key] ?? null)]);
}

/** Where a script stands means nothing. */
const inOrder = (scripts: Fields) => Object.entries(scripts).sort(([one], [other]) => (one < other ? -1 : 1));

/** Scripts of the start are as they were; new ones stay, but for those that are run without being asked for. */
export function withJsonPart(now: string, before: string | null): string {
  const fields = fieldsOf(now);
  const known = before === null ? {} : fieldsOf(before);
  if (fields === null || known === null) return before ?? now;
  const were = fieldsIn(known, 'scripts');
  const isHook = (name: string): boolean => OF_SETUP.test(name) || name.replace(/^(?:pre|post)/, '') in were;
  const added = Object.entries(fieldsIn(fields, 'scripts')).filter(([name]) => !(name in were) && !isHook(name));
  const others = Object.entries(fields).filter(([key]) => !['scripts', 'workspaces', ...KEYS].includes(key));
  const kept = KEYS.filter((key) => key in known).map((key) => [key, known[key]] as const);
  const scripts = { ...were, ...Object.fromEntries(added) };
  const all = [...new Set([...workspacesIn(known), ...workspacesIn(fields)])];
  const workspaces = all.length === 0 ? {} : { workspaces: all };
  const pinned = { ...Object.fromEntries(others), ...workspaces, scripts, ...Object.fromEntries(kept) };
  return `${JSON.stringify(pinned, null, 2)}\n`;
}

/** What npm runs when it installs, and Composer around anything. */
const OF_SETUP = /^(?:(?:pre|post)?(?:install|prepare|prepublish)|dependencies)$|^(?:pre|post)-/;

/** Yarn also takes them in a field of its own. */
function workspacesIn({ workspaces }: Fields): string[] {
  const listed = isFields(workspaces) ? workspaces.packages : workspaces;
  return Array.isArray(listed) ? listed.filter((one) => typeof one === 'string') : [];
}

function fieldsIn(fields: Fields, key: string): Fields {
  const value = fields[key];
  return isFields(value) ? value : {};
}

function fieldsOf(text: string): Fields | null {
  const value = parsedJson(text.replace(/^\uFEFF/, ''));
  return isFields(value) ? value : null;
}
