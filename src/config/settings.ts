/** Reads the settings: the user's, under the project's, under its local ones. Errors name what is wrong, and where. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type * as z from 'zod/mini';
import type { CheckForm } from '../core/check.ts';
import { errnoOf, RalphError } from '../core/error.ts';
import { reasonOf } from '../core/system-fault.ts';
import { isFields } from '../core/text/json.ts';
import { readPlainText } from '../process/files.ts';
import { jsonError, jsonErrorPlace } from './json-error.ts';
import { type Settings, settingsSchema } from './schema.ts';
import { withPlaces, withText } from './settings-places.ts';
import { userSettingsFile, type Variables } from './user-file.ts';

export type { Settings } from './schema.ts';

export const SETTINGS_FILE = '.ralph/settings.json';
export const LOCAL_FILE = '.ralph/settings.local.json';

/** The content of each file before they are merged; null if there is no such file. */
export interface Layers<Layer> {
  /** The user's own settings for all projects, with the lowest priority. Absent if not requested. */
  readonly user?: { readonly file: string; readonly layer: Layer } | null;
  readonly base: Layer;
  readonly local: Layer;
}
export type SettingsLayers = Layers<unknown>;
/** The raw texts, to see later whether the files changed. */
export type SettingsTexts = Layers<string | null>;

export { userSettingsFile } from './user-file.ts';

/** `userFile`: see `userSettingsFile`. */
export function readTexts(cwd: string, userFile: string | null = null): SettingsTexts {
  // A sandbox hides this file by an empty one.
  const user = userFile === null ? null : { file: userFile, layer: readText(cwd, userFile) || null };
  return { user, base: readText(cwd, SETTINGS_FILE), local: readText(cwd, LOCAL_FILE) };
}

export const isSameText = (a: SettingsTexts, b: SettingsTexts): boolean =>
  a.base === b.base && a.local === b.local && a.user?.layer === b.user?.layer;

export function parseLayers(texts: SettingsTexts): SettingsLayers {
  const base = parseLayer(texts.base, SETTINGS_FILE);
  const local = parseLayer(texts.local, LOCAL_FILE);
  if (!texts.user) return { user: null, base, local };
  const { file } = texts.user;
  const layer = withoutNotify(parseLayer(texts.user.layer, file, { isUsers: true }));
  // Flags belong to one agent: the user's flags do not apply to another agent that the project names.
  const agent = commandIn(local) ?? commandIn(base);
  const isOther = agent !== undefined && agent !== commandIn(layer);
  return { user: { file, layer: isOther ? withoutFlags(layer) : layer }, base, local };
}

/** Secrets in it are only for sending messages (`notify-settings.ts`): no loop records or shows them. */
function withoutNotify(settings: unknown): unknown {
  if (isFields(settings)) delete (settings as Record<string, unknown>).notify;
  return settings;
}

function withoutFlags(settings: unknown): unknown {
  if (!isFields(settings) || !isFields(settings.agent)) return settings;
  return { ...settings, agent: deepMerge(settings.agent, { flags: null }) };
}

export const readLayers = (cwd: string, userFile: string | null = null): SettingsLayers =>
  parseLayers(readTexts(cwd, userFile));

/** Does the project have settings of its own? */
export const hasProjectSettings = ({ base, local }: Layers<unknown>): boolean => base !== null || local !== null;

/** The agent that the settings name, as written there; undefined if they name none. */
export function agentIn(layers: SettingsLayers): string | undefined {
  return commandIn(merged(layers).at(-1)?.value);
}

function commandIn(settings: unknown): string | undefined {
  const agent = isFields(settings) ? settings.agent : undefined;
  return isFields(agent) && typeof agent.command === 'string' && agent.command !== '' ? agent.command : undefined;
}

/** The sandbox in the settings, for loop kinds whose agent is not in them: settings without an agent are valid then. */
export function sandboxSettings(cwd: string, kinds: readonly CheckForm[], env: Variables): Settings['sandbox'] {
  return sharedSettings(cwd, kinds, env).sandbox;
}

/** The sandbox and the proof in the settings. */
export function sharedSettings(
  cwd: string,
  kinds: readonly CheckForm[],
  env: Variables,
): Pick<Settings, 'sandbox' | 'proof'> {
  return effectiveSettings(readLayers(cwd, userSettingsFile(env)), kinds, 'agent');
}

interface Merged {
  readonly file: string;
  readonly value: unknown;
}

/** For each file that exists: the merged value of it and those below, lowest first. */
function merged({ user, base, local }: SettingsLayers, unnamed: object = {}): Merged[] {
  const layers = [
    { file: user?.file ?? '', layer: user?.layer ?? null },
    { file: SETTINGS_FILE, layer: base },
    { file: LOCAL_FILE, layer: local },
  ].filter(({ layer }) => layer !== null);
  let value: unknown = unnamed;
  return layers.map(({ file, layer }) => {
    value = deepMerge(value, layer);
    return { file, value };
  });
}

/**
 * The effective settings; a missing file means defaults. `kinds`: the known kinds of checks. `agent`: the command to
 * use if the settings name none.
 */
