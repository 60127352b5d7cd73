/**
 * What a sandbox refused, one line of JSON each, and what it moved to quarantine since something outside would obey it.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, constants, existsSync, lstatSync, openSync, readFileSync, renameSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { errnoOf } from '../../core/error.ts';
import { parsedJson } from '../../core/text/json.ts';
import { quoteWord } from '../../core/text/quote-word.ts';
import { ifThere, makeFolders, nullOn, writeFile } from '../../process/files.ts';
import { watchFolder } from '../../process/folder-watch.ts';
import { isUnder, mounted, type SandboxPolicy } from './policy.ts';

export interface Refusal {
  readonly what: 'write' | 'connect';
  /** A path, or a host with its port. It comes from inside the sandbox and must not be trusted. */
  readonly target: string;
  /** What to allow so that it is not refused again. */
  readonly allow: string;
  /** Where it is now, if it was written and then moved to quarantine. */
  readonly kept?: string;
}

export function keepRefusal(file: string, refusal: Refusal): void {
  writeFile(file, `${JSON.stringify(refusal)}\n`, { flag: 'a', mode: 0o600 });
}

export function readRefusals(file: string): Refusal[] {
  const text = ifThere(() => readFileSync(file, 'utf8')) ?? '';
  return text.split('\n').flatMap(parseRefusal);
}

export function parseRefusal(line: string): Refusal[] {
  // It may be empty, or cut off by its writer's death.
  const value = (parsedJson(line) ?? {}) as Partial<Record<keyof Refusal, unknown>>;
  const { what, target, allow, kept = '' } = value;
  const isWhole = [target, allow, kept].every((word) => typeof word === 'string');
  return isWhole && (what === 'write' || what === 'connect') ? [value as Refusal] : [];
}

export function describeRefusal({ what, target, allow, kept }: Refusal): string {
  const fact = what === 'write' ? `refused to write ${target}` : `refused to connect to ${target}`;
  const quarantined = `moved ${target} to quarantine, because something outside would obey it: ${kept}`;
  const flag = what === 'write' ? '--allow-write' : '--allow-host';
  return `${kept === undefined ? fact : quarantined} (to allow it: ${flag} ${quoteWord(allow)})`;
}

/** The flag at the end of such a sentence; null if there is none. */
export const allowingFlag = (described: string): string | null =>
  /\(to allow it: (--allow-.+)\)$/s.exec(described)?.[1] ?? null;

type RefusalPolicy = Pick<SandboxPolicy, 'writable' | 'unreadable' | 'readOnly' | 'quiet'>;

/** Parses what the sandbox runtime logs. Null for anything but a refusal that a person could do something about. */
export function refusalFrom(line: string, policy: RefusalPolicy, exists: (path: string) => boolean): Refusal | null {
  const host = /^deny network-outbound (\S+) \(/.exec(line)?.[1];
  if (host !== undefined) return { what: 'connect', target: host, allow: host.replace(/:(80|443)$/, '') };
  const path = /^deny \w+ (\/.*)$/s.exec(line)?.[1];
  // The sandbox's own devices and processes are logged although they can be written.
  if (path === undefined || isUnder(path, '/proc') || isUnder(path, '/dev')) return null;
  // An empty folder takes its place, which can be written and is thrown away.
  if (policy.unreadable.some((folder) => isUnder(path, folder))) return null;
  // Creating a folder and its parents only finds that these exist.
  if (policy.writable.some((folder) => isUnder(folder, path))) return null;
  if (policy.quiet.some((beginning) => path.startsWith(beginning))) return null;
  const guarded = policy.readOnly.find((folder) => isUnder(path, folder));
  // To create what does not exist yet, its folder must be writable.
  return { what: 'write', target: path, allow: guarded ?? (exists(path) ? path : dirname(path)) };
}

type Guarded = Pick<SandboxPolicy, 'vacant' | 'writable' | 'unreadable'>;

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
/** Nothing is there, or it was removed or exchanged while we looked: the next look will tell. */
const PASSING = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'EBUSY'];

/**
 * Moves what has appeared at a path that should be vacant into a folder that every sandbox hides: nothing can be
 * mounted over a name that does not exist. macOS guards names and lets none of these be created, but on its disks
 * `.CLAUDE` is `.claude`.
 */
export function quarantine(policy: Guarded, folder: string): Refusal[] {
  const roots = mounted(policy);
  /** Most paths are in folders that do not exist: one look for all of them. */
  const isThere = new Map<string, boolean>();
  return policy.vacant.flatMap((path) => {
    const root = roots.filter((each) => isUnder(path, each)).sort((a, b) => b.length - a.length)[0];
    if (root === undefined) return [];
    const [first = ''] = relative(root, path).split('/');
    const begins = join(root, first);
    const there = isThere.get(begins) ?? mayBeThere(begins);
    isThere.set(begins, there);
    return there ? taken(root, path, folder) : [];
  });
}

/** True for what cannot be looked at. */
function mayBeThere(path: string): boolean {
  return nullOn(PASSING, () => lstatSync(path, { throwIfNoEntry: false }) !== undefined) ?? true;
}

export function watchVacant({ vacant }: Pick<Guarded, 'vacant'>, look: () => void): () => void {
  // On other systems, it is enough to look when the program has ended.
  if (process.platform !== 'linux') return () => undefined;
  // What is created in a folder that does not exist yet is found when the program has ended.
  const parents = [...new Set(vacant.map((path) => dirname(path)))].filter((folder) => existsSync(folder));
  const watches = parents.map((parent) => {
    const watch = watchFolder(parent);
    for (const path of vacant) if (dirname(path) === parent) watch.on(basename(path), look);
    return watch;
  });
  return () => {
    for (const watch of watches) watch.close();
  };
}

/**
 * Step by step from a folder that cannot be exchanged from inside. A link on the way is the agent's: it is moved
 * itself.
 */
function taken(root: string, path: string, folder: string): Refusal[] {
  const steps = relative(root, path).split('/');
  const held: number[] = [];
  const taking = (): Refusal[] => {
    held.push(openSync(root, O_RDONLY | O_DIRECTORY));
    for (const [index, name] of steps.entries()) {
      const around =
        process.platform === 'linux' ? `/proc/self/fd/${held.at(-1)}` : join(root, ...steps.slice(0, index));
      const here = `${around}/${name}`;
      const walked = join(root, ...steps.slice(0, index + 1));
      if (lstatSync(here).isSymbolicLink() || walked === path) return [moved(here, walked, folder)];
      held.push(openSync(here, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    }
    return [];
  };
  try {
    return nullOn(PASSING, taking) ?? [];
  } finally {
    for (const fd of held) closeSync(fd);
  }
}

function moved(here: string, path: string, folder: string): Refusal {
  const name = `${basename(path)}.${randomUUID()}`;
  let kept = join(folder, name);
  makeFolders(folder, 0o700);
  try {
    renameSync(here, kept);
  } catch (error) {
    if (errnoOf(error) !== 'EXDEV') throw error;
    // On another disk: keep it beside the original, under a name that nothing obeys.
    kept = join(dirname(path), name);
    renameSync(here, join(dirname(here), name));
  }
  return { what: 'write', target: path, allow: path, kept };
}
