/**
 * The sender: one process per machine that empties the queue, so that no loop ever waits for a receiver. It ends when
 * there is nothing left to send and no button can be used. Only the sender changes queued messages, which a lock
 * ensures.
 */
import { existsSync } from 'node:fs';
import { type NotifySettings, readNotifySettings } from '../config/notify-settings.ts';
import { RalphError } from '../core/error.ts';
import type { Notice } from '../core/notice.ts';
import { systemFault } from '../core/system-fault.ts';
import type { Duration, Instant } from '../core/time.ts';
import type { LoopStore } from '../engine/store/loop-store.ts';
import { watchFolder } from '../process/folder-watch.ts';
import { makePrivateFolder } from '../state/folders.ts';
import { tryLock } from '../state/lock.ts';
import type { StateRoot } from '../state/paths.ts';
import { deliver, isReachable, type Reachable } from './deliver/deliver.ts';
import { PACE, patienceWith, pauseAfter, planFor, summaryOf } from './plan.ts';
import { quietUntil } from './quiet-hours.ts';
import { replies } from './replies/replies.ts';
import {
  BELL,
  hasQueued,
  noteInLog,
  notifyFolder,
  type Queued,
  queueFolder,
  readQueue,
  removeQueued,
  senderLock,
  updateTries,
} from './spool.ts';

export interface SenderOptions {
  readonly root: StateRoot;
  readonly env: NodeJS.ProcessEnv;
  readonly store: LoopStore;
  /** Length of a second in milliseconds; tests shorten it. */
  readonly second: Duration;
  readonly platform: NodeJS.Platform;
}

/** How often, in seconds, it looks without being woken: a clock was set, a loop moved on, or the folder is gone. */
const LOOK_EVERY = 60;

export async function runSender(options: SenderOptions): Promise<void> {
  const { root } = options;
  for (;;) {
    const attempt = tryLock(senderLock(root), 'notifications');
    // The other sender looks again after it has released the lock, and finds our messages.
    if (!attempt.got) return;
    try {
      if (!(await sendAll(options))) return;
    } finally {
      attempt.lock.release();
    }
    if (!hasQueued(root)) return;
  }
}

