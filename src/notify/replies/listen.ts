/** Follows the topic of replies of an ntfy server, by a connection that we open: nothing here listens for others. */
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
  /** From which message on: an id, or a time in seconds. It is asked before each connection. */
  since(): string;
  onReply(reply: Reply): Promise<void>;
  /** The connection was lost, or could not be made; once until it works again. */
  onTrouble(why: string): void;
  readonly signal: AbortSignal;
  readonly second: Duration;
}

const LONGEST_LINE = 64 * 1024;
const PAUSES = [1, 5, 15, 60];
/** A connection that held for so long, in seconds, was a good one. */
const LASTED = 10;
/** The server says every 45 seconds that it is still there. */
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

/** Null where the server ended the connection by itself. */
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
          // Such as a full disk. The server can be reached, and the log is not to say otherwise.
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
