/**
 * Is a pid namespace empty? A lock may name a process that can only be seen inside its namespace; once that is empty, the
 * process is gone, too.
 */
import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { errnoOf } from '../../core/error.ts';
import { readGone } from './identity-linux.ts';

/** The kernel's own number of the namespace that all others lie in. */
const INITIAL = 'pid:[4026531836]';

/**
 * True only where it is certain: from the initial namespace every process is seen, from any other one those of its own and
 * below. Of the processes of `uid`, none may be there whose namespace we may not know.
 */
export function isNamespaceEmpty(isMeant: (namespace: string) => boolean, uid: number): boolean {
  if (process.platform !== 'linux' || readlinkSync('/proc/self/ns/pid') !== INITIAL) return false;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .every((pid) => {
      const namespace = namespaceOf(pid);
      return namespace === null ? isInOurs(pid) || ownerOf(pid) !== uid : !isMeant(namespace);
    });
}

/** Null when it may not be read; empty for a process that is gone or a zombie. */
function namespaceOf(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch (error) {
    return errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ESRCH' ? '' : null;
  }
}

/** A process of a namespace below has a number here and one there; everybody may read that. */
function isInOurs(pid: string): boolean {
  return /^NSpid:\s*\d+$/m.test(readGone(`/proc/${pid}/status`) ?? '');
}

function ownerOf(pid: string): number | null {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid ?? null;
}