export function effectiveSettings(layers: SettingsLayers, kinds: readonly CheckForm[], agent?: string): Settings {
  const unnamed = agent === undefined ? {} : { agent: { command: agent } };
  const steps = merged(layers, unnamed);
  const whole = steps.at(-1)?.value ?? unnamed;
  const schema = settingsSchema(kinds);
  const faultsOf = (value: unknown): string[] =>
    schema.safeParse(value).error?.issues.map((issue) => describe(issue, value)) ?? [];
  const parsed = schema.safeParse(whole);
  if (!parsed.success) {
    const faults = faultsOf(whole);
    if (layers.base === null && faults.includes(NO_AGENT)) {
      const hint = `There is no ${SETTINGS_FILE} yet. To create one, run: ralph init`;
      throw new RalphError('SETTINGS', faults.join('\n'), { hint });
    }
    // Blame the first file that makes it invalid; a missing agent does not count, because a later file could name it.
    const isWrong = ({ value }: Merged): boolean => faultsOf(value).some((fault) => fault !== NO_AGENT);
    const file = steps.find(isWrong)?.file ?? SETTINGS_FILE;
    const highestFirst = [
      { file: LOCAL_FILE, layer: layers.local },
      { file: SETTINGS_FILE, layer: layers.base },
      { file: layers.user?.file ?? '', layer: layers.user?.layer ?? null, isSecret: true },
    ];
    throw invalid(withPlaces(faults, parsed.error.issues, highestFirst), file);
  }
  const named = parsed.data.agent;
  return { ...parsed.data, agent: { ...named, flags: named.flags.flatMap(shellWords) } };
}

export function readText(cwd: string, file: string): string | null {
  const path = resolve(cwd, file);
  try {
    // Check first: most projects have no local file, every iteration looks for it, and an exception is ten times as
    // slow.
    return statSync(path, { throwIfNoEntry: false }) === undefined ? null : readPlainText(path);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw invalid([`cannot read ${file}: ${reasonOf(error)}`], file);
  }
}

/** `isUsers`: a user's own settings can contain secrets, which no message may show. */
export function parseLayer(text: string | null, file: string, { isUsers = false } = {}): unknown {
  if (text === null) return null;
  // Some editors on Windows begin every file with a byte order mark.
  const bare = text.replace(/^\uFEFF/, '');
  try {
    const value: unknown = JSON.parse(bare);
    if (isFields(value)) return withText(value, bare);
  } catch (error) {
    if (isUsers) throw invalid([`${jsonErrorPlace(bare, file) ?? file}: this is not valid JSON`], file);
    throw invalid([jsonError(bare, file) ?? `${file} is not valid JSON: ${reasonOf(error)}`], file);
  }
  throw invalid([`${file} must contain an object`], file);
}

const NO_AGENT = 'agent.command must be configured in settings file';

export function describe(issue: z.core.$ZodIssue, input: unknown): string {
  if (issue.code === 'unrecognized_keys') {
    const keys = issue.message.split('\n').map((key) => pathText([...issue.path, key]));
    return keys.map((key) => `unknown key ${key}`).join('; ');
  }
  const path = pathText(issue.path);
  if ((path === 'agent' || path === 'agent.command') && isMissing(input, issue.path)) return NO_AGENT;
  return issue.message.startsWith('must ') ? `${path} ${issue.message}` : `${path}: ${issue.message}`;
}

function isMissing(input: unknown, path: readonly PropertyKey[]): boolean {
  const value = path.reduce<unknown>((at, key) => (isFields(at) ? at[String(key)] : undefined), input);
  return value === undefined || value === '';
}

/** `guardrails[0].failAction` */
export function pathText(path: readonly PropertyKey[]): string {
  const parts = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  return parts.join('').replace(/^\./, '');
}

function invalid(faults: readonly string[], file: string): RalphError {
  const orInit = file === SETTINGS_FILE ? ', or run `ralph init` to create a new one' : '';
  return new RalphError('SETTINGS', faults.join('\n'), { hint: `Fix ${file}${orInit}.` });
}

/** Scalars and arrays replace, objects are merged key by key, null removes a key. */
export function deepMerge(base: unknown, over: unknown): unknown {
  if (!isFields(base) || !isFields(over)) return over;
  // A map, because a file with the key `__proto__` must not change the object's prototype.
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    if (value === null) merged.delete(key);
    else merged.set(key, deepMerge(merged.get(key) ?? {}, value));
  }
  return Object.fromEntries(merged);
}

const WORD = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gs;
const PIECE = /\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'/gs;

/** Splits a flag such as `--model opus` into words as a shell would, but expands nothing. */
export function shellWords(text: string): string[] {
  const [broken] = text.replaceAll(WORD, '').match(/["'\\]/) ?? [];
  if (broken !== undefined) {
    throw new RalphError('FLAGS', `the flag ${JSON.stringify(text)} has an unclosed ${broken}`, {
      hint: 'Close it, or give each word as an element of its own in agent.flags.',
    });
  }
  return [...text.matchAll(WORD)].map(([word]) =>
    word.replaceAll(
      PIECE,
      (_all, escaped?: string, double?: string, single?: string) =>
        escaped ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? single ?? '',
    ),
  );
}
