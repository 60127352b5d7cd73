/** Claude Code's stream-json output, line by line. Amp and Qwen Code speak the same. */
import type { AgentEvent, TodoItem } from '../../core/events.ts';
import type { Fault } from '../../core/outcome.ts';
import type { Instant } from '../../core/time.ts';
import type { AgentParser } from '../profile.ts';
import { faultOfRefusal, shortened } from '../reading/faults.ts';
import { figures, type JsonObject, numberFrom, objectFrom, objectsFrom, textFrom } from '../reading/json-line.ts';
import { byLine, type Events, faultEvents, notice, progress, toolStart } from '../reading/stream-events.ts';
import { type Usage, usageEvents, usageSum, withCache } from '../reading/usage-sum.ts';
import { isNotLoggedIn } from './text.ts';

export function claudeParser(): AgentParser {
  return streamJsonParser({ usageInMessages: false, countsCacheApart: true });
}

/** Where those who speak the same differ from Claude Code. */
export interface Dialect {
  /** Each message tells its own figures, and the closing account may have none. */
  readonly usageInMessages: boolean;
  /** What was read from a cache, or written to it, is not among the input tokens. */
  readonly countsCacheApart: boolean;
}

/** So many of its last texts are compared with the final result. */
const TEXTS_KEPT = 20;

export function streamJsonParser({ usageInMessages, countsCacheApart }: Dialect): AgentParser {
  const usage = usageSum();
  const usageOf = (told: unknown): Usage => (countsCacheApart ? withCache(figuresOf(told)) : figuresOf(told));
  /** The agent's own last words. */
  let said: string[] = [];
  /** The task list is shown by itself; that it was written is no news. */
  const todoCalls = new Set<string>();
  const isNews = (event: AgentEvent): boolean => event.type !== 'tool-end' || !todoCalls.delete(event.id);
  /** When the limit that was last refused for is lifted. */
  let resetAt: Instant | null = null;

  /** A message comes in several lines, one per block, each with the same id and figures. */
  const callEvents = (message: JsonObject): Events => {
    const told = usageOf(message.usage);
    if (usageInMessages) usage.add(told);
    return usageEvents(message.id, told);
  };
  const wordEvents = (line: JsonObject): Events =>
    objectsFrom(objectFrom(line.message).content)
      .flatMap((block) => assistantBlock(block, todoCalls))
      .map((event) => (isOfSubagent(line) ? ofSubagent(event) : event))
      .map((event) => {
        if (event.type === 'text') said = [...said.slice(1 - TEXTS_KEPT), event.text];
        return event;
      });
  const parseLine = byLine((line, raw) => {
    switch (line.type) {
      case 'assistant':
        // Claude Code's own words about a failed call, not the model's; the final result tells them again.
        if (line.is_api_error_message === true) return [];
        return [...callEvents(objectFrom(line.message)), ...wordEvents(line)];
      case 'user':
        return objectsFrom(objectFrom(line.message).content).flatMap(userBlock);
      case 'result':
        return resultEvents(line, resetAt, { said, usage: { ...usage.sum(), ...usageOf(line.usage) } });
      case 'rate_limit_event':
        resetAt = refusedUntil(objectFrom(line.rate_limit_info)) ?? resetAt;
        return [];
      case 'system':
        return systemEvents(line);
      case 'stream_event':
        // A piece of what comes whole.
        return [progress('stream_event')];
      default:
        return [{ type: 'unknown', raw }];
    }
  });
  return { hasStructure: true, parse: (line) => parseLine(line).filter(isNews) };
}

function systemEvents(line: JsonObject): Events {
  switch (line.subtype) {
    case 'api_retry':
      return [notice(retryText(line)), ...retryFault(line)];
    case 'task_notification':
      // `claude -p` ends what still runs in the background when its ceiling is reached, and exits with 0.
      if (line.status === 'completed') return [progress('task_notification')];
      return [notice(`Background work ${textFrom(line.status)}: ${shortened(textFrom(line.summary))}`)];
    default:
      return [progress(progressText(textFrom(line.subtype, 'system'), line))];
  }
}

/** The session's id is what one resumes or looks up. */
function progressText(subtype: string, line: JsonObject): string {
  const session = textFrom(line.session_id);
  return (subtype === 'init' || subtype === 'system') && session !== '' ? `${subtype}: session ${session}` : subtype;
}

function isOfSubagent(line: JsonObject): boolean {
  return typeof line.parent_tool_use_id === 'string';
}

/** A subagent's words are for the agent that called it: they complete nothing. */
function ofSubagent(event: AgentEvent): AgentEvent {
  return event.type === 'text' ? progress(`subagent: ${shortened(event.text)}`) : event;
}

function retryText(line: JsonObject): string {
  const most = numberFrom(line.max_retries);
  const count = `${numberFrom(line.attempt) ?? '?'}${most === undefined ? '' : `/${most}`}`;
  const why = [numberFrom(line.error_status), textFrom(line.error)].filter(Boolean).join(' ');
  const delay = numberFrom(line.retry_delay_ms);
  return `API retry ${count}: ${why}${delay === undefined ? '' : `, in ${(delay / 1000).toFixed(1)} s`}`;
}

