/** A message, and its entry in the file: front matter between two lines of dashes, the body, a line feed. */
import { parse as parseYaml } from 'yaml';
import { defined } from '../core/defined.ts';
import { RalphError } from '../core/error.ts';
import { type Fields, isFields, parsedJson } from '../core/text/json.ts';

/** In a file, only `type` and `projectId` are required. */
export interface Message {
  readonly msgId: string;
  /** ISO 8601, in UTC, with microseconds: `2026-02-23T19:17:10.184887Z`; a legacy line has only seconds. */
  readonly ts: string;
  readonly type: string;
  readonly projectId: string;
  readonly taskId?: string;
  readonly runId?: string;
  /** For an ISSUE, its own `msgId`, unless the author gave another. */
  readonly issueId?: string;
  readonly parents?: readonly { readonly msgId: string; readonly kind?: string; readonly meta?: Meta }[];
  readonly links?: readonly { readonly url: string; readonly label?: string; readonly kind?: string }[];
  readonly meta?: Meta;
  readonly body: string;
}

type Meta = Readonly<Record<string, string>>;

/** What an author gives; the bus adds the time and the id. */
export type Draft = Omit<Message, 'msgId' | 'ts'>;

/** A longer header can only be a mistake, so a reader need not look further for its end. */
export const MOST_HEADER_BYTES = 64 * 1024;
export const MOST_BODY_BYTES = 32 * 1024 * 1024;

const OWN_LINE = /^([a-z_]+): (.+)$/;
const PLAIN = /^[A-Za-z][\w.+/-]*$/;
const PLAIN_WHEN_READ = /^[A-Za-z0-9][\w.+/:-]*(?<!:)$/;
/** YAML reads these as something other than text. */
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n)$/i;
/** JSON leaves these as they are, but some YAML parsers break a line there. */
const BREAKS = /[\u007f-\u009f\u2028\u2029\ufeff]/g;
/** Also with white space after them, or already escaped. Not `^` with `m`, which takes U+2028 for the end of a line. */
const DASHES = /(?<=^|\n)\\*---[^\S\n]*(?=\n|$)/g;
const ESCAPED = /(?<=^|\n)\\(?=\\*---[^\S\n]*(?:\n|$))/g;
/** A message in the oldest format, one line: `[2026-02-05 10:00:00] INFO: text`. */
const LEGACY_LINE = /^\[(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})\] ([A-Za-z_]+): (.*?)\r?$/;

/** Each value is plain or JSON, which is also YAML: it stays on its line, and can be read without a YAML parser. */
export function formatEntry({ body, ...message }: Message): { header: Buffer; whole: Buffer } {
  const bodyBytes = Buffer.from(body.includes('---') ? body.replaceAll(DASHES, String.raw`\$&`) : body);
  const { msg_id: id, ts, ...rest } = fieldsOf(message);
  const lines = Object.entries(defined(rest)).map(([key, value]) => `${key}: ${scalar(value)}\n`);
  // The length comes before the required keys: it exposes a header that was cut off but still has those.
  const header = Buffer.from(`msg_id: ${id}\nts: ${ts}\nbody_bytes: ${bodyBytes.length}\n${lines.join('')}`);
  if (header.length > MOST_HEADER_BYTES) throw refused(`message header is too large: ${header.length} bytes`);
  if (bodyBytes.length > MOST_BODY_BYTES) throw refused(`message body is too large: ${bodyBytes.length} bytes`);
  const whole = Buffer.concat([Buffer.from('---\n'), header, Buffer.from('---\n'), bodyBytes, Buffer.from('\n')]);
  return { header, whole };
}

export function refused(fact: string): RalphError {
  return new RalphError('BUS_MESSAGE', fact);
}

/** The fields of a message by their names in the file, in their order. */
export function fieldsOf({ msgId, ts, type, projectId, taskId, runId, issueId, ...more }: Omit<Message, 'body'>) {
  const parents = more.parents?.map(({ msgId: id, kind, meta }) => ({ msg_id: id, kind, meta }));
  const links = more.links?.map(({ url, label, kind }) => ({ url, label, kind }));
  const ids = { project_id: projectId, task_id: taskId, run_id: runId, issue_id: issueId };
  return { msg_id: msgId, ts, type, ...ids, parents, links, meta: more.meta };
}

