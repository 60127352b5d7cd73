/** Masks what looks like a key: in the journal, in logs and on the screen. */
import { literally } from './literal.ts';

export type Mask = (text: string) => string;

const HIDDEN = '***';

/** The forms of well-known issuers' keys. */
const FORMS = [
  String.raw`\bsk-[A-Za-z0-9_-]{16,}`,
  String.raw`\bgh[pousr]_[A-Za-z0-9]{20,}`,
  String.raw`\bgithub_pat_[A-Za-z0-9_]{20,}`,
  String.raw`\bglpat-[A-Za-z0-9_-]{16,}`,
  String.raw`\bxox[abprs]-[A-Za-z0-9-]{10,}`,
  String.raw`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`,
  String.raw`\bAIza[A-Za-z0-9_-]{35}`,
  String.raw`\bnpm_[A-Za-z0-9]{36}\b`,
  '-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]+-----END [A-Z ]*PRIVATE KEY-----',
];
/**
 * `api_key = value`, `Authorization: Bearer value`: the name stays. A value has letters and digits; `undefined` stays.
 */
const VALUE = String.raw`(?=[^\s"',;\\]{0,200}\d)(?=[^\s"',;\\]{0,200}[A-Za-z])[^\s"',;\\]{8,}`;
const NAME = String.raw`(?:[\w-]{0,40}(?:api[_-]?key|secret|token|passw(?:or)?d)[\w-]{0,40})\\?["']?\s*[=:]\s*\\?["']?|bearer\s+`;
const NAMED = new RegExp(`\\b(${NAME})${VALUE}`, 'gi');

/** Most text contains none of these words, and skips the slow search. */
const MAY_BE_NAMED = /api[_-]?key|secret|token|passw|bearer/i;

const SECRET_NAME = /KEY|TOKEN|SECRET|PASSW/i;
const SHORTEST_SECRET = 8;

/** Also masks the values of environment variables whose names look secret, wherever they appear. */
export function maskFor(environment: Readonly<Record<string, string | undefined>>): Mask {
  const values = Object.entries(environment)
    .filter(([name, value]) => SECRET_NAME.test(name) && (value?.length ?? 0) >= SHORTEST_SECRET)
    // Also as JSON escapes them.
    .flatMap(([, value]) => [value ?? '', JSON.stringify(value).slice(1, -1)])
    // Longest first, so that a value that contains another is masked as a whole.
    .sort((a, b) => b.length - a.length)
    .map(literally);
  const secret = new RegExp([...values, ...FORMS].join('|'), 'g');
  return (text) => {
    const masked = text.replaceAll(secret, HIDDEN);
    return MAY_BE_NAMED.test(masked) ? masked.replaceAll(NAMED, `$1${HIDDEN}`) : masked;
  };
}

/** Masks every string in plain data. */
export function maskData<Data>(data: Data, mask: Mask): Data {
  if (typeof data === 'string') return mask(data) as Data;
  if (data === null || typeof data !== 'object') return data;
  if (Array.isArray(data)) return data.map((item: unknown) => maskData(item, mask)) as Data;
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, maskData<unknown>(value, mask)])) as Data;
}

const KEY_BEGINS = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;
const KEY_ENDS = /-----END [A-Z ]*PRIVATE KEY-----/;

/**
 * For text in pieces of whole lines: also masks a private key that spans several. Null if nothing of a piece is left.
 */
export function maskAcrossLines(mask: Mask): (text: string) => string | null {
  let isInside = false;
  return (text) => {
    const masked = mask(text);
    if (isInside) {
      const end = KEY_ENDS.exec(masked);
      if (end === null) return null;
      isInside = false;
      return masked.slice(end.index + end[0].length);
    }
    const begin = KEY_BEGINS.exec(masked);
    if (begin === null) return masked;
    isInside = true;
    return `${masked.slice(0, begin.index)}${HIDDEN}`;
  };
}