/** A first refused key may be a token that has just run out and is renewed; Claude repeats the others for minutes. */
function retryFault(line: JsonObject): Events {
  const message = `${textFrom(line.error).replaceAll('_', ' ')} (HTTP ${numberFrom(line.error_status)})`;
  const fault = faultOfRefusal({ status: numberFrom(line.error_status), message });
  if (fault === null) return [];
  return [{ type: 'fault', fault, isHopeless: fault.kind === 'auth' && (numberFrom(line.attempt) ?? 0) > 1 }];
}

function refusedUntil(info: JsonObject): Instant | null {
  const seconds = numberFrom(info.resetsAt);
  return info.status === 'rejected' && seconds !== undefined ? seconds * 1000 : null;
}

function assistantBlock(block: JsonObject, todoCalls: Set<string>): Events {
  if (block.type === 'text' && typeof block.text === 'string') return [{ type: 'text', text: block.text }];
  if (block.type !== 'tool_use') return [];
  const name = textFrom(block.name, 'tool');
  const todos = TODO_TOOLS.has(name) ? todosOf(block.input) : null;
  if (todos !== null) {
    todoCalls.add(textFrom(block.id));
    return [{ type: 'todo', items: todos }];
  }
  return [toolStart(block.id, name, block.input)];
}

const TODO_TOOLS = new Set(['TodoWrite', 'todo_write']);

function userBlock(block: JsonObject): Events {
  if (block.type !== 'tool_result') return [];
  return [
    {
      type: 'tool-end',
      id: textFrom(block.tool_use_id),
      output: textOf(block.content),
      isError: block.is_error === true,
    },
  ];
}

/** A tool's result is a string or a list of blocks. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return objectsFrom(content)
    .map((block) => textFrom(block.text))
    .join('\n');
}

function todosOf(input: unknown): TodoItem[] | null {
  const { todos } = objectFrom(input);
  if (!Array.isArray(todos)) return null;
  return objectsFrom(todos).map((todo) => ({
    text: textFrom(todo.content ?? todo.subject),
    status: todo.status === 'completed' ? 'completed' : todo.status === 'in_progress' ? 'active' : 'pending',
  }));
}

function resultEvents(
  line: JsonObject,
  resetAt: Instant | null,
  before: { readonly said: readonly string[]; readonly usage: Usage },
): Events {
  const fault = faultOf(line, resetAt);
  const account = accountOf(line, before.usage);
  return [
    ...(account.isError ? [] : unheardWords(account.text, before.said)),
    ...denialsOf(line),
    ...faultEvents(fault),
    account,
  ];
}

/** The final result repeats the last words; where no message held them they are told here alone. */
function unheardWords(text: string, said: readonly string[]): Events {
  const words = text.trim();
  const wasHeard =
    words === '' || [said.join(''), said.join('\n'), said.join('\n\n')].some((all) => all.includes(words));
  return wasHeard ? [] : [{ type: 'text', text }];
}

function faultOf(line: JsonObject, resetAt: Instant | null): Fault | null {
  if (line.is_error !== true) return null;
  const words = textFrom(line.result);
  if (line.terminal_reason === 'api_error' && isNotLoggedIn(words)) return { kind: 'auth', reason: shortened(words) };
  return faultOfRefusal({ status: numberFrom(line.api_error_status), message: words, resetAt });
}

/** A refused tool fails nothing by itself, but a person will want to know why so little was done. */
function denialsOf(line: JsonObject): Events {
  const denials: readonly unknown[] = Array.isArray(line.permission_denials) ? line.permission_denials : [];
  const tools = denials.map((denial) => textFrom(objectFrom(denial).tool_name, textFrom(denial, 'tool')));
  if (tools.length === 0) return [];
  const text = `Permission refused for ${tools.length} tool call${tools.length === 1 ? '' : 's'} (${[...new Set(tools)].join(', ')}): allow them in agent.flags, or what the guard of stories blocked in ralph/allowed-commands.txt`;
  return [notice(text)];
}

function accountOf(line: JsonObject, usage: Usage): Extract<AgentEvent, { type: 'result' }> {
  const reason = failureOf(line);
  return {
    type: 'result',
    isError: line.is_error === true || reason !== null,
    text: textFrom(line.result),
    ...(reason === null ? {} : { reason }),
    ...figures({ costUsd: line.total_cost_usd, durationMs: line.duration_ms }),
    ...usage,
  };
}

function figuresOf(usage: unknown): Usage {
  const told = objectFrom(usage);
  return figures({
    inputTokens: told.input_tokens,
    outputTokens: told.output_tokens,
    cacheReadTokens: told.cache_read_input_tokens,
    cacheWriteTokens: told.cache_creation_input_tokens,
  });
}

/** `subtype` alone does not tell: an API error is called "success", a run that a hook stopped too. */
function failureOf(line: JsonObject): string | null {
  if (line.terminal_reason === 'hook_stopped') return 'a hook stopped it';
  const subtype = textFrom(line.subtype);
  if (subtype === 'error_max_turns') return 'it reached its own limit of turns';
  if (subtype.startsWith('error')) return shortened(errorOf(line)) || subtype.replaceAll('_', ' ');
  const words = shortened(textFrom(line.result));
  return line.is_error === true && words !== '' ? `it reported an error: ${words}` : null;
}

/** Amp's is a sentence, Qwen's an object with one. */
function errorOf({ error }: JsonObject): string {
  return textFrom(error, textFrom(objectFrom(error).message));
}
