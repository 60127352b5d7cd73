/** What a client gets to read of loops: secrets masked, nothing that hides or acts, and no more than it can take in. */
import type { Mask } from '../core/text/mask.ts';
import { printable } from '../stream/printable.ts';

/** Change the direction of the text around them, or are not seen at all: a model would read what a person does not. */
const HIDDEN =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\u3164\ufeff\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]/gu;

export type Show = (text: string, most: number) => string;

/** Masks before anything is cut, so that no half of a key is shown. */
export function shower(mask: Mask): Show {
  return (text, most) => {
    const clean = mask(printable(text).replaceAll(HIDDEN, ''));
    return clean.length <= most ? clean : `${wholeCharacters(clean.slice(0, Math.max(0, most - 1)))}…`;
  };
}

/** None is cut in two. */
const wholeCharacters = (text: string): string => text.replace(/[\ud800-\udbff]$/, '');

/** The same for plain data: every text in it, also the names. */
export function shownData(data: unknown, show: Show, most: number): unknown {
  if (typeof data === 'string') return show(data, most);
  if (Array.isArray(data)) return data.map((one: unknown) => shownData(one, show, most));
  if (data === null || typeof data !== 'object') return data;
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [show(name, most), shownData(value, show, most)]),
  );
}
