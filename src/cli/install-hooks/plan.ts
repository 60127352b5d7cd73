/**
 * Plans what an installation, or its removal, changes. The receipt of an installation lets `--remove` restore the exact
 * bytes that were there before, and shows whether a file was changed since. It contains no text of others.
 */
import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, renameSync, rmdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { applyEdits } from 'jsonc-parser';
import { errnoOf, RalphError } from '../../core/error.ts';
import { reasonOf, systemFault } from '../../core/system-fault.ts';
import { ifThere, makeFolders, readPlain, readPlainText, realPath, writeFile } from '../../process/files.ts';
import { makePrivateFolder } from '../../state/folders.ts';
import type { StateRoot } from '../../state/paths.ts';
import { writeProjection } from '../../state/projection.ts';
import { type HookGroups, type JsonFile, type Steps, withHooks, withoutHooks } from './hook-settings.ts';

/** What to install for an agent. */
export interface Installation {
  /** The settings file, which can also contain hooks of others; null if the agent's hooks are not in settings. */
  readonly settings: (JsonFile & { readonly groups: HookGroups }) | null;
  /** The contents of the files that only ralph writes, by path. */
  readonly files: Readonly<Record<string, string>>;
}

export interface Change {
  readonly path: string;
  /** Null if there is no such file. */
  readonly before: string | null;
  readonly after: string | null;
}

export interface Plan {
  readonly changes: readonly Change[];
  /** What the receipt says about each file; null for a removal. */
  readonly written: Readonly<Record<string, Written>> | null;
  /** Files that are not removed, because they were changed or not created by ralph. */
  readonly left: readonly string[];
}

interface Receipt {
  readonly version: 1;
  readonly files: Readonly<Record<string, Written>>;
  /** The folders that were created for the files, the innermost first. */
  readonly folders: readonly string[];
}

interface Written {
  /** The hash of the content. */
  readonly hash: string;
  /** The file was not there before. */
  readonly isNew: boolean;
  /** The steps that restore what was there; null if it already contained ralph's hooks. */
  readonly back: Steps | null;
}

const NEW_SETTINGS = '{}\n';

export function planInstall({ settings, files }: Installation, receipt: Receipt | null): Plan {
  const own = Object.entries(files).map(([path, content]) => planOwnFile(path, content, receipt?.files[path]));
  const all = settings === null ? own : [planSettings(settings, receipt?.files[settings.path]), ...own];
  const written = Object.fromEntries(all.map((each) => [each.path, each.written]));
  const notAnyMore = Object.keys(receipt?.files ?? {}).filter((path) => !Object.hasOwn(written, path));
  const { changes: dropped, left } = planDropped(notAnyMore, receipt, {});
  const changes = [...all.filter(({ before, after }) => before !== after), ...dropped];
  return { changes, written, left };
}

export function planRemove({ settings, files }: Installation, receipt: Receipt | null): Plan {
  const paths = new Set([...Object.keys(files), ...Object.keys(receipt?.files ?? {})]);
  if (settings !== null) paths.delete(settings.path);
  const { changes: dropped, left } = planDropped([...paths], receipt, files);
  const shared = settings === null ? null : planSettingsRemoval(settings, receipt?.files[settings.path]);
  const changes = shared === null || shared.before === shared.after ? dropped : [shared, ...dropped];
  return { changes, written: null, left };
}

/** Plans the removal of our files; those that the user has changed stay. `own`: what they should contain. */
function planDropped(paths: readonly string[], receipt: Receipt | null, own: Installation['files']) {
  const changes: Change[] = [];
  const left: string[] = [];
  for (const path of paths) {
    const before = readIfThere(path);
    if (before === null) continue;
    const isOurs = hashOf(before) === receipt?.files[path]?.hash || before === own[path];
    if (isOurs) changes.push({ path, before, after: null });
    else left.push(path);
  }
  return { changes, left };
}

function planOwnFile(path: string, content: string, earlier: Written | undefined) {
  const before = readIfThere(path);
  if (before !== null && before !== content && hashOf(before) !== earlier?.hash) {
    const what =
      earlier === undefined ? 'already exists, and was not created by ralph' : 'was changed after ralph wrote it';
    throw new RalphError('NOT_OURS', `${path} ${what}`, { hint: 'Rename or remove it, then run this again.' });
  }
  const isNew = before === null || (earlier?.isNew ?? false);
  return { path, before, after: content, written: { hash: hashOf(content), isNew, back: null } };
}

function planSettings(file: NonNullable<Installation['settings']>, earlier: Written | undefined) {
  const { path } = file;
  const before = readIfThere(path);
  const { text: after, back } = withHooks(before ?? NEW_SETTINGS, file, file.groups);
  const isNew = before === null || (earlier?.isNew ?? false);
  // If the file is as we wrote it, the steps of the last receipt lead further back.
  const isOurs = before !== null && earlier?.hash === hashOf(before);
  const further = isOurs ? earlier.back : before !== null && hasHooks(before, file) ? null : [];
  const written = { hash: hashOf(after), isNew, back: further === null ? null : [...back, ...further] };
  return { path, before, after, written };
}

