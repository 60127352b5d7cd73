/** What a sandbox has refused, kept beside the run's other files, one line of JSON each. */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf } from '../../core/error.ts';
import { quoteWord } from '../../core/text/quote-word.ts';
import { appendFile } from '../../process/files.ts';
import { isUnder, type SandboxPolicy } from './policy.ts';

export interface Refusal {
  readonly what: 'write' | 'connect';
  /** A path, or a host with its port. It comes from inside the sandbox: not to be trusted. */
  readonly target: string;
  /** What to allow, so that it is not refused again. */
  readonly allow: string;
  /** Where it is now: it was written, and put aside. */
  readonly kept?: string;
}

export function keepRefusal(file: string, refusal: Refusal): void {
  appendFile(file, `${JSON.stringify(refusal)}\n`, { mode: 0o600 });
}

export function readRefusals(file: string): Refusal[] {
  try {
    return readFileSync(file, 'utf8').split('\n').flatMap(parseRefusal);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

export function parseRefusal(line: string): Refusal[] {
  if (line === '') return [];
  try {
    const parsed: unknown = JSON.parse(line);
    return isRefusal(parsed) ? [parsed] : [];
  } catch {
    // The writer was cut off in the middle of a line.
    return [];
  }
}

function isRefusal(value: unknown): value is Refusal {
  if (value === null || typeof value !== 'object') return false;
  const { what, target, allow, kept = '' } = value as Partial<Record<keyof Refusal, unknown>>;
  return (what === 'write' || what === 'connect') && [target, allow, kept].every((word) => typeof word === 'string');
}

export function describeRefusal({ what, target, allow, kept }: Refusal): string {
  if (kept !== undefined) {
    return `put aside ${target}, which something outside would obey: ${kept} (to allow it: --allow-write ${quoteWord(allow)})`;
  }
  if (what === 'write') return `refused to write ${target} (to allow it: --allow-write ${quoteWord(allow)})`;
  return `refused to connect to ${target} (to allow it: --allow-host ${quoteWord(allow)})`;
}

type RefusalPolicy = Pick<SandboxPolicy, 'writable' | 'unreadable' | 'readOnly' | 'quiet'>;

/** From what the sandbox runtime notes down. Null for what is no refusal that a person could do something about. */
export function refusalFrom(line: string, policy: RefusalPolicy, exists: (path: string) => boolean): Refusal | null {
  const host = /^deny network-outbound (\S+) \(/.exec(line)?.[1];
  if (host !== undefined) return { what: 'connect', target: host, allow: host.replace(/:(80|443)$/, '') };
  const path = /^deny \w+ (\/.*)$/s.exec(line)?.[1];
  if (path === undefined || isOfTheSandbox(path)) return null;
  // There an empty folder stands in, which may be written and is thrown away.
  if (policy.unreadable.some((folder) => isUnder(path, folder))) return null;
  // Making a folder with all those above it only finds that they are there.
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
