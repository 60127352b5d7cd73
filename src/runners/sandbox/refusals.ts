/** What a sandbox has refused, a line of JSON each; and what it has moved to quarantine, because something outside would obey it. */
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
  /** A path, or a host with its port. It comes from inside the sandbox: not to be trusted. */
  readonly target: string;
  /** What to allow, so that it is not refused again. */
  readonly allow: string;
  /** Where it is now: it was written, and moved to quarantine. */
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
  // It may be empty, or its writer was cut off in the middle of the line.
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

/** The flag at the end of such a sentence; null where it names none. */
export const allowingFlag = (described: string): string | null =>
  /\(to allow it: (--allow-.+)\)$/s.exec(described)?.[1] ?? null;

type RefusalPolicy = Pick<SandboxPolicy, 'writable' | 'unreadable' | 'readOnly' | 'quiet'>;

/** From what the sandbox runtime notes down. Null for what is no refusal that a person could do something about. */
export function refusalFrom(line: string, policy: RefusalPolicy, exists: (path: string) => boolean): Refusal | null {
  const host = /^deny network-outbound (\S+) \(/.exec(line)?.[1];
  if (host !== undefined) return { what: 'connect', target: host, allow: host.replace(/:(80|443)$/, '') };
  const path = /^deny \w+ (\/.*)$/s.exec(line)?.[1];
  // Its own devices and processes are told, although they may be written.
  if (path === undefined || isUnder(path, '/proc') || isUnder(path, '/dev')) return null;
  // There an empty folder stands in, which may be written and is thrown away.
  if (policy.unreadable.some((folder) => isUnder(path, folder))) return null;
  // Making a folder with all those above it only finds that they are there.
  if (policy.writable.some((folder) => isUnder(folder, path))) return null;
  if (policy.quiet.some((beginning) => path.startsWith(beginning))) return null;
  const guarded = policy.readOnly.find((folder) => isUnder(path, folder));
  // What is not there yet is made in its folder.
  return { what: 'write', target: path, allow: guarded ?? (exists(path) ? path : dirname(path)) };
}

type Guarded = Pick<SandboxPolicy, 'vacant' | 'writable' | 'unreadable'>;

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
/** Nothing is there, or it was taken away or exchanged while we looked: the next look tells. */
const PASSING = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'EBUSY'];

/**
 * Moves into a folder that every sandbox hides what has appeared where nothing is to be: over a name that is not there
 * nothing can be mounted. macOS goes by names and lets none of these be made, but on its disks `.CLAUDE` is `.claude`.
 */
export function quarantine(policy: Guarded, folder: string): Refusal[] {
  const roots = mounted(policy);
  /** Most are in folders that are not there: one look for all of them. */
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

/** What cannot be looked at may be. */
function mayBeThere(path: string): boolean {
  return nullOn(PASSING, () => lstatSync(path, { throwIfNoEntry: false }) !== undefined) ?? true;
}

export function watchVacant({ vacant }: Pick<Guarded, 'vacant'>, look: () => void): () => void {
  // There it is enough to look when the program has ended.
  if (process.platform !== 'linux') return () => undefined;
  // What is made in a folder that is not there yet is seen when the program has ended.
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

/** Step by step from what cannot be exchanged from inside; a link on the way is the agent's, and is taken itself. */
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
    // On another disk: beside it, under a name that nothing obeys.
    kept = join(dirname(path), name);
    renameSync(here, join(dirname(here), name));
  }
  return { what: 'write', target: path, allow: path, kept };
}
