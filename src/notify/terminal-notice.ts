/** A bell and a notification of the terminal itself (OSC 9), for the terminal that a loop runs in. Pure. */
import type { Receiver, ReceiverOf } from '../config/notify-schema.ts';
import type { NotifySettings } from '../config/notify-settings.ts';
import { type Notice, oneLine } from '../core/notice.ts';
import type { Instant } from '../core/time.ts';
import { quietUntil } from './quiet-hours.ts';

const BEL = '\u0007';
const OSC9 = '\u001b]9;';

/** What is written to the terminal; empty for nothing. */
export function terminalNotice(settings: NotifySettings, notice: Notice, now: Instant): string {
  const isQuiet = quietUntil(settings.quiet, now) !== null && !settings.breakThrough.includes(notice.event);
  if (isQuiet || !settings.events.includes(notice.event)) return '';
  const terminals = Object.values(settings.receivers).filter(isTerminal);
  const [wanted] = terminals.filter(({ events }) => events?.includes(notice.event) ?? true);
  return wanted === undefined ? '' : terminalSequence(notice, wanted.style ?? 'both');
}

function isTerminal(receiver: Receiver): receiver is ReceiverOf<'terminal'> {
  return receiver.kind === 'terminal';
}

/** The text has no control characters: nothing in it ends the sequence early. */
export function terminalSequence({ title }: Notice, style: 'bell' | 'osc9' | 'both'): string {
  const osc = style === 'bell' ? '' : `${OSC9}${oneLine(title)}${BEL}`;
  return `${osc}${style === 'osc9' ? '' : BEL}`;
}
