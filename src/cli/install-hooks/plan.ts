/** Works out what an installation, or its removal, changes; nothing is written here. */
import { RalphError } from '../../core/error.ts';
import { applySteps, type HookGroups, withHooks, withoutHooks } from './hook-settings.ts';
import type { JsonFile } from './json-text.ts';
import { hashOf, type Receipt, type Written } from './receipt.ts';
import { readIfThere } from './safe-file.ts';

/** What an agent needs for the loop's commands. */
export interface Installation {
  /** The settings that hold the hooks of others, too; null for an agent that has none. */
  readonly settings: (JsonFile & { readonly groups: HookGroups }) | null;
  /** Files of ours alone: contents by path. */
  readonly files: Readonly<Record<string, string>>;
}

export interface Change {
  readonly path: string;
  /** Null: there is no such file. */
  readonly before: string | null;
  readonly after: string | null;
}

export interface Plan {
  readonly changes: readonly Change[];
  /** What is to be known of the files afterwards. */
  readonly written: Readonly<Record<string, Written>>;
  /** Files that stay although they were ours once. */
  readonly left: readonly string[];
}

const NEW_SETTINGS = '{}\n';

export function planInstall({ settings, files }: Installation, receipt: Receipt | null): Plan {
  const own = Object.entries(files).map(([path, content]) => planOwnFile(path, content, receipt?.files[path]));
  const all = settings === null ? own : [planSettings(settings, receipt?.files[settings.path]), ...own];
  const written = Object.fromEntries(all.map(({ change, written }) => [change.path, written]));
  const notAnyMore = Object.keys(receipt?.files ?? {}).filter((path) => !Object.hasOwn(written, path));
  const { changes: dropped, left } = planDropped(notAnyMore, receipt);
  const changes = [...all.map(({ change }) => change).filter(({ before, after }) => before !== after), ...dropped];
  return { changes, written, left };
}

/** Files of ours that are to go: what the user has changed stays. `own` is what they would hold. */
function planDropped(
  paths: Iterable<string>,
  receipt: Receipt | null,
  own: Installation['files'] = {},
): Pick<Plan, 'changes' | 'left'> {
  const changes: Change[] = [];
  const left: string[] = [];
  for (const path of paths) {
    const before = readIfThere(path);
    if (before === null) continue;
    if (hashOf(before) === receipt?.files[path]?.hash || before === own[path])
      changes.push({ path, before, after: null });
    else left.push(path);
  }
  return { changes, left };
}

export function planRemove({ settings, files }: Installation, receipt: Receipt | null): Plan {
  const paths = new Set([...Object.keys(files), ...Object.keys(receipt?.files ?? {})]);
  if (settings !== null) paths.delete(settings.path);
  const shared = settings === null ? [] : [planSettingsRemoval(settings, receipt?.files[settings.path])];
  const { changes: dropped, left } = planDropped(paths, receipt, files);
  return { changes: [...shared.filter(({ before, after }) => before !== after), ...dropped], written: {}, left };
}

interface Planned {
  readonly change: Change;
  readonly written: Written;
}

function planOwnFile(path: string, content: string, earlier: Written | undefined): Planned {
  const before = readIfThere(path);
  if (before !== null && before !== content && hashOf(before) !== earlier?.hash) {
    const what = earlier === undefined ? 'is there already, and is not of ralph' : 'was changed after ralph wrote it';
    throw new RalphError('NOT_OURS', `${path} ${what}`, { hint: 'Rename it or take it away, then call this again.' });
  }
  const isNew = before === null || (earlier?.isNew ?? false);
  return { change: { path, before, after: content }, written: { hash: hashOf(content), isNew, back: null } };
}

function planSettings(file: JsonFile & { readonly groups: HookGroups }, earlier: Written | undefined): Planned {
  const before = readIfThere(file.path);
  const { text: after, back } = withHooks(before ?? NEW_SETTINGS, file, file.groups);
  // Written by us and untouched since: the way back leads on from there.
  const isOurs = before !== null && earlier?.hash === hashOf(before);
  const further = isOurs ? earlier.back : before !== null && hasHooks(before, file) ? null : [];
  return {
    change: { path: file.path, before, after },
    written: {
      hash: hashOf(after),
      isNew: before === null || (earlier?.isNew ?? false),
      back: further === null ? null : [...back, ...further],
    },
  };
}

function hasHooks(text: string, file: JsonFile): boolean {
  return withoutHooks(text, file).back.length > 0;
}

function planSettingsRemoval(file: JsonFile, earlier: Written | undefined): Change {
  const { path } = file;
  const before = readIfThere(path);
  if (before === null) return { path, before, after: null };
  if (!hasHooks(before, file)) return { path, before, after: before };
  const back = earlier?.hash === hashOf(before) ? earlier.back : null;
  const after = back === null ? withoutHooks(before, file).text : applySteps(before, back);
  const isOursAlone = earlier?.isNew === true && after.replaceAll(/\s/g, '') === '{}';
  return { path, before, after: isOursAlone ? null : after };
}