function hasHooks(text: string, file: JsonFile): boolean {
  return withoutHooks(text, file).back.length > 0;
}

function planSettingsRemoval(file: JsonFile, earlier: Written | undefined): Change {
  const { path } = file;
  const before = readIfThere(path);
  if (before === null || !hasHooks(before, file)) return { path, before, after: before };
  const back = earlier?.hash === hashOf(before) ? earlier.back : null;
  const after = back === null ? withoutHooks(before, file).text : back.reduce(applyEdits, before);
  const isOursAlone = earlier?.isNew === true && after.replaceAll(/\s/g, '') === '{}';
  return { path, before, after: isOursAlone ? null : after };
}

interface ReceiptPlace {
  readonly root: StateRoot;
  readonly agent: string;
  /** The folder of the agent's configuration. */
  readonly folder: string;
}

function receiptFile({ root, agent, folder }: ReceiptPlace): string {
  return join(root.path, 'installed', `${agent}-${hashOf(folder).slice(0, 16)}.json`);
}

/** Null if there is none, or if it cannot be read: then only the files themselves show what is ours. */
export function readReceipt(place: ReceiptPlace): Receipt | null {
  const text = readPlain(receiptFile(place)) ?? '{}';
  try {
    const receipt = JSON.parse(text) as Partial<Receipt>;
    const isWhole = receipt.version === 1 && receipt.files !== undefined && receipt.folders !== undefined;
    return isWhole ? (receipt as Receipt) : null;
  } catch {
    return null;
  }
}

export function carryOut({ changes, written }: Plan, place: ReceiptPlace, earlier: Receipt | null): void {
  const receipt = receiptFile(place);
  const folders = earlier?.folders ?? [];
  // A file may have been saved between the plan and the answer.
  const changed = changes.find(({ path, before }) => readIfThere(path) !== before)?.path;
  const hint = 'Run this again.';
  if (changed !== undefined)
    throw new RalphError('CHANGED_MEANWHILE', `${changed} was changed in the meantime; nothing was written`, { hint });
  if (written !== null) {
    // The receipt is written first, so that whatever happens then can be undone.
    const made = new Set([...changes.flatMap(({ path }) => missingFolders(path)), ...folders]);
    const content: Receipt = { version: 1, files: written, folders: [...made].sort((a, b) => b.length - a.length) };
    makePrivateFolder(dirname(receipt));
    writeProjection(receipt, `${JSON.stringify(content)}\n`);
  }
  for (const { path, after } of changes) {
    try {
      if (after === null) rmSync(path, { force: true });
      else replaceFile(path, after);
    } catch (error) {
      throw cannot(after === null ? 'remove' : 'write', path, error);
    }
  }
  if (written !== null) return;
  for (const folder of folders) removeIfEmpty(folder);
  rmSync(receipt, { force: true });
}

function hashOf(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Null if there is no such file. */
function readIfThere(path: string): string | null {
  try {
    return ifThere(() => readPlainText(path));
  } catch (error) {
    throw cannot('read', path, error);
  }
}

/** Replaces a file in one step and keeps its mode. If it is a link, the target of the link is replaced. */
function replaceFile(path: string, content: string): void {
  const target = targetOf(path);
  // In the same folder, so that the rename stays on one file system; no agent looks for such a name.
  const next = join(dirname(target), `.${basename(target)}.ralph-next-${process.pid}`);
  try {
    makeFolders(dirname(target));
    writeFile(next, content, { flag: 'wx' });
    const mode = statSync(target, { throwIfNoEntry: false })?.mode;
    if (mode !== undefined) chmodSync(next, mode & 0o7777);
    renameSync(next, target);
  } finally {
    rmSync(next, { force: true });
  }
}

/** The folders that must be made for a file, the innermost first. */
function missingFolders(path: string): string[] {
  const folder = dirname(path);
  if (folder === path || statSync(folder, { throwIfNoEntry: false }) !== undefined) return [];
  return [folder, ...missingFolders(folder)];
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It is not empty, or it is gone.
  }
}

function targetOf(path: string): string {
  try {
    return realPath(path);
  } catch (error) {
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    if (errnoOf(error) === 'ENOENT' && !isLink) return path;
    throw isLink ? new Error('it is a broken link') : error;
  }
}

function cannot(verb: string, path: string, error: unknown): RalphError {
  if (error instanceof RalphError) return error;
  const advice = systemFault(error)?.advice.hint ?? 'Check the file and its directory.';
  return new RalphError('INSTALL_FILE', `cannot ${verb} ${path}: ${reasonOf(error)}`, {
    hint: `${advice} The file was left as it is. Then run this again.`,
  });
}
