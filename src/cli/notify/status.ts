/** `ralph notify`: who is notified of what, what waits to be sent, and what was given up. Secrets are not shown. */

import type { Receiver } from '../../config/notify-schema.ts';
import { type NotifySettings, readNotifySettings } from '../../config/notify-settings.ts';
import { userSettingsFile, type Variables } from '../../config/user-file.ts';
import { plural } from '../../core/budget/usage.ts';
import { RalphError } from '../../core/error.ts';
import { NOTICE_EVENTS } from '../../core/notice.ts';
import { linesOf } from '../../core/text/lines-of.ts';
import { wrap } from '../../core/text/wrap.ts';
import { quietUntil } from '../../notify/quiet-hours.ts';
import { readBook } from '../../notify/replies/book-file.ts';
import { openRequests } from '../../notify/replies/reply-book.ts';
import { type Queued, readLog, readQueueAsIs, senderLock } from '../../notify/spool.ts';
import { lockHolder } from '../../state/lock.ts';
import { shortClock } from '../../views/loop-words.ts';
import type { LoopsContext } from '../loops/context.ts';
import { mutedBy, mutedWords, projectLines, projectMutes } from './project-lines.ts';

const LOG_LINES = 5;

export async function notifyStatus({ json }: { json: boolean }, context: LoopsContext): Promise<number> {
  const { environment, cwd, now, say, width } = context;
  const { root, variables } = environment;
  const settings = readNotifySettings(variables);
  const queue = readQueueAsIs(root);
  const requests = openRequests(readBook(root), now);
  const sender = lockHolder(senderLock(root))?.pid ?? null;
  const log = readLog(root, LOG_LINES);
  const project = projectMutes(cwd);
  if (json) {
    const receivers = Object.entries(settings?.receivers ?? {}).map(([name, receiver]) => ({
      name,
      ...masked(receiver),
    }));
    const queued = queue.map(({ notice: { id, at, event, title }, tries }) => ({ id, at, event, title, tries }));
    const told = {
      receivers,
      quietUntil: quietUntil(settings?.quiet ?? null, now),
      queued,
      openReplies: requests.length,
      sender,
      project,
      log,
    };
    process.stdout.write(`${environment.mask(JSON.stringify(told, null, 2))}\n`);
    return 0;
  }
  const runs = sender === null ? '' : `; the sender runs (pid ${sender})`;
  const lines = [
    ...(settings === null ? noReceiversLines(variables) : settingsLines(settings, now)),
    ...projectLines(project),
    '',
    `Queue: ${queue.length === 0 ? 'empty' : plural(queue.length, 'message')}${runs}`,
    ...queue.slice(0, QUEUE_LINES).map(queueLine),
    ...(requests.length === 0 ? [] : [`Replies: ${plural(requests.length, 'button')} can still be used`]),
    ...(log.length === 0 ? [] : ['Last notes:', ...log.map((line) => `  ${noteLine(line, now)}`)]),
    ...(settings === null ? [] : ['To try it: ralph notify test']),
  ];
  for (const line of lines) for (const part of wrap(line, '', HANGING, width)) say(part);
  return 0;
}

const QUEUE_LINES = 10;
const HANGING = '      ';

function settingsLines(settings: NotifySettings, now: number): string[] {
  const { receivers, quiet, breakThrough, events, file, isOpen } = settings;
  const width = Math.max(...Object.keys(receivers).map((name) => name.length));
  const until = quietUntil(quiet, now);
  const clock = shortClock(now);
  return [
    `Receivers (${file}):`,
    ...Object.entries(receivers).map(([name, receiver]) => `  ${name.padEnd(width)}  ${describe(receiver)}`),
    ...(events.length === NOTICE_EVENTS.length ? [] : [`Your own settings mute ${mutedWords(mutedBy(events))}`]),
    ...(quiet === null
      ? []
      : [
          `Quiet hours: ${hours(quiet.from)}-${hours(quiet.to)}${until === null ? '' : `, now until ${clock(until)}`}; still sent: ${breakThrough.join(', ') || 'nothing'}`,
        ]),
    ...(isOpen
      ? [`warning: other users of this machine can read the secrets in it; to fix that: chmod 600 ${file}`]
      : []),
  ];
}

const hours = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

function describe(receiver: Receiver): string {
  const what = Object.entries(masked(receiver)).filter(([key]) => key !== 'kind' && key !== 'events');
  const words = what.map(([key, value]) => (typeof value === 'string' ? `${key} ${value}` : value === true && key));
  return linesOf(receiver.kind, ...words, `events ${receiver.events?.join(', ') ?? 'all'}`).join(' · ');
}

/** Leaves out what can be a secret: the path of a URL, and everything in a command or a body. */
function masked(receiver: Receiver): Readonly<Record<string, unknown>> {
  const { kind, events } = receiver;
  const known = { kind, ...(events === undefined ? {} : { events }) };
  switch (receiver.kind) {
    case 'desktop':
      return known;
    case 'terminal':
      return { ...known, style: receiver.style ?? 'both' };
    case 'command':
      return { ...known, command: receiver.command[0] ?? '' };
    case 'webhook':
      return { ...known, url: hostOf(receiver.url), signed: receiver.secret !== undefined };
    case 'slack':
      return { ...known, url: hostOf(receiver.url) };
    case 'ntfy':
      return { ...known, url: hostOf(receiver.url), reply: receiver.reply === undefined ? 'off' : 'on' };
  }
}

const hostOf = (url: string): string => `${new URL(url).origin}/***`;

function queueLine({ notice, tries }: Queued): string {
  const tried = Object.entries(tries).filter(([, count]) => count !== 'settled');
  const how = tried.map(([name, count]) => `${name}: ${count} ${count === 1 ? 'try' : 'tries'}`).join(', ');
  return `  ${notice.title}${how === '' ? '' : ` (${how})`}`;
}

/** Shows the local time; the log has UTC. */
function noteLine(line: string, now: number): string {
  const [, time = '', note = line] = /^(\S+Z) (.*)$/.exec(line) ?? [];
  return time === '' ? note : `${shortClock(now)(Date.parse(time))}  ${note}`;
}

function noReceiversLines(variables: Variables): string[] {
  const { message, advice } = noReceivers(variables);
  return linesOf(message, advice.hint);
}

export function noReceivers(variables: Variables): RalphError {
  const file = userSettingsFile(variables) ?? '~/.config/ralph/settings.json';
  const hint = 'For example: {"notify": {"receivers": {"desk": {"kind": "desktop"}}}}';
  return new RalphError('NO_RECEIVER', `no one is notified: ${file} names no receivers`, { hint });
}
