/** Reads what the sandbox runtime notes down about something that it has refused. */
import { dirname } from 'node:path';
import { isUnder, type SandboxPolicy } from './policy.ts';
import type { Refusal } from './refusals.ts';

type RefusalPolicy = Pick<SandboxPolicy, 'writable' | 'unreadable' | 'readOnly' | 'quiet'>;

/** Null for what is no refusal that a person could do something about. */
export function refusalFrom(line: string, policy: RefusalPolicy, exists: (path: string) => boolean): Refusal | null {
  const host = /^deny network-outbound (\S+) \(/.exec(line)?.[1];
  if (host !== undefined) return { what: 'connect', target: host, allow: host.replace(/:(80|443)$/, '') };
  const path = /^deny \w+ (\/.*)$/s.exec(line)?.[1];
  if (path === undefined || isOfTheSandbox(path)) return null;
  // There an empty folder stands in, which may be written and is thrown away.
  if (policy.unreadable.some((folder) => isUnder(path, folder))) return null;
  // Whoever makes a folder with all those above it only finds that they are there.
  if (policy.writable.some((folder) => isUnder(folder, path))) return null;
  if (policy.quiet.some((beginning) => path.startsWith(beginning))) return null;
  const guarded = policy.readOnly.find((folder) => isUnder(path, folder));
  // What is not there yet is made in its folder.
  return { what: 'write', target: path, allow: guarded ?? (exists(path) ? path : dirname(path)) };
}

/** Its own devices and processes are told, although they may be written. */
function isOfTheSandbox(path: string): boolean {
  return isUnder(path, '/proc') || isUnder(path, '/dev');
}
