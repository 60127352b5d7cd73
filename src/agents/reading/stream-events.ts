/** What the parsers of structured streams share: reading a line, the events that all of them emit, the account. */
import { type AgentEvent, type AgentResult, type CallUsage, sumOf } from '../../core/events.ts';
import type { Fault } from '../../core/outcome.ts';
import { shortened } from './faults.ts';
import { type JsonObject, objectFrom, parseObject, textFrom } from './json-line.ts';

export type Events = readonly AgentEvent[];
type Meaning = (line: JsonObject, raw: string) => Events;

/** A line that is not JSON is read as an object without a type. */
export function byLine(meaning: Meaning): (raw: string) => Events {
  return (raw) => (raw.trim() === '' ? [] : meaning(parseObject(raw) ?? {}, raw));
}

export function byType(meanings: Readonly<Record<string, Meaning>>, otherwise: Meaning = unknown): Meaning {
  const known = new Map(Object.entries(meanings));
  return (line, raw) => (known.get(textFrom(line.type)) ?? otherwise)(line, raw);
}

export function unknown(_line: JsonObject, raw: string): Events {
  return [{ type: 'unknown', raw }];
}

export function progress(text: string): Events {
  return [{ type: 'progress', text }];
}

/** The session's id lets you resume it or look it up. */
export function sessionNews(type: string, id: unknown): Events {
  const session = textFrom(id);
  return [
    { type: 'progress', text: `${type}: session ${session || 'unknown'}`, ...(session === '' ? {} : { session }) },
  ];
}

export function notice(text: string): Events {
  return [{ type: 'notice', text }];
}

export function toolStart(id: unknown, tool: unknown, input: unknown): Events {
  const name = textFrom(tool, 'tool');
  return [{ type: 'tool-start', id: textFrom(id), name, input: inputSummary(name, input) }];
}

export function toolEnd(id: unknown, output: string, isError: boolean): Events {
  return [{ type: 'tool-end', id: textFrom(id), output, isError }];
}

export function faultEvents(fault: Fault | null): Events {
  return fault === null ? [] : [{ type: 'fault', fault }];
}

export function failedRun(message: string, fault: Fault | null, usage: object = {}): Events {
  return [
    ...faultEvents(fault),
    { type: 'result', isError: true, text: message, reason: shortened(message), ...usage },
  ];
}

/**
 * Shows each line of stderr. A line that matches the pattern means that the agent has no valid key; the pattern's first
 * group, or else the line, is the reason.
 */
export function refusedKey(pattern: RegExp): (line: string) => Events {
  return (line) => {
    const found = pattern.exec(line);
    const reason = shortened(found?.[1] ?? line);
    return [{ type: 'stderr', text: line }, ...faultEvents(found === null ? null : { kind: 'auth', reason })];
  };
}

/** For agents whose input tokens leave out cached ones: adds the tokens read from and written to the cache. */
export function withCache(usage: CallUsage): CallUsage {
  const { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  if (inputTokens === undefined) return usage;
  return { ...usage, inputTokens: inputTokens + cacheReadTokens + cacheWriteTokens };
}

/** Lets the cost be watched during the run; no event if the call reported no figures. */
export function usageEvents(id: unknown, usage: CallUsage): Events {
  const { model: _, ...told } = usage;
  return Object.keys(told).length === 0 ? [] : [{ type: 'usage', id: String(id), ...usage }];
}

/** Keeps a run's last words and sums up the figures of its calls. What is never reported stays unknown. */
export function runAccount() {
  const calls: CallUsage[] = [];
  let lastWords = '';
  const sum = (): CallUsage => sumOf(calls);
  return {
    sum,
    said(...texts: readonly string[]): Events {
      if (texts.length > 0) lastWords = texts.join('\n');
      return texts.map((text) => ({ type: 'text', text }));
    },
    used(id: unknown, usage: CallUsage): Events {
      calls.push(usage);
      return usageEvents(id, usage);
    },
    result: (more: Partial<AgentResult> = {}): Events => [
      { type: 'result', isError: false, text: lastWords, ...sum(), ...more },
    ],
  };
}

type Fields = readonly (readonly [field: string, chars: number])[];

const FILE: Fields = ['file_path', 'path', 'filePath', 'absolute_path'].map((field) => [field, 80]);
const COMMAND: Fields = ['command', 'cmd', 'description'].map((field) => [field, 60]);
const PATTERN: Fields = ['pattern', 'filePattern'].map((field) => [field, 40]);
const QUERY: Fields = ['query', 'objective', 'pattern'].map((field) => [field, 50]);

/** Agents use different names and fields for the same tools. */
const FIELDS = new Map<string, Fields>([
  ...named(FILE, 'Read', 'read', 'read_file', 'view', 'look_at', 'ls', 'list_directory'),
  ...named(FILE, 'Write', 'write', 'write_file', 'create', 'create_file'),
  ...named(FILE, 'Edit', 'edit', 'edit_file', 'replace', 'undo_edit'),
  ...named(COMMAND, 'Bash', 'bash', 'run_shell_command', 'run_command', 'powershell'),
  ...named(PATTERN, 'Glob', 'glob', 'Grep', 'grep', 'grep_search', 'search_file_content', 'find'),
  ...named([['description', 40]], 'Task', 'task', 'agent'),
  ...named([['url', 50]], 'WebFetch', 'webfetch', 'web_fetch', 'read_web_page'),
  ...named(QUERY, 'WebSearch', 'websearch', 'web_search', 'google_web_search', 'search'),
]);

function named(fields: Fields, ...tools: readonly string[]): readonly (readonly [string, Fields])[] {
  return tools.map((tool) => [tool, fields]);
}

/** A tool's main argument, in one short line. */
export function inputSummary(tool: string, input: unknown): string {
  for (const [field, chars] of FIELDS.get(tool) ?? []) {
    const value = textFrom(objectFrom(input)[field]);
    if (value !== '') return value.length > chars ? `${value.slice(0, chars - 3)}...` : value;
  }
  return '';
}
