/** `ralph notify test`: each receiver gets a message now, and it is said what became of it. */

import type { Receiver } from '../../config/notify-schema.ts';
import { readNotifySettings } from '../../config/notify-settings.ts';
import { RalphError } from '../../core/error.ts';
import { type Notice, type NoticeEvent, titleOf } from '../../core/notice.ts';
import { nearest } from '../../core/text/nearest.ts';
import { deliver, isReachable } from '../../notify/deliver/deliver.ts';
import type { Delivered } from '../../notify/deliver/delivered.ts';
import { patienceWith } from '../../notify/plan.ts';
import { newNoticeId } from '../../notify/spool.ts';
import { terminalSequence } from '../../notify/terminal-notice.ts';
import type { LoopsContext } from '../loops/context.ts';
import { noReceivers } from './status.ts';

export async function notifyTest(name: string | null, event: NoticeEvent, context: LoopsContext): Promise<number> {
  const { environment, now, say } = context;
  const settings = readNotifySettings(environment.variables);
  if (settings === null) throw noReceivers(environment.variables);
  const all = Object.entries(settings.receivers);
  const chosen = all.filter(([one]) => name === null || one === name);
  if (chosen.length === 0) {
    const meant = nearest(name ?? '', Object.keys(settings.receivers));
    const hint = `There are ${Object.keys(settings.receivers).join(', ')}.`;
    throw new RalphError(
      'NO_RECEIVER',
      `there is no receiver "${name}"${meant === null ? '' : `; did you mean "${meant}"?`}`,
      { hint },
    );
  }
  const notice = testNotice(event, now);
  const patience = patienceWith(environment.notifySecondMs);
  const place = { now, env: environment.variables, platform: process.platform, patience };
  const results = await Promise.all(
    chosen.map(async ([one, receiver]) => ({ one, delivered: await handed(receiver, notice, place) })),
  );
  for (const { one, delivered } of results) {
    if (delivered.is === 'sent') say(`✓ ${one}: accepted (${delivered.says})`, 'green');
    else say(`✗ ${one}: ${delivered.why}`, 'red');
    if (delivered.is !== 'sent' && delivered.hint !== undefined) say(`    ${delivered.hint}`);
  }
  return results.every(({ delivered }) => delivered.is === 'sent') ? 0 : 1;
}

async function handed(receiver: Receiver, notice: Notice, place: Parameters<typeof deliver>[2]): Promise<Delivered> {
  if (isReachable(receiver)) return deliver(receiver, notice, place);
  if (!process.stderr.isTTY)
    return { is: 'refused', why: 'this is no terminal', hint: 'Run it in the terminal that is to ring.' };
  process.stderr.write(terminalSequence(notice, receiver.style ?? 'both'));
  return { is: 'sent', says: 'written to this terminal; whether it shows it, the terminal decides' };
}

function testNotice(event: NoticeEvent, now: number): Notice {
  const text = 'This is a test from "ralph notify test"; no loop is involved.';
  const loop = { id: 'test', name: 'test', kind: 'test', place: 'test' };
  const asks = event === 'blocked' ? { question: 'Did this message arrive? (yes/no)' } : {};
  return {
    v: 1,
    id: newNoticeId(now),
    at: now,
    event,
    title: titleOf(event, 'test', event),
    text,
    loop,
    ...asks,
    can: [],
  };
}
