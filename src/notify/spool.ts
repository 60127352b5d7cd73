/**
 * Messages that wait to be sent: one file each, in one queue for the whole machine. Loops and hooks only add files; the
 * sender alone changes and removes them. Nothing here is asynchronous or slow to load, because hooks use it.
 */
import { existsSync, readdirSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { NOTICE_EVENTS, type Notice } from '../core/notice.ts';
import { isFields, parsedJson } from '../core/text/json.ts';
import type { Instant } from '../core/time.ts';
import { ifThere, readPlainText, writeFile } from '../process/files.ts';
import { makePrivateFolder } from '../state/folders.ts';
import type { StateRoot } from '../state/paths.ts';
import { replaceFile } from '../state/projection.ts';

/** Tries by receiver; `settled`: it was sent, or given up. A receiver that is missing was not tried. */
export type Tries = Readonly<Record<string, number | 'settled'>>;

export interface Queued {
  readonly notice: Notice;
  readonly tries: Tries;
}

/** Limits the disk space of a queue that is never emptied. */
export const MOST_QUEUED = 500;

export const notifyFolder = (root: StateRoot): string => join(root.path, 'notify');
export const queueFolder = (root: StateRoot): string => join(notifyFolder(root), 'queue');
export const senderLock = (root: StateRoot): string => join(notifyFolder(root), 'lock');
/** Touched when a message is queued. */
export const BELL = 'bell';
const logFile = (root: StateRoot): string => join(notifyFolder(root), 'log');

/** Ids sort by time. Without `node:crypto`, which is slow to load. */
export function newNoticeId(now: Instant): string {
  const random = Math.floor(Math.random() * 2 ** 40).toString(36);
  return `${now.toString(36).padStart(9, '0')}-${process.pid.toString(36)}-${random}`;
}

/** False if the queue is full, which is logged. */
export function queueNotice(root: StateRoot, notice: Notice): boolean {
  makePrivateFolder(queueFolder(root));
  if (queuedNames(root).length >= MOST_QUEUED) {
    noteInLog(root, `"${notice.title}" was not queued: the queue is full`);
    return false;
  }
  writeQueued(root, { notice, tries: {} });
  // Wakes a waiting sender.
  writeFile(join(notifyFolder(root), BELL), '', { mode: 0o600 });
  return true;
}

function writeQueued(root: StateRoot, { notice, tries }: Queued): void {
  replaceFile(queuedFile(root, notice), `${JSON.stringify({ notice, tries })}\n`);
}

const queuedFile = (root: StateRoot, { id }: Notice): string => join(queueFolder(root), `${id}.json`);

/** For the sender: records another try, or that the receiver is settled. Returns the number of tries. */
export function updateTries(root: StateRoot, notice: Notice, receiver: string, to: 'again' | 'settled'): number {
  const queued = ifThere(() => parsedJson(readPlainText(queuedFile(root, notice))));
  const tries = isQueued(queued) ? queued.tries : {};
  const before = tries[receiver];
  const count = (typeof before === 'number' ? before : 0) + 1;
  if (isQueued(queued)) writeQueued(root, { notice, tries: { ...tries, [receiver]: to === 'again' ? count : to } });
  return count;
}

export function removeQueued(root: StateRoot, { id }: Notice): void {
  ifThere(() => unlinkSync(join(queueFolder(root), `${id}.json`)));
}

/** For the sender: oldest first. Damaged files are removed. */
export function readQueue(root: StateRoot): Queued[] {
  return readQueueAsIs(root, (path) => ifThere(() => unlinkSync(path)));
}

/** Oldest first. Damaged files are left out. */
export function readQueueAsIs(root: StateRoot, onDamaged: (path: string) => void = () => undefined): Queued[] {
  return queuedNames(root).flatMap((name) => {
    const path = join(queueFolder(root), name);
    const queued = ifThere(() => parsedJson(readPlainText(path)));
    if (isQueued(queued) && `${queued.notice.id}.json` === name) return [queued];
    onDamaged(path);
    return [];
  });
}

export const hasQueued = (root: StateRoot): boolean => queuedNames(root).length > 0;

function queuedNames(root: StateRoot): string[] {
  const names = ifThere(() => readdirSync(queueFolder(root))) ?? [];
  return names.filter((name) => name.endsWith('.json')).sort();
}

function isQueued(value: unknown): value is Queued {
  if (!isFields(value) || !isFields(value.notice) || !isFields(value.tries)) return false;
  const { id, at, event, title, text, question = '', next = '', loop, can } = value.notice;
  return (
    [id, title, text, question, next].every((field) => typeof field === 'string') &&
    NOTICE_EVENTS.some((known) => known === event) &&
    typeof at === 'number' &&
    !Number.isNaN(new Date(at).getTime()) &&
    (loop === null || isNoticeLoop(loop)) &&
    Array.isArray(can)
  );
}

const isNoticeLoop = (value: unknown): boolean =>
  isFields(value) && [value.id, value.name, value.kind, value.place].every((field) => typeof field === 'string');

const LONGEST_LOG = 64 * 1024;

/** A log for people: what was given up and why, and what became of replies. No secrets, and of limited size. */
export function noteInLog(root: StateRoot, line: string, now: Instant = Date.now()): void {
  const path = logFile(root);
  makePrivateFolder(notifyFolder(root));
  const size = existsSync(path) ? statSync(path).size : 0;
  if (size > LONGEST_LOG) replaceFile(path, `${readLog(root, 200).join('\n')}\n`);
  writeFile(path, `${new Date(now).toISOString()} ${line.replaceAll('\n', ' ')}\n`, { flag: 'a', mode: 0o600 });
}

/** The last lines of the log. */
export function readLog(root: StateRoot, count: number): string[] {
  const text = ifThere(() => readPlainText(logFile(root))) ?? '';
  return text.split('\n').filter(Boolean).slice(-count);
}
