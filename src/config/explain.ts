/** Where each setting has its value from. */
import { isPlain } from './merge.ts';
import { LOCAL_FILE, SETTINGS_FILE, type Settings, type SettingsLayers } from './settings.ts';

export interface Explained {
  readonly path: string;
  readonly value: unknown;
  readonly origin: string;
}

/** `flags` holds what the command line overrides, by path, with the flag that says so. */
export function explainSettings(
  settings: Settings,
  { base, local }: SettingsLayers,
  flags: ReadonlyMap<string, { readonly flag: string; readonly value: unknown }>,
): Explained[] {
  const inFiles = leaves(settings).map(([path, value]) => {
    const given = flags.get(path.join('.'));
    if (given !== undefined) return { path: path.join('.'), value: given.value, origin: given.flag };
    const origin = holds(local, path) ? LOCAL_FILE : holds(base, path) ? SETTINGS_FILE : 'default';
    return { path: path.join('.'), value, origin };
  });
  const present = new Set(inFiles.map(({ path }) => path));
  const added = [...flags].filter(([path]) => !present.has(path));
  return [...inFiles, ...added.map(([path, { flag, value }]) => ({ path, value, origin: flag }))];
}

/** Objects are opened; a list is one value, since a local list replaces the whole of it. */
function leaves(value: unknown, path: readonly string[] = []): [readonly string[], unknown][] {
  if (!isPlain(value)) return [[path, value]];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]));
}

function holds(layer: unknown, path: readonly string[]): boolean {
  const found = path.reduce<unknown>((at, key) => (isPlain(at) && Object.hasOwn(at, key) ? at[key] : undefined), layer);
  return found !== undefined;
}
