/** A bell and a terminal notification (OSC 9) for the terminal in which a loop runs. Pure. */
import type { Receiver, ReceiverOf } from '../config/notify-schema.ts';
import type { NotifySettings } from '../config/notify-settings.ts';
import { type Notice, oneLine } from '../core/notice.ts';
import type { Instant } from '../core/time.ts';
import { quietUntil } from './quiet-hours.ts';

const BEL = '\u0007';
const OSC9 = '\u001b]9;';

/** The text to write to the terminal; may be empty. */
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

/** The title has no control characters, so it cannot end the sequence early. */
export function terminalSequence({ title }: Notice, style: 'bell' | 'osc9' | 'both'): string {
  const osc = style === 'bell' ? '' : `${OSC9}${oneLine(title)}${BEL}`;
  return `${osc}${style === 'osc9' ? '' : BEL}`;
}
