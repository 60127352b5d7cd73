/** Delivers one message to one receiver of any kind. */
import type { Receiver } from '../../config/notify-schema.ts';
import type { Notice } from '../../core/notice.ts';
import type { Instant } from '../../core/time.ts';
import type { Delivered } from './delivered.ts';
import { type NtfyExtras, toNtfy } from './ntfy.ts';
import { type ProgramPlace, toCommand, toDesktop } from './program.ts';
import { toSlack } from './slack.ts';
import { toWebhook } from './webhook.ts';

export interface DeliveryPlace extends ProgramPlace {
  readonly now: Instant;
}

/** The receivers that a sender without a terminal can reach: the loop in a terminal notifies that terminal itself. */
export type Reachable = Exclude<Receiver, { kind: 'terminal' }>;
export const isReachable = (receiver: Receiver): receiver is Reachable => receiver.kind !== 'terminal';

/** Does not throw: a message that cannot be built must not keep the others from being sent. */
export async function deliver(
  receiver: Reachable,
  notice: Notice,
  place: DeliveryPlace,
  extras?: NtfyExtras,
): Promise<Delivered> {
  try {
    return await handOver(receiver, notice, place, extras);
  } catch (error) {
    return { is: 'refused', why: `the message cannot be put together (${String(error).slice(0, 200)})` };
  }
}

function handOver(
  receiver: Reachable,
  notice: Notice,
  place: DeliveryPlace,
  extras: NtfyExtras | undefined,
): Promise<Delivered> {
  const { patience } = place;
  switch (receiver.kind) {
    case 'desktop':
      return toDesktop(notice, place);
    case 'command':
      return toCommand(receiver.command, notice, place);
    case 'webhook':
      return toWebhook(receiver, notice, place);
    case 'slack':
      return toSlack(receiver, notice, patience);
    case 'ntfy':
      return toNtfy(receiver, notice, { patience, ...(extras === undefined ? {} : { extras }) });
  }
}
