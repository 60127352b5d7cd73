/** ntfy: messages are published to the server as JSON, so that no part of them is in a header. */
import type { ReceiverOf } from '../../config/notify-schema.ts';
import type { Notice, NoticeEvent } from '../../core/notice.ts';
import type { Duration } from '../../core/time.ts';
import type { Delivered } from './delivered.ts';
import { post } from './post.ts';

export interface NtfyButton {
  readonly label: string;
  /** What pressing it publishes to the reply topic. */
  readonly body: string;
}

export interface NtfyExtras {
  readonly buttons: readonly NtfyButton[];
  /** How to answer in one's own words; null if that is not possible. */
  readonly note: string | null;
}

export const NO_EXTRAS: NtfyExtras = { buttons: [], note: null };

const PRIORITIES: Readonly<Record<NoticeEvent, number>> = {
  done: 3,
  failed: 4,
  blocked: 4,
  limited: 3,
  lifted: 3,
  budget: 4,
  tampered: 5,
  report: 3,
};

export function toNtfy(
  receiver: ReceiverOf<'ntfy'>,
  { event, title, text, next }: Pick<Notice, 'event' | 'title' | 'text' | 'next'>,
  { extras = NO_EXTRAS, priority = PRIORITIES[event], patience }: NtfyDelivery,
): Promise<Delivered> {
  const { server, topic } = topicOf(receiver.url);
  const message = [text, next, extras.note].filter((line) => typeof line === 'string').join('\n');
  const actions = extras.buttons.map(({ label, body }) => buttonOf(receiver, label, body));
  const content = { topic, title, message, priority, ...(actions.length === 0 ? {} : { actions }) };
  const headers = { 'content-type': 'application/json', ...authorization(receiver) };
  return post({ url: server, headers, body: JSON.stringify(content), patience });
}

export interface NtfyDelivery {
  readonly extras?: NtfyExtras;
  readonly priority?: number;
  readonly patience: Duration;
}

/** `clear`: the message disappears when the button is pressed. */
function buttonOf(receiver: ReceiverOf<'ntfy'>, label: string, body: string): object {
  const token = receiver.reply?.token ?? receiver.token;
  const headers = authorization(token === undefined ? {} : { token });
  const authorized = Object.keys(headers).length === 0 ? {} : { headers };
  return { action: 'http', label, url: receiver.reply?.url ?? '', method: 'POST', body, clear: true, ...authorized };
}

/** `https://ntfy.sh/topic`: messages are published to the server, with the topic in the JSON. */
export function topicOf(url: string): { readonly server: string; readonly topic: string } {
  const { origin, pathname } = new URL(url);
  const parts = pathname.split('/').filter(Boolean);
  const above = parts.slice(0, -1).join('/');
  return { server: `${origin}/${above}`, topic: parts.at(-1) ?? '' };
}

export function authorization({ token }: Pick<ReceiverOf<'ntfy'>, 'token'>): Record<string, string> {
  return token === undefined ? {} : { Authorization: `Bearer ${token}` };
}
