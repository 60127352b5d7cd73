/** Follows the reply topic on an ntfy server, over a connection that we open: nothing here listens on a port. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReceiverOf } from '../../config/notify-schema.ts';
import { faultMessage } from '../../core/system-fault.ts';
import { isFields, parsedJson } from '../../core/text/json.ts';
import type { Duration } from '../../core/time.ts';
import { lineSplitter } from '../../stream/lines.ts';
import { authorization } from '../deliver/ntfy.ts';

export interface Reply {
  readonly id: string;
  readonly message: string;
}

export interface Listening {
  readonly receiver: ReceiverOf<'ntfy'>;
  /** Where to start: the id of a message, or a time in seconds. Called before each connection. */
  since(): string;
  onReply(reply: Reply): Promise<void>;
  /** Called when the connection was lost or could not be made; once until it works again. */
  onTrouble(why: string): void;
  readonly signal: AbortSignal;
  readonly second: Duration;
}

const LONGEST_LINE = 64 * 1024;
const PAUSES = [1, 5, 15, 60];
/** A connection that lasted this many seconds counts as good. */
const LASTED = 10;
/** The server sends a keepalive every 45 seconds. */
const SILENCE = 150;

export async function listenForReplies(listening: Listening): Promise<void> {
  const { signal, second, onTrouble } = listening;
  for (let failures = 0; !signal.aborted; ) {
    const since = performance.now();
    const why = await follow(listening);
    if (signal.aborted) return;
    if (performance.now() - since >= LASTED * second) failures = 0;
    if (failures === 0 && why !== null) onTrouble(why);
    const pause = PAUSES[Math.min(failures, PAUSES.length - 1)] ?? 60;
    failures += 1;
    await sleep(pause * second, undefined, { signal }).catch(() => undefined);
  }
}

/** Null if the server ended the connection normally. */
async function follow({ receiver, since, onReply, signal, second }: Listening): Promise<string | null> {
  const url = new URL(`${(receiver.reply?.url ?? '').replace(/\/$/, '')}/json`);
  url.searchParams.set('since', since());
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), SILENCE * second);
  try {
    const either = AbortSignal.any([signal, silence.signal]);
    const response = await fetch(url, { headers: authorization(receiver), signal: either, redirect: 'manual' });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      return `${url.host} answered HTTP ${response.status}`;
    }
    const replies: Reply[] = [];
    const lines = lineSplitter(
      {
        onLine: (line) => {
          const reply = replyIn(line.toString('utf8'));
          if (reply !== null) replies.push(reply);
        },
      },
      LONGEST_LINE,
    );
    for await (const chunk of response.body) {
      timer.refresh();
      lines.push(Buffer.from(chunk as Uint8Array));
      for (const reply of replies.splice(0)) {
        try {
          await onReply(reply);
        } catch (error) {
          // For example a full disk: the log should not say that the server cannot be reached.
          return `a reply cannot be accepted: ${faultMessage(error)}`;
        }
      }
    }
    return null;
  } catch {
    return silence.signal.aborted ? `${url.host} has gone silent` : `${url.host} cannot be reached`;
  } finally {
    clearTimeout(timer);
  }
}

function replyIn(line: string): Reply | null {
  const told = parsedJson(line);
  if (!isFields(told) || told.event !== 'message') return null;
  const { id, message } = told;
  return typeof id === 'string' && /^[\w-]{1,64}$/.test(id) && typeof message === 'string' ? { id, message } : null;
}
