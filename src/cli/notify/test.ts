/** `ralph notify test`: sends each receiver a message now, and says what happened to it. */

import type { Receiver, ReceiverOf } from '../../config/notify-schema.ts';
import { readNotifySettings } from '../../config/notify-settings.ts';
import { RalphError } from '../../core/error.ts';
import { type Notice, type NoticeEvent, titleOf } from '../../core/notice.ts';
import { nearest } from '../../core/text/nearest.ts';
import { deliver, isReachable } from '../../notify/deliver/deliver.ts';
import type { Delivered } from '../../notify/deliver/delivered.ts';
import type { NtfyExtras } from '../../notify/deliver/ntfy.ts';
import { patienceWith } from '../../notify/plan.ts';
import { replyTrial, TRIAL_LABEL } from '../../notify/replies/try-reply.ts';
import { newNoticeId } from '../../notify/spool.ts';
import { terminalSequence } from '../../notify/terminal-notice.ts';
import type { LoopsContext } from '../loops/context.ts';
import { noReceivers } from './status.ts';

/** How long a person has to press the button. */
const PRESS_WITHIN_S = 60;

export async function notifyTest(
  name: string | null,
  { event, reply }: { readonly event: NoticeEvent; readonly reply: boolean },
  context: LoopsContext,
): Promise<number> {
  const { environment, now, say } = context;
  const settings = readNotifySettings(environment.variables);
  if (settings === null) throw noReceivers(environment.variables);
  const all = Object.entries(settings.receivers);
  const chosen = all.filter(([one]) => name === null || one === name);
  if (chosen.length === 0) {
    const meant = nearest(name ?? '', Object.keys(settings.receivers));
    const hint = `The receivers are ${Object.keys(settings.receivers).join(', ')}.`;
    throw new RalphError(
      'NO_RECEIVER',
      `there is no receiver "${name}"${meant === null ? '' : `; did you mean "${meant}"?`}`,
      { hint },
    );
  }
  if (reply && !chosen.some(([, receiver]) => isTwoWay(receiver))) {
    const hint = 'Only an ntfy receiver with "reply" does: see docs/notifications.md.';
    throw new RalphError('NO_REPLIES', name === null ? 'no receiver takes replies' : `${name} takes no replies`, {
      hint,
    });
  }
  const notice = testNotice(event, now);
  const patience = patienceWith(environment.notifySecondMs);
  const place = { now, env: environment.variables, platform: process.platform, patience };
  const second = environment.notifySecondMs;
  const results = await Promise.all(
    chosen.map(async ([one, receiver]) => {
      const trial = reply && isTwoWay(receiver) ? replyTrial(receiver, now, second) : null;
      return { one, receiver, trial, delivered: await handed(receiver, notice, place, trial?.extras) };
    }),
  );
  for (const { one, receiver, delivered } of results) {
    if (delivered.is === 'sent') say(`✓ ${one}: accepted (${delivered.says})`, 'green');
    else say(`✗ ${one}: ${delivered.why}`, 'red');
    if (delivered.is !== 'sent' && delivered.hint !== undefined) say(`    ${delivered.hint}`);
    if (delivered.is === 'sent' && !reply && isTwoWay(receiver))
      say(`    To try its buttons as well: ralph notify test ${one} --reply`);
  }
  const tried = results.filter(({ trial, delivered }) => trial !== null && delivered.is === 'sent');
  if (tried.length > 0) say(`Press "${TRIAL_LABEL}" in the message; waiting for ${PRESS_WITHIN_S} seconds …`);
  const arrived = await Promise.all(
    tried.map(async ({ one, trial }) => {
      const onTrouble = (why: string): void => say(`    cannot listen for replies on ${one}: ${why}`);
      const isThere = (await trial?.arrives(PRESS_WITHIN_S * second, onTrouble)) ?? false;
      if (isThere) say(`✓ ${one}: your reply arrived`, 'green');
      else {
        say(`✗ ${one}: no reply arrived within ${PRESS_WITHIN_S} s`, 'red');
        say('    Check the url of "reply", and that its token may publish and be read there.');
      }
      return isThere;
    }),
  );
  return results.every(({ delivered }) => delivered.is === 'sent') && arrived.every(Boolean) ? 0 : 1;
}

const isTwoWay = (receiver: Receiver): receiver is ReceiverOf<'ntfy'> =>
  receiver.kind === 'ntfy' && receiver.reply !== undefined;

async function handed(
  receiver: Receiver,
  notice: Notice,
  place: Parameters<typeof deliver>[2],
  extras: NtfyExtras | undefined,
): Promise<Delivered> {
  if (isReachable(receiver)) return deliver(receiver, notice, place, extras);
  if (!process.stderr.isTTY)
    return { is: 'refused', why: 'this is not a terminal', hint: 'Run it in the terminal that should ring.' };
  process.stderr.write(terminalSequence(notice, receiver.style ?? 'both'));
  return { is: 'sent', says: 'written to this terminal; the terminal decides whether to show it' };
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
