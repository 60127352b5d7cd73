/**
 * What of a package.json is about checks: its scripts, the settings of test runners that stand in it, where its packages come
 * from, and in which packages of a monorepo scripts are run. Pure.
 */
import { type Fields, isFields, parsedJson } from '../../text/json.ts';

/** Settings of runners and linters. */
export const RUNNER_KEYS: readonly string[] = `
jest vitest mocha ava c8 nyc tap wireit ts-node babel nx tasks patchedDependencies
eslintConfig eslintIgnore prettier stylelint xo standard
`
  .trim()
  .split(/\s+/);

/** A setup runs these by itself; Composer those with a hyphen. */
const OF_SETUP = /^(?:(?:pre|post)?(?:install|prepare)|prepublish|dependencies)$|^(?:pre|post)-/;

export const isSetupScript = (name: string): boolean => OF_SETUP.test(name);

const DEPENDENCIES = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
/** Where a package deep below is replaced. */
const OVERRIDES = ['overrides', 'resolutions', 'pnpm'];

/** A package that does not come from where packages come from: a folder, an archive, a repository, another package. */
const ELSEWHERE = /^(?:file:|link:|portal:|npm:|git|https?:|\.{0,2}\/)|^[\w.-]+\/[\w.-]+$/;
/** One that nothing in the project shows: what is in an archive, it may take the place of anything. */
const HIDDEN = /^(?:(?:file:)?[^:]*\.(?:tgz|tar|tar\.gz)|git\+file:.*|https?:\/\/(?:localhost|127\.|\[).*)$/i;
const ANY_LOCAL = /"(?:file:|link:|portal:|patch:|git\+file:|\.{1,2}\/)|patchedDependencies/;

/** What a package of the project must not pass itself off as. */
export interface PackagesOfStart {
  /** What was installed: its name leads to another package then. */
  readonly names: ReadonlySet<string>;
  /** What commands call: a package that brings such a program has it run instead. */
  readonly programs: ReadonlySet<string>;
  /** Where its settings have packages come from. */
  readonly hosts?: ReadonlySet<string>;
}

export const NO_PACKAGES: PackagesOfStart = { names: new Set(), programs: new Set() };

/** In a form that can be compared. */
export function jsonPart(text: string): string | null {
  const fields = fieldsOf(text);
  if (fields === null) return null;
  const swapped = DEPENDENCIES.map((key) => Object.entries(fieldsIn(fields, key)).filter(isFromElsewhere));
  const workspaces = workspacesIn(fields).toSorted();
  const scripts = inOrder(fieldsIn(fields, 'scripts'));
  const others = [
    fields.name ?? null,
    Object.keys(programsOf(fields)).toSorted(),
    fieldsIn(fields, 'directories').bin ?? null,
    OVERRIDES.map((key) => fields[key] ?? null),
  ];
  return JSON.stringify([scripts, workspaces, ...RUNNER_KEYS.map((key) => fields[key] ?? null), swapped, others]);
}

/** The packages that it asks for. */
export function dependencyNames(text: string): string[] {
  const fields = fieldsOf(text);
  return fields === null ? [] : DEPENDENCIES.flatMap((key) => Object.keys(fieldsIn(fields, key)));
}

const isFromElsewhere = ([, source]: readonly [string, unknown]): boolean =>
  typeof source === 'string' && ELSEWHERE.test(source);

/** A package of the start that now comes from somewhere else comes from where it came then. */
function dependenciesOf(now: Fields, known: Fields, { names }: PackagesOfStart): Fields {
  const were = Object.assign({}, ...DEPENDENCIES.map((one) => fieldsIn(known, one))) as Fields;
  const entries = DEPENDENCIES.filter((key) => key in now).map((key) => {
    const each = Object.entries(fieldsIn(now, key)).flatMap(([name, source]) => {
      if (!isFromElsewhere([name, source]) || were[name] === source) return [[name, source] as const];
      if (name in were) return [[name, were[name]] as const];
      return names.has(name) || HIDDEN.test(String(source)) ? [] : [[name, source] as const];
    });
    return [key, Object.fromEntries(each)] as const;
  });
  return Object.fromEntries(entries);
}

/** By name; one that has the name of its package is a text. */
function programsOf({ bin, name }: Fields): Fields {
  if (isFields(bin)) return bin;
  return typeof bin === 'string' && typeof name === 'string' ? { [name.slice(name.lastIndexOf('/') + 1)]: bin } : {};
}

/** Every shell looks for them, or a runner of tests is called so in one project or another. */
const EVERYWHERE = new Set(
  `node npm npx pnpm yarn bun deno sh bash env python python3 pip uv make go cargo git
pytest py.test tox nox coverage ruff mypy`.split(/\s+/),
);

/** A program that the checks, or what they call, find by this name. */
export const isOthers = (program: string, { programs }: PackagesOfStart): boolean =>
  EVERYWHERE.has(program) || programs.has(program);

/** Its name and its programs, but for those that are others'. */
function identityOf(now: Fields, known: Fields, start: PackagesOfStart): Fields {
  const { names } = start;
  const isTaken = typeof now.name === 'string' && now.name !== known.name && names.has(now.name);
  const own = isTaken ? known.name : now.name;
  const were = programsOf(known);
  const kept = Object.entries(programsOf(now)).filter(
    ([name]) => name in were || !(isOthers(name, start) || (names.has(name) && name !== own)),
  );
  const all = Object.keys(programsOf(now)).length === kept.length;
  const bin = all ? now.bin : Object.fromEntries(kept);
  const directories = directoriesOf(now, known);
  return {
    ...(own === undefined ? {} : { name: own }),
    ...(bin === undefined ? {} : { bin }),
    ...(directories === undefined ? {} : { directories }),
  };
}

/** A folder of programs, whose names it does not say, is the one of the start. */
function directoriesOf(now: Fields, known: Fields): unknown {
  if (!isFields(now.directories)) return now.directories;
  const { bin: _now, ...others } = now.directories;
  const were = fieldsIn(known, 'directories');
  return 'bin' in were ? { ...others, bin: were.bin } : others;
}

/** Those that replace a package by one of the project are as they were. */
function overridesOf(now: Fields, known: Fields): Fields {
  const pairs = OVERRIDES.flatMap((key) => {
    const isLocal = key in now && ANY_LOCAL.test(JSON.stringify(now[key]));
    const value = isLocal ? known[key] : now[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(pairs);
}

/** Where a script stands means nothing. */
const inOrder = (scripts: Fields) => Object.entries(scripts).sort(([one], [other]) => (one < other ? -1 : 1));

/**
 * Scripts of the start are as they were; new ones stay, but for those that npm runs by itself. `before` is null for a package
 * that is new: its own settings are its own.
 */
export function withJsonPart(now: string, before: string | null, start: PackagesOfStart = NO_PACKAGES): string {
  const fields = fieldsOf(now);
  const known = before === null ? {} : fieldsOf(before);
  if (fields === null || known === null) return before ?? now;
  const were = fieldsIn(known, 'scripts');
  const isHook = (name: string): boolean =>
    OF_SETUP.test(name) || (/^(?:pre|post)/.test(name) && name.replace(/^(?:pre|post)/, '') in were);
  const added = Object.entries(fieldsIn(fields, 'scripts')).filter(([name]) => !(name in were) && !isHook(name));
  const pinned = ['scripts', 'workspaces', 'name', 'bin', 'directories', ...OVERRIDES, ...RUNNER_KEYS];
  const others = Object.entries(fields).filter(([key]) => !pinned.includes(key));
  const owner = before === null ? fields : known;
  const kept = RUNNER_KEYS.filter((key) => key in owner).map((key) => [key, owner[key]] as const);
  const scripts = { ...were, ...Object.fromEntries(added) };
  // One with `!` takes a package out.
  const fresh = workspacesIn(fields).filter((one) => before === null || !one.trim().startsWith('!'));
  const all = [...new Set([...workspacesIn(known), ...fresh])];
  const workspaces = all.length === 0 ? {} : { workspaces: all };
  const parts = {
    ...workspaces,
    ...dependenciesOf(fields, known, start),
    ...overridesOf(fields, known),
    scripts,
    ...Object.fromEntries(kept),
  };
  const whole = { ...identityOf(fields, known, start), ...Object.fromEntries(others), ...parts };
  // A linter may look at its form.
  return `${JSON.stringify(whole, null, /\n([ \t]+)"/.exec(now)?.[1] ?? 2)}\n`;
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
