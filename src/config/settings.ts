/** Reads the settings of a project: the file, the local overrides laid over it, and errors that name what is wrong. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type * as z from 'zod/mini';
import type { CheckForm } from '../core/check.ts';
import { errnoOf, RalphError } from '../core/error.ts';
import { isFields } from '../core/json.ts';
import { reasonOf } from '../core/system-fault.ts';
import { readPlainText } from '../process/files.ts';
import { type Settings, settingsSchema } from './schema.ts';

export type { Settings } from './schema.ts';

export const SETTINGS_FILE = '.ralph/settings.json';
export const LOCAL_FILE = '.ralph/settings.local.json';

/** What the two files hold, before they are laid over each other; null where there is no such file. */
export interface Layers<Layer> {
  readonly base: Layer;
  readonly local: Layer;
}
export type SettingsLayers = Layers<unknown>;
/** The files as they stand, to see later whether they changed. */
export type SettingsTexts = Layers<string | null>;

export function readTexts(cwd: string): SettingsTexts {
  return { base: readText(cwd, SETTINGS_FILE), local: readText(cwd, LOCAL_FILE) };
}

export function parseLayers({ base, local }: SettingsTexts): SettingsLayers {
  return { base: parseLayer(base, SETTINGS_FILE), local: parseLayer(local, LOCAL_FILE) };
}

export const readLayers = (cwd: string): SettingsLayers => parseLayers(readTexts(cwd));

/** What the settings say of a sandbox, for loop kinds that are told their agent elsewhere: settings without one are whole. */
export function sandboxSettings(cwd: string, kinds: readonly CheckForm[]): Settings['sandbox'] {
  const { base, local } = readLayers(cwd);
  return effectiveSettings({ base: deepMerge({ agent: { command: 'agent' } }, base ?? {}), local }, kinds).sandbox;
}

/** The effective settings; a missing file means defaults, and then there is no agent. `kinds`: the checks that there are. */
export function effectiveSettings({ base, local }: SettingsLayers, kinds: readonly CheckForm[]): Settings {
  const merged = deepMerge(base ?? {}, local ?? {});
  const schema = settingsSchema(kinds);
  const parsed = schema.safeParse(merged);
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => describe(issue, merged));
    const isOfLocal = base !== null && local !== null && schema.safeParse(base).success;
    if (base !== null) throw invalid(faults, isOfLocal ? LOCAL_FILE : SETTINGS_FILE);
    if (!faults.includes(NO_AGENT)) throw invalid(faults, LOCAL_FILE);
    const hint = `There is no ${SETTINGS_FILE} yet. To create one, run: ralph init`;
    throw new RalphError('SETTINGS', faults.join('\n'), { hint });
  }
  const { agent } = parsed.data;
  return { ...parsed.data, agent: { ...agent, flags: agent.flags.flatMap(shellWords) } };
}

export function readText(cwd: string, file: string): string | null {
  const path = join(cwd, file);
  try {
    // Asked first: most projects have no local file, every iteration looks for it, and an error costs ten times as much.
    return statSync(path, { throwIfNoEntry: false }) === undefined ? null : readPlainText(path);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw invalid([`cannot read ${file}: ${reasonOf(error)}`], file);
  }
}

function parseLayer(text: string | null, file: string): unknown {
  if (text === null) return null;
  try {
    // Some editors of Windows begin every file with a byte order mark.
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    if (isFields(value)) return value;
  } catch (error) {
    throw invalid([`${file} is not valid JSON: ${reasonOf(error)}`], file);
  }
  throw invalid([`${file} must hold an object`], file);
}

const NO_AGENT = 'agent.command must be configured in settings file';

function describe(issue: z.core.$ZodIssue, input: unknown): string {
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
function pathText(path: readonly PropertyKey[]): string {
  const parts = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`));
  return parts.join('').replace(/^\./, '');
}

function invalid(faults: readonly string[], file: string): RalphError {
  const orInit = file === SETTINGS_FILE ? ', or run `ralph init` to create a new one' : '';
  return new RalphError('SETTINGS', faults.join('\n'), { hint: `Fix ${file}${orInit}.` });
}

/** Scalars and arrays replace, objects are merged key by key, null takes a key out. */
export function deepMerge(base: unknown, over: unknown): unknown {
  if (!isFields(base) || !isFields(over)) return over;
  // A map: a file that names `__proto__` must not reach an object's real one.
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    if (value === null) merged.delete(key);
    else merged.set(key, deepMerge(merged.get(key) ?? {}, value));
  }
  return Object.fromEntries(merged);
}

const WORD = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gs;
const PIECE = /\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'/gs;

/** Splits a flag such as `--model opus` into words as a shell would, without a shell: nothing is expanded. */
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
