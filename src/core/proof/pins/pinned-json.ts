/**
 * The part of a package.json that is about checks: scripts, settings of test runners, where packages come from, and in
 * which packages of a monorepo scripts are run. Pure.
 */
import { type Fields, isFields, parsedJson } from '../../text/json.ts';

/** Keys with the settings of runners and linters. */
export const RUNNER_KEYS: readonly string[] = `
jest vitest mocha ava c8 nyc tap wireit ts-node babel nx tasks patchedDependencies
eslintConfig eslintIgnore prettier stylelint xo standard
`
  .trim()
  .split(/\s+/);

/** Scripts that an install runs by itself; those with a hyphen are Composer's. */
const OF_SETUP = /^(?:(?:pre|post)?(?:install|prepare)|prepublish|dependencies)$|^(?:pre|post)-/;

export const isSetupScript = (name: string): boolean => OF_SETUP.test(name);

const DEPENDENCIES = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
/** Keys that replace packages anywhere in the dependency tree. */
const OVERRIDES = ['overrides', 'resolutions', 'pnpm'];

/** A package that does not come from a registry: a folder, an archive, a repository, another package. */
const ELSEWHERE = /^(?:file:|link:|portal:|npm:|git|https?:|\.{0,2}\/)|^[\w.-]+\/[\w.-]+$/;
/** A source that shows nothing of its content: an archive could replace anything. */
const HIDDEN = /^(?:(?:file:)?[^:]*\.(?:tgz|tar|tar\.gz)|git\+file:.*|https?:\/\/(?:localhost|127\.|\[).*)$/i;
const ANY_LOCAL = /"(?:file:|link:|portal:|patch:|git\+file:|\.{1,2}\/)|patchedDependencies/;

/** Names that a package of the project must not take. */
export interface PackagesOfStart {
  /** Packages that were installed: their names would lead to another package. */
  readonly names: ReadonlySet<string>;
  /** Programs that commands call: a package that brings one of them would be run instead. */
  readonly programs: ReadonlySet<string>;
  /** Hosts that its settings fetch packages from. */
  readonly hosts?: ReadonlySet<string>;
}

export const NO_PACKAGES: PackagesOfStart = { names: new Set(), programs: new Set() };

/** The part, in a form that can be compared; null if it is not JSON. */
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

/** The names of its dependencies. */
export function dependencyNames(text: string): string[] {
  const fields = fieldsOf(text);
  return fields === null ? [] : DEPENDENCIES.flatMap((key) => Object.keys(fieldsIn(fields, key)));
}

const isFromElsewhere = ([, source]: readonly [string, unknown]): boolean =>
  typeof source === 'string' && ELSEWHERE.test(source);

/** A package of the start that now comes from elsewhere is reset to its source at the start. */
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

/** Its programs by name; if `bin` is a string, the program has the name of the package. */
function programsOf({ bin, name }: Fields): Fields {
  if (isFields(bin)) return bin;
  return typeof bin === 'string' && typeof name === 'string' ? { [name.slice(name.lastIndexOf('/') + 1)]: bin } : {};
}

/** Programs that every shell looks for, and test runners that are called by name in many projects. */
const EVERYWHERE = new Set(
  `node npm npx pnpm yarn bun deno sh bash env python python3 pip uv make go cargo git
pytest py.test tox nox coverage ruff mypy`.split(/\s+/),
);

/** Do the checks, or what they call, find another program by this name? */
export const isOthers = (program: string, { programs }: PackagesOfStart): boolean =>
  EVERYWHERE.has(program) || programs.has(program);

/** Its name and its programs, without those that belong to others. */
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

/** A folder of programs does not list their names, so the one of the start is kept. */
function directoriesOf(now: Fields, known: Fields): unknown {
  if (!isFields(now.directories)) return now.directories;
  const { bin: _now, ...others } = now.directories;
  const were = fieldsIn(known, 'directories');
  return 'bin' in were ? { ...others, bin: were.bin } : others;
}

/** Overrides that replace a package by one in the project are reset to those of the start. */
function overridesOf(now: Fields, known: Fields): Fields {
  const pairs = OVERRIDES.flatMap((key) => {
    const isLocal = key in now && ANY_LOCAL.test(JSON.stringify(now[key]));
    const value = isLocal ? known[key] : now[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return Object.fromEntries(pairs);
}

/** The order of scripts means nothing. */
const inOrder = (scripts: Fields) => Object.entries(scripts).sort(([one], [other]) => (one < other ? -1 : 1));

/**
 * Resets the scripts of the start; new ones stay, except those that npm runs by itself. `before` is null for a new
 * package, which has its own settings.
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
  // A pattern with `!` excludes a package.
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
  // Keep the indentation, because a linter may check it.
  return `${JSON.stringify(whole, null, /\n([ \t]+)"/.exec(now)?.[1] ?? 2)}\n`;
}

/** Yarn also accepts them as `workspaces.packages`. */
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
