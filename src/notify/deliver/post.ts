/** Sends one HTTP request with a time limit, and reports the result without revealing an address that is a secret. */
import { errnoOf } from '../../core/error.ts';
import type { Duration } from '../../core/time.ts';
import type { Delivered } from './delivered.ts';

export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly patience: Duration;
}

/** A receiver's `Retry-After` is respected up to this. */
const LONGEST_PAUSE: Duration = 3_600_000;

export async function post({ url, headers, body, patience }: Post): Promise<Delivered> {
  const { host } = new URL(url);
  const signal = AbortSignal.timeout(patience);
  try {
    // Redirects are not followed: another address would get the message and its signature.
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
    await response.body?.cancel();
    return judged(response, host);
  } catch (error) {
    if (signal.aborted) return { is: 'down', why: `${host} did not answer within ${Math.round(patience / 1000)} s` };
    return {
      is: 'down',
      why: `${host} cannot be reached (${causeOf(error)})`,
      hint: 'Is it running, and the address right?',
    };
  }
}

function judged({ status, headers }: Response, host: string): Delivered {
  const says = `HTTP ${status}`;
  if (status >= 200 && status < 300) return { is: 'sent', says };
  const why = `${host} answered ${says}`;
  if (status === 429 || status >= 500) {
    const after = pauseIn(headers.get('retry-after') ?? '');
    return { is: 'down', why, ...(after > 0 ? { after: Math.min(after, LONGEST_PAUSE) } : {}) };
  }
  return { is: 'refused', why, hint: HINTS[status] ?? (status < 400 ? HINTS[301] : HINTS[400]) ?? '' };
}

/** `Retry-After` is either a number of seconds or a date. */
const pauseIn = (said: string): Duration => (/^\s*\d/.test(said) ? Number(said) * 1000 : Date.parse(said) - Date.now());

const HINTS: Readonly<Record<number, string>> = {
  301: 'It points to another address, which is not followed: put that one into the settings.',
  400: 'It does not accept this message: check its body and headers.',
  401: 'Check its token.',
  403: 'Check its token, and what that may do.',
  404: 'Check its address.',
  410: 'Check its address: it is no longer in use.',
  413: 'The message is too large for it.',
};

/** `fetch failed` says nothing; its cause does. */
function causeOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  return errnoOf(cause) ?? errnoOf(error) ?? (cause instanceof Error ? cause.message.slice(0, 80) : 'no connection');
}
