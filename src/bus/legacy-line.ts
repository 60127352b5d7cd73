/** A message of the oldest form, one line: `[2026-02-05 10:00:00] INFO: text`. */
import type { Message } from './message.ts';

const LINE = /^\[(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})\] ([A-Za-z_]+): (.*?)\r?$/;

/** Without its id, which is the number of its line. */
export function legacyMessage(line: string): Omit<Message, 'msgId'> | null {
  const [, day, time, type, body] = LINE.exec(line) ?? [];
  if (day === undefined || time === undefined || type === undefined || body === undefined) return null;
  return { ts: `${day}T${time}Z`, type, projectId: '', body };
}
