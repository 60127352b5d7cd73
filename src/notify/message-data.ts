/** A message for programs: the same JSON for a command and for a webhook. Pure. */
import type { Notice, NoticeEvent, NoticeLoop } from '../core/notice.ts';

export interface MessageData {
  readonly id: string;
  /** ISO 8601, in UTC. */
  readonly time: string;
  readonly event: NoticeEvent | 'summary';
  readonly title: string;
  readonly text: string;
  readonly loop: NoticeLoop | null;
  readonly question?: string;
  readonly next?: string;
  /** Only in a summary: its messages, oldest first. */
  readonly messages?: readonly Omit<MessageData, 'messages'>[];
}

/** A summary is not an event itself, whatever its most urgent message is. */
export const eventName = ({ event, parts }: Notice): MessageData['event'] => (parts === undefined ? event : 'summary');

export const timeText = ({ at }: Notice): string => new Date(at).toISOString();

export function messageData(notice: Notice): MessageData {
  const { id, title, text, loop, question, next, parts } = notice;
  return {
    id,
    time: timeText(notice),
    event: eventName(notice),
    title,
    text,
    loop,
    ...(question === undefined ? {} : { question }),
    ...(next === undefined ? {} : { next }),
    ...(parts === undefined ? {} : { messages: parts.map(messageData) }),
  };
}
