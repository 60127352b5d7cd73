/** Notifications: which events people can be notified of, and what a message holds, however it is delivered. */
import type { Instant } from './time.ts';

/** `limited`, `lifted`: a usage limit began or ended. `report`: a report is ready. */
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

/** What a person can do in reply, away from the machine. */
export type NoticeAction = 'answer' | 'pause' | 'stop';

/** Its texts hold no control characters and are cut to a length; what an agent wrote in them is still untrusted. */
export interface Notice {
  readonly v: 1;
  /** The same if a message arrives twice. */
  readonly id: string;
  readonly at: Instant;
  readonly event: NoticeEvent;
  readonly title: string;
  readonly text: string;
  readonly loop: NoticeLoop | null;
  /** The agent's question, if it asks one. */
  readonly question?: string;
  /** The command to run next, if any. */
  readonly next?: string;
  readonly can: readonly NoticeAction[];
  /** For a summary, which has the most urgent event of its parts: the notices that it stands for, oldest first. */
  readonly parts?: readonly Notice[];
}

export interface NoticeLoop {
  readonly id: string;
  /** The name that lists show. */
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
// Includes those that reverse the direction of text, and separators that some programs take for the end of a line.
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above; line feed and tab are dealt with first.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** One line, for a title, a header or a button. */
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

/** Without control characters, and without lone surrogates: a form cannot be encoded with them. */
export const bare = (text: string): string =>
  text
    .replaceAll(ESCAPES, '')
    .replaceAll('\r\n', '\n')
    .replaceAll('\t', ' ')
    .replaceAll(CONTROL, '')
    .replaceAll(/\p{Surrogate}/gu, '\ufffd');

/** Cuts by code points, so that no character is cut in half. */
function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const characters = Array.from(text);
  return characters.length <= longest ? text : `${characters.slice(0, longest - 1).join('')}…`;
}