function scalar(value: unknown): string {
  if (typeof value === 'string' && PLAIN.test(value) && !RESERVED.test(value)) return value;
  return JSON.stringify(value).replaceAll(BREAKS, (at) => `\\u${at.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Null if the text is no front matter of a message; `bodyBytes` is null in an entry that another program wrote. */
export function parseHeader(text: string) {
  const own = ownFields(text);
  const fields = own ?? yamlFields(text);
  if (fields === null) return null;
  const [type, projectId] = [textOf(fields.type), textOf(fields.project_id)];
  if (type === undefined || projectId === undefined) return null;
  const length = textOf(fields.body_bytes);
  // A length in a header that is not in our form: the header is cut off, or not ours at all.
  if (length !== undefined && (own === null || !/^\d{1,9}$/.test(length))) return null;
  const required = { msgId: textOf(fields.msg_id) ?? '', ts: textOf(fields.ts) ?? '', type, projectId };
  const ids = { taskId: textOf(fields.task_id), runId: textOf(fields.run_id), issueId: textOf(fields.issue_id) };
  const parents = Array.isArray(fields.parents) ? fields.parents.flatMap(parentOf) : undefined;
  const links = Array.isArray(fields.links) ? fields.links.flatMap(linkOf) : undefined;
  const message: Omit<Message, 'body'> = defined({ ...required, ...ids, parents, links, meta: metaOf(fields.meta) });
  return { message, bodyBytes: length === undefined ? null : Number(length) };
}

export function unescapeBody(text: string): string {
  return text.includes('\\') ? text.replaceAll(ESCAPED, '') : text;
}

/** Without the id, which is the number of its line. */
export function legacyMessage(line: string): Omit<Message, 'msgId'> | null {
  const [, day, time, type, body] = LEGACY_LINE.exec(line) ?? [];
  if (day === undefined || time === undefined || type === undefined || body === undefined) return null;
  return { ts: `${day}T${time}Z`, type, projectId: '', body };
}

function ownFields(text: string): Fields | null {
  const fields: Record<string, unknown> = {};
  for (const line of text.slice(0, -1).split('\n')) {
    const [, key, value] = OWN_LINE.exec(line) ?? [];
    if (key === undefined || value === undefined || key in fields) return null;
    if (PLAIN_WHEN_READ.test(value)) fields[key] = value;
    else if (/^["[{]/.test(value)) fields[key] = parsedJson(value);
    if (fields[key] === undefined) return null;
  }
  return fields;
}

/** Every scalar is kept as text: an id of digits does not become a number. */
function yamlFields(text: string): Fields | null {
  try {
    const value: unknown = parseYaml(text, { schema: 'failsafe', logLevel: 'silent' });
    return isFields(value) ? value : null;
  } catch {
    // Not YAML: some text between two lines of dashes.
    return null;
  }
}

/** In an older format, a parent is the bare id. */
function parentOf(value: unknown) {
  if (typeof value === 'string') return { msgId: value };
  const { msg_id: id, kind, meta } = isFields(value) ? value : {};
  const msgId = textOf(id);
  return msgId === undefined ? [] : defined({ msgId, kind: textOf(kind), meta: metaOf(meta) });
}

function linkOf(value: unknown) {
  const { url: given, label, kind } = isFields(value) ? value : {};
  const url = textOf(given);
  return url === undefined ? [] : defined({ url, label: textOf(label), kind: textOf(kind) });
}

function metaOf(value: unknown): Meta | undefined {
  if (!isFields(value)) return undefined;
  const textIn = (item: unknown): string => (typeof item === 'string' ? item : JSON.stringify(item));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, textIn(item)]));
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Nanoseconds since the epoch. */
export type Clock = () => bigint;

const LAST_SEQ = 9999;
/** A larger difference means that the clock was set since this process started: then its milliseconds are used. */
const TOLERATED_MS = 50;

/** To the microsecond, and never backwards within a process unless the machine's clock was set. */
export function machineClock(): bigint {
  const coarse = Date.now();
  const fine = performance.timeOrigin + performance.now();
  const ms = Math.abs(fine - coarse) < TOLERATED_MS ? fine : coarse;
  return BigInt(Math.floor(ms * 1000)) * 1000n;
}

/** When a message was written, and the id made from that: `MSG-20260223-191710-184887000-PID67946-0001`. */
export function stampAt(nanos: bigint, pid: number, seq: number): { msgId: string; ts: string } {
  const iso = new Date(Number(nanos / 1_000_000n)).toISOString();
  const fraction = String(nanos % 1_000_000_000n).padStart(9, '0');
  const msgId = `MSG-${compactSecond(iso)}-${fraction}-PID${pid}-${String(seq).padStart(4, '0')}`;
  return { msgId, ts: `${iso.slice(0, 19)}.${fraction.slice(0, 6)}Z` };
}

/** `20260223-191710` for `2026-02-23T19:17:10.184Z`. */
export function compactSecond(iso: string): string {
  return iso.slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
}

/** Counts on from the last message: ids differ even if a clock was set back, or two containers share a pid. */
export function seqAfter(lastId: string | undefined): number {
  const last = Number(/^MSG-.*-(\d{4,})$/.exec(lastId ?? '')?.[1] ?? 0);
  return last >= LAST_SEQ ? 1 : last + 1;
}