/** False if the queue cannot be sent now; it is kept. */
async function sendAll({ root, env, store, second, platform }: SenderOptions): Promise<boolean> {
  makePrivateFolder(queueFolder(root));
  let wake = (): void => undefined;
  const watch = watchFolder(notifyFolder(root));
  watch.on(BELL, () => wake());
  const talk = replies(root, store, second, () => wake());
  /** The receivers that are being sent to. */
  const busy = new Set<string>();
  /** By receiver: when it can get messages again, on a monotonic clock. */
  const pausedUntil = new Map<string, Duration>();
  const broken: Error[] = [];

  const attempt = async (name: string, receiver: Reachable, batch: readonly Notice[]): Promise<boolean> => {
    const notice = summaryOf(batch);
    const extras = receiver.kind === 'ntfy' && batch.length === 1 ? talk.offer(name, receiver, notice) : null;
    const place = { now: Date.now(), env, platform, patience: patienceWith(second) };
    const delivered = await deliver(receiver, notice, place, extras ?? undefined);
    if (delivered.is !== 'sent') talk.withdraw(name, notice);
    let pause = PACE.apart * second;
    for (const one of batch) {
      const tries = updateTries(root, one, name, delivered.is === 'sent' ? 'settled' : 'again');
      const wait = delivered.is === 'down' ? pauseAfter(tries, second) : null;
      if (wait !== null) pause = Math.max(pause, wait, (delivered.is === 'down' && delivered.after) || 0);
      if (delivered.is === 'sent' || wait !== null) continue;
      updateTries(root, one, name, 'settled');
      const times = tries === 1 ? '' : ` (given up after ${tries} tries)`;
      noteInLog(root, `"${one.title}" was not delivered to ${name}: ${delivered.why}${times}`);
    }
    pausedUntil.set(name, performance.now() + pause);
    return delivered.is === 'sent';
  };
  const send = async (name: string, receiver: Reachable, batches: readonly (readonly Notice[])[]): Promise<void> => {
    busy.add(name);
    try {
      // If the receiver is down, do not try the rest.
      for (const batch of batches) if (!(await attempt(name, receiver, batch))) break;
    } catch (error) {
      // A full disk: deliveries cannot be noted, so messages would be sent again and again.
      broken.push(error instanceof Error ? error : new Error(String(error)));
    } finally {
      busy.delete(name);
      wake();
    }
  };
  /** Starts sending what is due, and returns when to look again; null if nothing is left to do. */
  const pass = (settings: NotifySettings | null, now: Instant): Instant | null => {
    const queue = readQueue(root).filter((queued) => isKept(root, queued, settings, now, second));
    const reachable = Object.entries(settings?.receivers ?? {}).filter(([, receiver]) => isReachable(receiver));
    const due: Instant[] = [];
    for (const [name, receiver] of reachable as [string, Reachable][]) {
      if (busy.has(name)) continue;
      const waiting = queue.filter((queued) => isFor(settings, name, queued)).map(({ notice }) => notice);
      const plan = planFor(waiting, now, {
        quietUntil: quietUntil(settings?.quiet ?? null, now),
        breakThrough: settings?.breakThrough ?? [],
        hasButtons: receiver.kind === 'ntfy' && receiver.reply !== undefined,
        notBefore: now + Math.max(0, (pausedUntil.get(name) ?? 0) - performance.now()),
        second,
      });
      if (plan.at !== null) due.push(plan.at);
      if (plan.send.length > 0) void send(name, receiver, plan.send);
    }
    const isWaiting = due.length > 0 || busy.size > 0 || talk.isWaiting();
    return isWaiting ? Math.min(...due, now + LOOK_EVERY * second) : null;
  };
  try {
    const settingsNow = settingsReader(env, (line) => noteInLog(root, line));
    let lookedAt = performance.now();
    for (;;) {
      if (!existsSync(queueFolder(root))) return true;
      const [error] = broken;
      if (error !== undefined) throw error;
      // Created before looking, so that anything that arrives afterwards wakes the loop.
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const now = Date.now();
      const settings = settingsNow();
      const at = pass(settings, now);
      if (at === null) return true;
      talk.follow(settings);
      if (performance.now() - lookedAt >= LOOK_EVERY * second) {
        await talk.drop();
        lookedAt = performance.now();
      }
      await until(at, woken);
    }
  } catch (error) {
    if (!(error instanceof RalphError) && systemFault(error) === null) throw error;
    if (error instanceof RalphError) noteInLog(root, `nothing can be sent: ${error.message}`);
    return false;
  } finally {
    talk.close();
    watch.close();
  }
}

/** Reads the settings at each call; while someone is editing them and they are invalid, uses the last valid ones. */
function settingsReader(env: NodeJS.ProcessEnv, note: (line: string) => void): () => NotifySettings | null {
  let last: { readonly settings: NotifySettings | null } | null = null;
  let noted = '';
  return () => {
    try {
      last = { settings: readNotifySettings(env) };
      noted = '';
    } catch (error) {
      if (!(error instanceof RalphError) || last === null) throw error;
      if (error.message !== noted) note(`the previous settings are used: ${error.message}`);
      noted = error.message;
    }
    return last.settings;
  };
}

async function until(at: Instant, woken: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(1, at - Date.now()));
  });
  await Promise.race([over, woken]);
  clearTimeout(timer);
}

/** Whether this receiver should get the message and has not got it yet. */
function isFor(settings: NotifySettings | null, name: string, { notice, tries }: Queued): boolean {
  const receiver = settings?.receivers[name];
  if (settings === null || receiver === undefined || !isReachable(receiver) || tries[name] === 'settled') return false;
  return settings.events.includes(notice.event) && (receiver.events?.includes(notice.event) ?? true);
}

/** Removes messages that every receiver has got, or that are too old. */
function isKept(
  root: StateRoot,
  queued: Queued,
  settings: NotifySettings | null,
  now: Instant,
  second: Duration,
): boolean {
  const names = Object.keys(settings?.receivers ?? {}).filter((name) => isFor(settings, name, queued));
  const isOld = now - queued.notice.at > PACE.expires * second;
  if (names.length > 0 && isOld)
    noteInLog(root, `"${queued.notice.title}" was not delivered to ${names.join(', ')}: too old`);
  if (names.length > 0 && !isOld) return true;
  removeQueued(root, queued.notice);
  return false;
}
