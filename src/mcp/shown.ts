/** Makes texts of loops fit for a client: secrets masked, no invisible or control characters, and not too long. */
import type { Mask } from '../core/text/mask.ts';
import { printable } from '../stream/printable.ts';

/** Invisible, or change the direction of the text around them: a model would read what a person does not see. */
const HIDDEN =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\u3164\ufeff\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]/gu;

export type Show = (text: string, most: number) => string;

/** Masks before it cuts, so that no half of a secret is shown. */
export function shower(mask: Mask): Show {
  return (text, most) => {
    const clean = mask(printable(text).replaceAll(HIDDEN, ''));
    return clean.length <= most ? clean : `${wholeCharacters(clean.slice(0, Math.max(0, most - 1)))}…`;
  };
}

/** Removes half of a surrogate pair at the end. */
const wholeCharacters = (text: string): string => text.replace(/[\ud800-\udbff]$/, '');

/** The same for all texts in plain data, including the keys of objects. */
export function shownData(data: unknown, show: Show, most: number): unknown {
  if (typeof data === 'string') return show(data, most);
  if (Array.isArray(data)) return data.map((one: unknown) => shownData(one, show, most));
  if (data === null || typeof data !== 'object') return data;
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [show(name, most), shownData(value, show, most)]),
  );
}
