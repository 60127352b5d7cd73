/**
 * Appends one message to a bus under its lock, as one write. It is acknowledged when the promise resolves: from then on
 * no death of a process takes it back. What a writer that was killed left half-written is closed off first.
 */
import {
  closeSync,
  constants,
  existsSync,
  ftruncateSync,
  openSync,
  realpathSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { defined } from '../core/defined.ts';
import { errnoOf, RalphError } from '../core/error.ts';
import { reasonOf } from '../core/system-fault.ts';
import { type LockOptions, underLock } from '../state/under-lock.ts';
import {
  type Clock,
  compactSecond,
  type Draft,
  formatEntry,
  type Message,
  MOST_BODY_BYTES,
  MOST_HEADER_BYTES,
  machineClock,
  seqAfter,
  stampAt,
} from './message.ts';
import { lastEntry, MISSING, sizeOf, systemCode } from './read.ts';

export interface AppendOptions extends LockOptions {
  readonly now?: Clock;
  /** False where a link could have been put there by an agent that may not write what it leads to. */
  readonly followsLinks?: boolean;
}

const OPTIONAL = new Set(['taskId', 'runId', 'issueId']);
const MODE = 0o644;
const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;
/**
 * Closes off what was cut short. The first line of dashes ends its body, which holds none, or else its header; the second
 * is no body's beginning. So wherever it was cut, it cannot pass for whole, and cannot swallow what comes next.
 */
const TORN = '\n---\n---\n<!-- torn -->\n';

/** Messages of one writer stand in the order in which it waits for them. */
export async function appendMessage(path: string, draft: Draft, options: AppendOptions = {}): Promise<Message> {
  const checked = checkDraft(draft);
  const { now = machineClock } = options;
  try {
    return await underLock(path, options, () => appendHeld(path, checked, now));
  } catch (error) {
    if (errnoOf(error) === 'ELOOP' && options.followsLinks === false) {
      const fact = `cannot write message bus ${path}: it is a link, and the agent may have made it`;
      throw new RalphError('BUS_LINK', fact, { hint: 'Put a plain file there.' });
    }
    // A link: its target is the bus, and has the lock, whichever name a writer uses.
    if (errnoOf(error) === 'ELOOP') return appendMessage(targetOf(path, error), draft, options);
    throw cannotWrite(path, error);
  }
}

function appendHeld(path: string, draft: Draft, now: Clock): Message {
  const fd = openSync(path, FLAGS, MODE);
  try {
    const size = sizeOf(fd, path);
    const last = lastEntry(fd, size);
    const message = stamped(draft, now(), seqAfter(last.msgId));
    const { header, body, whole } = formatEntry(message);
    if (header.length > MOST_HEADER_BYTES) throw refused(`message header is too large: ${header.length} bytes`);
    if (body.length > MOST_BODY_BYTES) throw refused(`message body is too large: ${body.length} bytes`);
    const before = `${last.isTorn ? TORN : ''}${size > 0 ? '\n' : ''}`;
    writeWhole(fd, before === '' ? whole : Buffer.concat([Buffer.from(before), whole]), size);
    return message;
  } finally {
    closeSync(fd);
  }
}

/** What an author gives, made fit for the file: refused without what is required, and in text that UTF-8 can hold. */
export function checkDraft(draft: Draft): Draft {
  if (draft.type === '') throw refused('message type is empty');
  if (draft.projectId === '') throw refused('project id is empty');
  const given = Object.entries(draft).filter(([key, value]) => !OPTIONAL.has(key) || (value ?? '') !== '');
  // Of the form of a draft, with other texts.
  return withoutLoneSurrogates(Object.fromEntries(given)) as Draft;
}

function withoutLoneSurrogates(value: unknown): unknown {
  if (typeof value === 'string') return Buffer.from(value).toString();
  if (Array.isArray(value)) return value.map(withoutLoneSurrogates);
  if (typeof value !== 'object' || value === null) return value;
  const clean = Object.entries(value).map(([key, item]) => [Buffer.from(key).toString(), withoutLoneSurrogates(item)]);
  return Object.fromEntries(clean);
}

function refused(fact: string): RalphError {
  return new RalphError('BUS_MESSAGE', fact);
}

function stamped(draft: Draft, nanos: bigint, seq: number): Message {
  const stamp = stampAt(nanos, process.pid, seq);
  return { ...stamp, ...(draft.type === 'ISSUE' ? { issueId: stamp.msgId } : {}), ...draft };
}

/** A full disk takes a part: the rest of the write tells why, and the part is taken back. */
function writeWhole(fd: number, bytes: Buffer, sizeBefore: number): void {
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
  } catch (error) {
    ftruncateSync(fd, sizeBefore);
    throw error;
  }
}

function targetOf(path: string, error: unknown): string {
  try {
    return realpathSync(path);
  } catch {
    // A link that leads nowhere, or round in a circle.
    throw cannotWrite(path, error);
  }
}

/** Why a bus cannot be written, in words. */
function cannotWrite(path: string, error: unknown): unknown {
  const code = systemCode(error);
  if (code === null) return error;
  if (MISSING.includes(code)) {
    return new RalphError('BUS_FOLDER', `cannot write message bus ${path}: no folder ${dirname(path)}`, {
      hint: 'A message bus lies in the folder of its project or task.',
    });
  }
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  const hint = isFull ? 'Make room on the disk; nothing that stood on the bus is lost.' : undefined;
  const reason = code === 'ELOOP' ? 'it is a link that leads nowhere' : reasonOf(error);
  return new RalphError('BUS_WRITE', `cannot write message bus ${path}: ${reason}`, defined({ hint }));
}

/**
 * Puts a bus that has grown too large aside, under its lock; the next message begins a new one. The path of what was put
 * aside, or null: it is not that large, or not there.
 */
export async function rotateBus(
  path: string,
  { aboveBytes, now = machineClock, ...options }: LockOptions & { readonly aboveBytes: number; readonly now?: Clock },
): Promise<string | null> {
  const isLarge = (): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > aboveBytes;
  try {
    if (!isLarge()) return null;
    return await underLock(path, options, () => {
      // Another process may have done it while we waited.
      if (!isLarge()) return null;
      const archive = freeName(path, now());
      renameSync(path, archive);
      return archive;
    });
  } catch (error) {
    if (errnoOf(error) === 'ENOTDIR') return null;
    throw cannotWrite(path, error);
  }
}

/** Of two within one second the later gets the next second's name. */
function freeName(path: string, nanos: bigint): string {
  for (let ms = Number(nanos / 1_000_000n); ; ms += 1000) {
    const name = `${path}.${compactSecond(new Date(ms).toISOString())}.archived`;
    if (!existsSync(name)) return name;
  }
}
