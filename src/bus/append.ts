/** Appends a message to a bus under its lock, in one write: once it is acknowledged, no process's death can undo it. */
import { constants, existsSync, ftruncateSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { defined } from '../core/defined.ts';
import { errnoOf, RalphError } from '../core/error.ts';
import { reasonOf } from '../core/system-fault.ts';
import { closing, realPathOr } from '../process/files.ts';
import { type LockOptions, underLock } from '../state/under-lock.ts';
import type { Clock, Draft, Message } from './message.ts';
import { compactSecond, formatEntry, machineClock, refused, seqAfter, stampAt } from './message.ts';
import { lastEntry, MISSING, sizeOf, systemCode } from './read.ts';

export interface AppendOptions extends LockOptions {
  readonly now?: Clock;
  /** False if an agent could have put a link there to a file that it must not write. */
  readonly followsLinks?: boolean;
  /**
   * For a writer that appends repeatedly: where its last message ended. If the bus still ends there, it is not read.
   */
  readonly ownEnd?: OwnEnd;
}

interface OwnEnd {
  size?: number;
  msgId?: string;
}

const OPTIONAL = new Set(['taskId', 'runId', 'issueId']);
const MODE = 0o644;
const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;
/**
 * The first dashes end the header or body that was cut off; the second ones open nothing. So a torn entry cannot pass
 * for a whole one, or swallow the next.
 */
const TORN = '\n---\n---\n<!-- torn -->\n';

/** Messages of one writer are in the order in which it awaits them. */
export async function appendMessage(path: string, draft: Draft, options: AppendOptions = {}): Promise<Message> {
  const checked = checkDraft(draft);
  const { now = machineClock } = options;
  try {
    return await underLock(path, options, () => appendHeld(path, checked, now, options.ownEnd));
  } catch (error) {
    if (errnoOf(error) !== 'ELOOP') throw cannotWrite(path, error);
    if (options.followsLinks === false) {
      const fact = `cannot write message bus ${path}: it is a link, and the agent may have created it`;
      throw new RalphError('BUS_LINK', fact, { hint: 'Put a plain file there.' });
    }
    // A link: its target is the bus and has the lock, whichever name a writer uses. A circular link has no target.
    const target = realPathOr(path, '');
    if (target === '') throw cannotWrite(path, error);
    return appendMessage(target, draft, options);
  }
}

function appendHeld(path: string, draft: Draft, now: Clock, ownEnd: OwnEnd = {}): Message {
  return closing(openSync(path, FLAGS, MODE), (fd) => {
    const size = sizeOf(fd, path);
    const last = ownEnd.size === size ? { msgId: ownEnd.msgId, isTorn: false } : lastEntry(fd, size);
    const stamp = stampAt(now(), process.pid, seqAfter(last.msgId));
    const message = { ...stamp, ...(draft.type === 'ISSUE' ? { issueId: stamp.msgId } : {}), ...draft };
    const { whole } = formatEntry(message);
    const bytes = Buffer.concat([Buffer.from(`${last.isTorn ? TORN : ''}${size > 0 ? '\n' : ''}`), whole]);
    try {
      for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
    } catch (error) {
      // A full disk takes only a part, which is removed again.
      ftruncateSync(fd, size);
      throw error;
    }
    Object.assign(ownEnd, { size: size + bytes.length, msgId: message.msgId });
    return message;
  });
}

/** Checks what an author gives: refuses it without the required fields, and replaces what UTF-8 cannot represent. */
export function checkDraft(draft: Draft): Draft {
  if (draft.type === '') throw refused('message type is empty');
  if (draft.projectId === '') throw refused('project id is empty');
  const given = Object.entries(draft).filter(([key, value]) => !OPTIONAL.has(key) || (value ?? '') !== '');
  // Still has the form of a draft, only with other texts.
  return withoutLoneSurrogates(Object.fromEntries(given)) as Draft;
}

function withoutLoneSurrogates(value: unknown): unknown {
  if (typeof value === 'string') return Buffer.from(value).toString();
  if (Array.isArray(value)) return value.map(withoutLoneSurrogates);
  if (typeof value !== 'object' || value === null) return value;
  const clean = Object.entries(value).map(([key, item]) => [Buffer.from(key).toString(), withoutLoneSurrogates(item)]);
  return Object.fromEntries(clean);
}

function cannotWrite(path: string, error: unknown): unknown {
  const code = systemCode(error);
  if (code === null) return error;
  if (MISSING.includes(code)) {
    const hint = 'A message bus is in the folder of its project or task.';
    return new RalphError('BUS_FOLDER', `cannot write message bus ${path}: no folder ${dirname(path)}`, { hint });
  }
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  const hint = isFull ? 'Free some space on the disk; nothing on the bus is lost.' : undefined;
  const reason = code === 'ELOOP' ? 'it is a broken link' : reasonOf(error);
  return new RalphError('BUS_WRITE', `cannot write message bus ${path}: ${reason}`, defined({ hint }));
}

/**
 * Moves a bus that is too large aside; the next message begins a new one. Returns its new path, or null if it stays.
 */
export async function rotateBus(path: string, aboveBytes: number, now = machineClock): Promise<string | null> {
  try {
    return await underLock(path, {}, () => {
      if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) <= aboveBytes) return null;
      // If two rotations fall into one second, the later one gets the next second's name.
      for (let ms = Number(now() / 1_000_000n); ; ms += 1000) {
        const archive = `${path}.${compactSecond(new Date(ms).toISOString())}.archived`;
        if (existsSync(archive)) continue;
        renameSync(path, archive);
        return archive;
      }
    });
  } catch (error) {
    if (MISSING.includes(errnoOf(error) ?? '')) return null;
    throw cannotWrite(path, error);
  }
}
