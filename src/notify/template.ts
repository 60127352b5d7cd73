/** Fills the placeholders of a template, escaping each value for the content type. Pure. */
import { PLACEHOLDERS, type Placeholder } from '../config/notify-schema.ts';
import type { Notice } from '../core/notice.ts';
import { isFields } from '../core/text/json.ts';
import { eventName, timeText } from './message-data.ts';

export type Values = Readonly<Record<Placeholder, string>>;

export function valuesOf(notice: Notice): Values {
  const { title, text, question = '', loop, next = '', id } = notice;
  return {
    event: eventName(notice),
    title,
    text,
    question,
    loop: loop?.name ?? '',
    kind: loop?.kind ?? '',
    place: loop?.place ?? '',
    next,
    time: timeText(notice),
    id,
  };
}

export interface Body {
  readonly content: string;
  readonly type: string;
}

/** In an object, each string is filled before all is written as JSON, so that no value can break out of its string. */
export function filled(template: unknown, values: Values, type: string | undefined): Body {
  if (typeof template !== 'string') {
    return { content: JSON.stringify(inData(template, values)), type: type ?? 'application/json' };
  }
  const kind = type ?? 'text/plain; charset=utf-8';
  return { content: inText(template, values, escapeFor(kind)), type: kind };
}

function escapeFor(type: string): (value: string) => string {
  if (/json/i.test(type)) return (value) => JSON.stringify(value).slice(1, -1);
  return /x-www-form-urlencoded/i.test(type) ? encodeURIComponent : (value) => value;
}

/** In one pass: placeholders in values are not filled. */
function inText(template: string, values: Values, escaped: (value: string) => string): string {
  return template.replaceAll(NAMES, (_whole, name: Placeholder) => escaped(values[name]));
}

const NAMES = new RegExp(`\\{(${PLACEHOLDERS.join('|')})\\}`, 'g');

function inData(template: unknown, values: Values): unknown {
  if (typeof template === 'string') return inText(template, values, (value) => value);
  if (Array.isArray(template)) return template.map((item: unknown) => inData(item, values));
  if (!isFields(template)) return template;
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, inData(value, values)]));
}
