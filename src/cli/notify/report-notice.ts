/** The message that a report is ready, for `ralph report --notify`. */
import { basename } from 'node:path';
import { readNotifySettings } from '../../config/notify-settings.ts';
import { type Notice, plainLines, titleOf } from '../../core/notice.ts';
import { linesOf } from '../../core/text/lines-of.ts';
import { placeOf } from '../../notify/notice-of-loop.ts';
import { newNoticeId, queueNotice } from '../../notify/spool.ts';
import { startSender } from '../../notify/start-sender.ts';
import type { Report } from '../../report/report.ts';
import { headline, markOf } from '../../report/text.ts';
import type { LoopsContext } from '../loops/context.ts';
import { noReceivers } from './status.ts';

/** How many loops the message names. */
const LISTED = 10;

export async function notifyOfReport(report: Report, file: string | null, context: LoopsContext): Promise<void> {
  const { root, variables, mask } = context.environment;
  if (readNotifySettings(variables) === null) throw noReceivers(variables);
  const loops = report.loops.map((loop) => `${markOf(loop)} ${placeOf(loop.place)}: ${loop.outcome} (${loop.name})`);
  const more = loops.length > LISTED && `and ${loops.length - LISTED} more`;
  const lines = linesOf(
    headline(report),
    ...loops.slice(0, LISTED),
    more,
    file !== null && `Report: ${basename(file)}`,
  );
  const now = Date.now();
  const notice: Notice = {
    v: 1,
    id: newNoticeId(now),
    at: now,
    event: 'report',
    title: titleOf('report', 'ralph', 'report ready'),
    text: plainLines(mask(lines.join('\n'))),
    loop: null,
    can: [],
  };
  if (queueNotice(root, notice)) startSender(variables, import.meta.dirname);
}
