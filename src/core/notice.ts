/** What people can be notified of, and what such a message holds, however it is delivered. */
import type { Instant } from './time.ts';

/** `limited` and `lifted`: a usage limit. `report`: a report is ready. */
export const NOTICE_EVENTS = [
  'done',
  'failed',
  'blocked',
  'limited',
  'lifted',
  'budget',
  'tampered',
  'report',
] as const;
export type NoticeEvent = (typeof NOTICE_EVENTS)[number];

/** What a person can do about it without coming to the machine. */
export type NoticeAction = 'answer' | 'pause' | 'stop';

/** Its texts hold no control characters and are cut to a length; what an agent wrote in them is still not to be trusted. */
export interface Notice {
  readonly v: 1;
  /** The same for a message that comes twice. */
  readonly id: string;
  readonly at: Instant;
  readonly event: NoticeEvent;
  readonly title: string;
  readonly text: string;
  readonly loop: NoticeLoop | null;
  /** What the agent asks; absent for nothing. */
  readonly question?: string;
  /** The command that comes next; absent for none. */
  readonly next?: string;
  readonly can: readonly NoticeAction[];
  /** Of a summary, whose event is the most urgent of theirs: what it stands for, oldest first; absent for a single message. */
  readonly parts?: readonly Notice[];
}

export interface NoticeLoop {
  readonly id: string;
  /** As lists call it. */
  readonly name: string;
  readonly kind: string;
  /** The name of its folder. */
  readonly place: string;
}

const MARKS: Readonly<Record<NoticeEvent, string>> = {
  done: '✓',
  failed: '✗',
  blocked: '!',
  limited: '◐',
  lifted: '●',
  budget: '!',
  tampered: '✗',
  report: '●',
};

/** `✓ shop: done` */
export const titleOf = (event: NoticeEvent, about: string, what: string): string => `${MARKS[event]} ${about}: ${what}`;

export const LONGEST_TITLE = 120;
export const LONGEST_TEXT = 1000;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about.
const ESCAPES = /\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b\[[0-?]*[ -/]*[@-~]?|\u001b./gu;
// Also those that turn the direction of the text around, and separators that some programs take for a line's end.
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above; line feed and tab are dealt with first.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** For a title, a header, a button: one line. */
export const oneLine = (text: string, longest = LONGEST_TITLE): string =>
  cut(bare(text).replaceAll(/\s+/gu, ' ').trim(), longest);

/** For a text of several lines. */
export const plainLines = (text: string, longest = LONGEST_TEXT): string =>
  cut(
    bare(text)
      .replaceAll(/\n{3,}/gu, '\n\n')
      .trim(),
    longest,
  );

/** Without control characters, and whole characters only: half of a pair cannot be sent in a form. */
export const bare = (text: string): string =>
  text
    .replaceAll(ESCAPES, '')
    .replaceAll('\r\n', '\n')
    .replaceAll('\t', ' ')
    .replaceAll(CONTROL, '')
    .replaceAll(/\p{Surrogate}/gu, '\ufffd');

/** By characters, so that none is cut in half. */
function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const characters = Array.from(text);
  return characters.length <= longest ? text : `${characters.slice(0, longest - 1).join('')}…`;
}
