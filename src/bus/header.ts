/**
 * The front matter of an entry. We write one key per line, each value plain or as JSON, which is YAML as well: whatever
 * an author gives stays on its line. We read that without a YAML parser, and everything else with one.
 */
import { parse as parseYaml } from 'yaml';
import type { Link, Message, Parent } from './message.ts';

/** `bodyBytes` is null in an entry that somebody else wrote. */
export interface Header {
  readonly message: Omit<Message, 'body'>;
  readonly bodyBytes: number | null;
}

type Fields = Readonly<Record<string, unknown>>;

const OWN_LINE = /^([a-z_]+): (.+)$/;
const PLAIN = /^[A-Za-z][\w.+/-]*$/;
const PLAIN_WHEN_READ = /^[A-Za-z0-9][\w.+/:-]*(?<!:)$/;
/** YAML reads these as something else than text. */
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n)$/i;
/** JSON leaves them as they are, while some YAML parsers break a line there. */
const BREAKS = /[\u007f-\u009f\u2028\u2029\ufeff]/g;

/**
 * The length stands before the required keys: a header that was cut off and still has those has the length, too, and
 * is found out by it.
 */
export function formatHeader(message: Omit<Message, 'body'>, bodyBytes: number): string {
  const lines = [`msg_id: ${message.msgId}`, `ts: ${message.ts}`, `body_bytes: ${bodyBytes}`];
  const add = (key: string, value: string | undefined) => {
    if (value !== undefined) lines.push(`${key}: ${scalar(value)}`);
  };
  add('type', message.type);
  add('project_id', message.projectId);
  add('task_id', message.taskId);
  add('run_id', message.runId);
  add('issue_id', message.issueId);
  if (message.parents !== undefined) lines.push(`parents: ${quoted(message.parents.map(parentFields))}`);
  if (message.links !== undefined) lines.push(`links: ${quoted(message.links.map(linkFields))}`);
  if (message.meta !== undefined) lines.push(`meta: ${quoted(message.meta)}`);
  return `${lines.join('\n')}\n`;
}

/** Null for text that is no front matter of a message. */
export function parseHeader(text: string): Header | null {
  const own = ownFields(text);
  const fields = own ?? yamlFields(text);
  if (fields === null) return null;
  const [type, projectId] = [textOf(fields.type), textOf(fields.project_id)];
  if (type === undefined || projectId === undefined) return null;
  const length = textOf(fields.body_bytes);
  // A length that is not in a header of our form: cut off, or not ours at all.
  if (length !== undefined && (own === null || !/^\d{1,9}$/.test(length))) return null;
  const message = {
    msgId: textOf(fields.msg_id) ?? '',
    ts: textOf(fields.ts) ?? '',
    type,
    projectId,
    ...named('taskId', textOf(fields.task_id)),
    ...named('runId', textOf(fields.run_id)),
    ...named('issueId', textOf(fields.issue_id)),
    ...named('parents', listOf(fields.parents, parentOf)),
    ...named('links', listOf(fields.links, linkOf)),
    ...named('meta', metaOf(fields.meta)),
  };
  return { message, bodyBytes: length === undefined ? null : Number(length) };
}

function ownFields(text: string): Fields | null {
  const fields: Record<string, unknown> = {};
  for (const line of text.slice(0, -1).split('\n')) {
    const [, key, value] = OWN_LINE.exec(line) ?? [];
    if (key === undefined || value === undefined || key in fields) return null;
    if (PLAIN_WHEN_READ.test(value)) fields[key] = value;
    else if (/^["[{]/.test(value)) {
      try {
        fields[key] = JSON.parse(value);
      } catch {
        return null;
      }
    } else return null;
  }
  return fields;
}

/** With every scalar as text: an id of digits stays what it is. */
function yamlFields(text: string): Fields | null {
  try {
    const value: unknown = parseYaml(text, { schema: 'failsafe', logLevel: 'silent' });
    return isFields(value) ? value : null;
  } catch {
    // Not YAML: somebody's text between two lines of dashes.
    return null;
  }
}

function scalar(text: string): string {
  return PLAIN.test(text) && !RESERVED.test(text) ? text : quoted(text);
}

function quoted(value: unknown): string {
  return JSON.stringify(value).replaceAll(BREAKS, (at) => `\\u${at.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function parentFields({ msgId, kind, meta }: Parent): Fields {
  return { msg_id: msgId, kind, meta };
}

function linkFields({ url, label, kind }: Link): Fields {
  return { url, label, kind };
}

/** An older form is the bare id. */
function parentOf(value: unknown): Parent | null {
  if (typeof value === 'string') return { msgId: value };
  if (!isFields(value)) return null;
  const msgId = textOf(value.msg_id);
  if (msgId === undefined) return null;
  return { msgId, ...named('kind', textOf(value.kind)), ...named('meta', metaOf(value.meta)) };
}

function linkOf(value: unknown): Link | null {
  const url = isFields(value) ? textOf(value.url) : undefined;
  if (!isFields(value) || url === undefined) return null;
  return { url, ...named('label', textOf(value.label)), ...named('kind', textOf(value.kind)) };
}

function listOf<T>(value: unknown, itemOf: (value: unknown) => T | null): T[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.map(itemOf).filter((item) => item !== null);
}

function metaOf(value: unknown): Record<string, string> | undefined {
  if (!isFields(value)) return undefined;
  const texts = Object.entries(value).map(([key, item]) => [
    key,
    typeof item === 'string' ? item : JSON.stringify(item),
  ]);
  return Object.fromEntries(texts) as Record<string, string>;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function named<K extends string, T>(name: K, value: T | undefined): { [key in K]?: T } {
  return value === undefined ? {} : ({ [name]: value } as { [key in K]: T });
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
