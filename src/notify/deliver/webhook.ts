/** A webhook: the message as JSON or from a template, signed if there is a secret. */
import { createHmac } from 'node:crypto';
import type { ReceiverOf } from '../../config/notify-schema.ts';
import type { Notice } from '../../core/notice.ts';
import type { Duration, Instant } from '../../core/time.ts';
import { messageData } from '../message-data.ts';
import { type Body, filled, valuesOf } from '../template.ts';
import type { Delivered } from './delivered.ts';
import { post } from './post.ts';

export function toWebhook(
  receiver: ReceiverOf<'webhook'>,
  notice: Notice,
  { now, patience }: { readonly now: Instant; readonly patience: Duration },
): Promise<Delivered> {
  const { url, secret, headers = {}, body: template, contentType } = receiver;
  const body = template === undefined ? plainBody(notice) : filled(template, valuesOf(notice), contentType);
  const time = String(Math.floor(now / 1000));
  const signed = secret === undefined ? {} : { 'x-ralph-signature': signatureOf(secret, time, body.content) };
  // Header names are case-insensitive: the same one twice would be sent as a list of both values.
  const users = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const own = { 'content-type': body.type, 'x-ralph-id': notice.id, 'x-ralph-timestamp': time, ...signed };
  return post({ url, headers: { ...Object.fromEntries(users), ...own }, body: body.content, patience });
}

/** Also signs the time, so that a receiver can refuse old messages. */
export function signatureOf(secret: string, time: string, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`;
}

function plainBody(notice: Notice): Body {
  return { content: JSON.stringify(messageData(notice)), type: 'application/json' };
}
