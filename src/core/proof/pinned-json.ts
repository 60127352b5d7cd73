/**
 * What of a package.json is about checks: its scripts, the settings of test runners that stand in it, where its packages come
 * from, and in which packages of a monorepo scripts are run. Pure.
 */
import { type Fields, isFields, parsedJson } from '../text/json.ts';

/** Settings of runners and linters. */
const KEYS = ['jest', 'vitest', 'mocha', 'ava', 'c8', 'nyc', 'tap', 'wireit', 'eslintConfig', 'babel', 'nx', 'tasks'];

/** A setup runs these by itself; Composer those with a hyphen. */
const OF_SETUP = /^(?:(?:pre|post)?(?:install|prepare)|prepublish|dependencies)$|^(?:pre|post)-/;

const DEPENDENCIES = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];

/** A package that does not come from where packages come from: a folder, an archive, a repository, another package. */
const ELSEWHERE = /^(?:file:|link:|portal:|npm:|git|https?:|\.{0,2}\/)|^[\w.-]+\/[\w.-]+$/;

/** In a form that can be compared. */
export function jsonPart(text: string): string | null {
  const fields = fieldsOf(text);
  if (fields === null) return null;
  const swapped = DEPENDENCIES.map((key) => Object.entries(fieldsIn(fields, key)).filter(isFromElsewhere));
  const workspaces = workspacesIn(fields).toSorted();
  const scripts = inOrder(fieldsIn(fields, 'scripts'));
  return JSON.stringify([scripts, workspaces, ...KEYS.map((key) => fields[key] ?? null), swapped]);
}

const isFromElsewhere = ([, source]: readonly [string, unknown]): boolean =>
  typeof source === 'string' && ELSEWHERE.test(source);

/** A package of the start that now comes from somewhere else comes from where it came then. */
function dependenciesOf(now: Fields, known: Fields): Fields {
  const entries = DEPENDENCIES.filter((key) => key in now).map((key) => {
    const were = Object.assign({}, ...DEPENDENCIES.map((one) => fieldsIn(known, one))) as Fields;
    const each = Object.entries(fieldsIn(now, key)).map(([name, source]) => {
      const isSwapped = name in were && isFromElsewhere([name, source]) && were[name] !== source;
      return [name, isSwapped ? were[name] : source] as const;
    });
    return [key, Object.fromEntries(each)] as const;
  });
  return Object.fromEntries(entries);
}

/** Where a script stands means nothing. */
const inOrder = (scripts: Fields) => Object.entries(scripts).sort(([one], [other]) => (one < other ? -1 : 1));

/** Scripts of the start are as they were; new ones stay, but for those that npm runs by itself. */
export function withJsonPart(now: string, before: string | null): string {
  const fields = fieldsOf(now);
  const known = before === null ? {} : fieldsOf(before);
  if (fields === null || known === null) return before ?? now;
  const were = fieldsIn(known, 'scripts');
  const isHook = (name: string): boolean =>
    OF_SETUP.test(name) || (/^(?:pre|post)/.test(name) && name.replace(/^(?:pre|post)/, '') in were);
  const added = Object.entries(fieldsIn(fields, 'scripts')).filter(([name]) => !(name in were) && !isHook(name));
  const others = Object.entries(fields).filter(([key]) => !['scripts', 'workspaces', ...KEYS].includes(key));
  const kept = KEYS.filter((key) => key in known).map((key) => [key, known[key]] as const);
  const scripts = { ...were, ...Object.fromEntries(added) };
  const all = [...new Set([...workspacesIn(known), ...workspacesIn(fields)])];
  const workspaces = all.length === 0 ? {} : { workspaces: all };
  const parts = { ...workspaces, ...dependenciesOf(fields, known), scripts, ...Object.fromEntries(kept) };
  return `${JSON.stringify({ ...Object.fromEntries(others), ...parts }, null, 2)}\n`;
}

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
