/**
 * Messages that wait to be sent: one file each, in one queue for the whole machine. Those who have something to say put a
 * file there and go on; the sender alone changes and removes them. Nothing here is asynchronous or slow to load: hooks use it.
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

/** By receiver: how often it was tried; `settled`: it was sent, or given up. A receiver that is not named was not tried. */
export type Tries = Readonly<Record<string, number | 'settled'>>;

export interface Queued {
  readonly notice: Notice;
  readonly tries: Tries;
}

/** More than that is no news; a queue that no one empties does not fill the disk. */
export const MOST_QUEUED = 500;

export const notifyFolder = (root: StateRoot): string => join(root.path, 'notify');
export const queueFolder = (root: StateRoot): string => join(notifyFolder(root), 'queue');
export const senderLock = (root: StateRoot): string => join(notifyFolder(root), 'lock');
/** Touched when something was queued. */
export const BELL = 'bell';
const logFile = (root: StateRoot): string => join(notifyFolder(root), 'log');

/** Sorts by time. Without `node:crypto`, which takes long to load. */
export function newNoticeId(now: Instant): string {
  const random = Math.floor(Math.random() * 2 ** 40).toString(36);
  return `${now.toString(36).padStart(9, '0')}-${process.pid.toString(36)}-${random}`;
}

/** False where the queue is full; that is noted. */
export function queueNotice(root: StateRoot, notice: Notice): boolean {
  makePrivateFolder(queueFolder(root));
  if (queuedNames(root).length >= MOST_QUEUED) {
    noteInLog(root, `"${notice.title}" was not queued: the queue is full`);
    return false;
  }
  writeQueued(root, { notice, tries: {} });
  // A sender that waits for something else hears it.
  writeFile(join(notifyFolder(root), BELL), '', { mode: 0o600 });
  return true;
}

function writeQueued(root: StateRoot, { notice, tries }: Queued): void {
  replaceFile(queuedFile(root, notice), `${JSON.stringify({ notice, tries })}\n`);
}

const queuedFile = (root: StateRoot, { id }: Notice): string => join(queueFolder(root), `${id}.json`);

/** For the sender: after a try, or at the end of them. Gives back how many there were. */
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

/** For the sender: oldest first. What is damaged is removed. */
export function readQueue(root: StateRoot): Queued[] {
  return readQueueAsIs(root, (path) => ifThere(() => unlinkSync(path)));
}

/** Oldest first. What is damaged is left out. */
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

/** For people: what was given up and why, and what came of replies. It holds no secret, and does not grow for ever. */
export function noteInLog(root: StateRoot, line: string, now: Instant = Date.now()): void {
  const path = logFile(root);
  makePrivateFolder(notifyFolder(root));
  const size = existsSync(path) ? statSync(path).size : 0;
  if (size > LONGEST_LOG) replaceFile(path, `${readLog(root, 200).join('\n')}\n`);
  writeFile(path, `${new Date(now).toISOString()} ${line.replaceAll('\n', ' ')}\n`, { flag: 'a', mode: 0o600 });
}

/** The last lines. */
export function readLog(root: StateRoot, count: number): string[] {
  const text = ifThere(() => readPlainText(logFile(root))) ?? '';
  return text.split('\n').filter(Boolean).slice(-count);
}
