/** Slack's incoming webhooks, and compatible services: Mattermost, Rocket.Chat, Discord (address ends in `/slack`). */
import type { ReceiverOf } from '../../config/notify-schema.ts';
import type { Notice } from '../../core/notice.ts';
import { escapeMarkup } from '../../core/text/markup.ts';
import type { Duration } from '../../core/time.ts';
import type { Delivered } from './delivered.ts';
import { post } from './post.ts';

export function toSlack({ url }: ReceiverOf<'slack'>, notice: Notice, patience: Duration): Promise<Delivered> {
  const headers = { 'content-type': 'application/json' };
  return post({ url, headers, body: JSON.stringify({ text: slackText(notice) }), patience });
}

/** In an agent's text, `<!channel>` and links stay plain text, and so does `@everyone` for services that know it. */
export function slackText({ title, text, next }: Notice): string {
  const lines = [`*${escaped(title).replaceAll('*', '∗')}*`, escaped(text)];
  return [...lines, ...(next === undefined ? [] : [`\`${escaped(next).replaceAll('`', "'")}\``])].join('\n');
}

function escaped(text: string): string {
  // Inserts a zero-width space.
  return escapeMarkup(text).replaceAll(/@(?=everyone|here|channel|all)/g, '@\u200b');
}
