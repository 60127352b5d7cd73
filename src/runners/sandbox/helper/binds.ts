/** Checks before each program where a sandbox's paths lead: an earlier program may have replaced a folder by a link. */
import { lstatSync } from 'node:fs';
import { RalphError } from '../../../core/error.ts';
import { ifThere, nullOn, realPathSoFar } from '../../../process/files.ts';
import { mounted, type SandboxPolicy } from '../policy.ts';

/** For each path, where it leads and what kind of file that is; empty if there is nothing. */
export type Seen = ReadonlyMap<string, string>;

export function lookAt(paths: Iterable<string>): Seen {
  return new Map([...new Set(paths)].map((path) => [path, kindOf(path)]));
}

function kindOf(path: string): string {
  // What cannot be looked at is not a folder that could be mounted.
  return nullOn(['ENOTDIR', 'ELOOP', 'EACCES'], () => ifThere(() => described(realPathSoFar(path)))) ?? '';
}

function described(real: string): string {
  const stat = lstatSync(real);
  const kind = stat.isDirectory() ? 'folder' : stat.isFile() ? 'file' : 'other';
  return `${kind} ${real}`;
}

/** The first path that is something else now; null if none is. */
export function changedIn(before: Seen, now: Seen): string | null {
  for (const [path, was] of before) if (now.get(path) !== was) return path;
  return null;
}

type Policy = Pick<SandboxPolicy, 'writable' | 'unreadable' | 'readOnly' | 'shown'>;

/** Everything in the policy that decides what is mounted. */
export function pathsOf(policy: Policy): string[] {
  return [...policy.writable, ...policy.readOnly, ...policy.unreadable, ...policy.shown];
}

/** Where the writable paths lead; stored when the loop begins. */
export function destinations(policy: Pick<SandboxPolicy, 'writable' | 'unreadable' | 'links'>): Record<string, string> {
  return Object.fromEntries([...mounted(policy), ...policy.links].map((path) => [path, realPathSoFar(path)]));
}

/** A writable path must lead where it led when the loop began: anything else was planted. */
export function refuseExchanged(leadsTo: Readonly<Record<string, string>>): void {
  for (const [path, target] of Object.entries(leadsTo)) {
    const now = realPathSoFar(path);
    if (now === target) continue;
    const fact = `${path} is writable and now leads to ${now}, but led to ${target} when the loop began`;
    throw new RalphError('SANDBOX', fact, { hint: 'Restore it, or start a new loop.', exitCode: 125 });
  }
}
