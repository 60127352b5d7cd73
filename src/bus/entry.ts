/** One entry as it stands in the file: front matter between two lines of dashes, the body, a line's end. */
import { formatHeader } from './header.ts';
import type { Message } from './message.ts';

/** A header is longer only by mistake; so a reader need not look further for its end. */
export const MOST_HEADER_BYTES = 64 * 1024;
export const MOST_BODY_BYTES = 32 * 1024 * 1024;

/**
 * A line of dashes, as every reader may see it: with white space behind it, and with the backslashes of one that was
 * escaped before. Not `^` with the flag `m`, which takes U+2028 for a line's end.
 */
const DASHES = /(?<=^|\n)\\*---[^\S\n]*(?=\n|$)/g;
const ESCAPED = /(?<=^|\n)\\(?=\\*---[^\S\n]*(?:\n|$))/g;

export function formatEntry({ body, ...header }: Message): { header: Buffer; body: Buffer; whole: Buffer } {
  const bodyBytes = Buffer.from(escapeBody(body));
  const headerBytes = Buffer.from(formatHeader(header, bodyBytes.length));
  const whole = Buffer.concat([Buffer.from('---\n'), headerBytes, Buffer.from('---\n'), bodyBytes, Buffer.from('\n')]);
  return { header: headerBytes, body: bodyBytes, whole };
}

export function unescapeBody(text: string): string {
  return text.includes('\\') ? text.replaceAll(ESCAPED, '') : text;
}

function escapeBody(text: string): string {
  return text.includes('---') ? text.replaceAll(DASHES, String.raw`\$&`) : text;
}
