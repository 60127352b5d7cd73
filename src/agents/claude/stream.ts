/** Parses Claude Code's output: stream-json lines, which Amp and Qwen Code also print, or an answer in plain text. */

import type { QuotaWindow } from '../../core/budget/quota.ts';
import { plural } from '../../core/budget/usage.ts';
import type { AgentEvent, AgentResult, CallUsage, TodoItem } from '../../core/events.ts';
import type { Fault } from '../../core/outcome.ts';
import type { Instant } from '../../core/time.ts';
import { plainParser } from '../plain/profile.ts';
import type { AgentParser } from '../profile.ts';
import { faultOfRefusal, resetTimeIn, shortened } from '../reading/faults.ts';
import {
  figures,
  type JsonObject,
  modelFrom,
  numberFrom,
  objectFrom,
  objectsFrom,
  textFrom,
} from '../reading/json-line.ts';
import * as stream from '../reading/stream-events.ts';

export function claudeParser(): AgentParser {
  return streamJsonParser({ usageInMessages: false, countsCacheApart: true });
}

/** How other agents with this format differ from Claude Code. */
export interface Dialect {
  /** Each message has its own figures, and the final account may have none. */
  readonly usageInMessages: boolean;
  /** Tokens read from or written to a cache are not included in the input tokens. */
  readonly countsCacheApart: boolean;
}

/** How many of its last texts are compared with the final result. */
const TEXTS_KEPT = 20;

export function streamJsonParser({ usageInMessages, countsCacheApart }: Dialect): AgentParser {
  const run = stream.runAccount();
  const usageOf = (told: unknown): CallUsage =>
    countsCacheApart ? stream.withCache(figuresOf(told)) : figuresOf(told);
  let said: string[] = [];
  /** The task list itself is shown, so the result of the call that wrote it is not. */
  const todoCalls = new Set<string>();
  const isNews = (event: AgentEvent): boolean => event.type !== 'tool-end' || !todoCalls.delete(event.id);
  /** The model that its own words last came from. */
  let model: { model?: string } = {};
  /** When the limit of the last refusal is lifted. */
  let resetAt: Instant | null = null;

  /** A message spans several lines, one per block, each with the same id and figures. */
  const callEvents = (message: JsonObject): stream.Events => {
    const told = { ...modelFrom(message.model), ...usageOf(message.usage) };
    return usageInMessages ? run.used(message.id, told) : stream.usageEvents(message.id, told);
  };
  const wordEvents = (block: JsonObject, isOfSubagent: boolean): stream.Events => {
    if (block.type === 'tool_use') return callOf(block, todoCalls);
    if (block.type !== 'text' || typeof block.text !== 'string') return [];
    // A subagent's words are for the agent that called it: they complete nothing.
    if (isOfSubagent) return stream.progress(`subagent: ${shortened(block.text)}`);
    said = [...said.slice(1 - TEXTS_KEPT), block.text];
    return [{ type: 'text', text: block.text }];
  };
  const parse = stream.byLine(
    stream.byType({
      assistant(line) {
        // Claude Code's own text about a failed call, not the model's; the final result repeats it.
        if (line.is_api_error_message === true) return [];
        const message = objectFrom(line.message);
        const isOfSubagent = typeof line.parent_tool_use_id === 'string';
        const words = objectsFrom(message.content).flatMap((block) => wordEvents(block, isOfSubagent));
        if (!isOfSubagent) model = { ...model, ...modelFrom(message.model) };
        return [...callEvents(message), ...words];
      },
      user: ({ message }) => objectsFrom(objectFrom(message).content).flatMap(resultOfCall),
      result(line) {
        const account = accountOf(line, { ...model, ...run.sum(), ...usageOf(line.usage) });
        const words = account.isError ? [] : unheardWords(account.text, said);
        return [
          ...words,
          ...denialsOf(line),
          ...stream.faultEvents(faultOf(line, resetAt)),
          { type: 'result', ...account },
        ];
      },
      rate_limit_event({ rate_limit_info: info }) {
        resetAt = refusedUntil(objectFrom(info)) ?? resetAt;
        const windows = windowsIn(objectFrom(info));
        return windows.length === 0 ? [] : [{ type: 'quota', windows }];
      },
      system: systemEvents,
      // A fragment of a message that arrives in full later.
      stream_event: () => stream.progress('stream_event'),
    }),
  );
  return { hasStructure: true, parse: (line) => parse(line).filter(isNews) };
}

function systemEvents(line: JsonObject): stream.Events {
  switch (line.subtype) {
    case 'api_retry':
      return [...stream.notice(retryText(line)), ...retryFault(line)];
    case 'task_notification':
      // `claude -p` ends background work that exceeds its limit, and exits with 0.
      if (line.status === 'completed') return stream.progress('task_notification');
      return stream.notice(`Background work ${textFrom(line.status)}: ${shortened(textFrom(line.summary))}`);
    default:
      return stream.progress(progressText(textFrom(line.subtype, 'system'), line));
  }
}

function progressText(subtype: string, line: JsonObject): string {
  const session = textFrom(line.session_id);
  return (subtype === 'init' || subtype === 'system') && session !== '' ? `${subtype}: session ${session}` : subtype;
}

function retryText(line: JsonObject): string {
  const most = numberFrom(line.max_retries);
  const count = `${numberFrom(line.attempt) ?? '?'}${most === undefined ? '' : `/${most}`}`;
  const why = [numberFrom(line.error_status), textFrom(line.error)].filter(Boolean).join(' ');
  const delay = numberFrom(line.retry_delay_ms);
  return `API retry ${count}: ${why}${delay === undefined ? '' : `, in ${(delay / 1000).toFixed(1)} s`}`;
}

/** The first refusal may be due to an expired token, which is then renewed; Claude would retry others for minutes. */
function retryFault(line: JsonObject): stream.Events {
  const status = numberFrom(line.error_status);
  const fault = faultOfRefusal({ status, message: `${textFrom(line.error).replaceAll('_', ' ')} (HTTP ${status})` });
  if (fault === null) return [];
  return [{ type: 'fault', fault, isHopeless: fault.kind === 'auth' && (numberFrom(line.attempt) ?? 0) > 1 }];
}

function refusedUntil(info: JsonObject): Instant | null {
  const seconds = numberFrom(info.resetsAt);
  return info.status === 'rejected' && seconds !== undefined ? seconds * 1000 : null;
}

/** Newer releases report all windows, older ones only the one that runs out next. */
function windowsIn({ unifiedWindows, rateLimitType, utilization, resetsAt }: JsonObject): QuotaWindow[] {
  const all = Object.entries(objectFrom(unifiedWindows)).map(([name, told]) => ({ ...objectFrom(told), name }));
  const told: readonly JsonObject[] = all.length > 0 ? all : [{ name: rateLimitType, utilization, resetsAt }];
  return told.flatMap((window) => {
    const [used, seconds] = [numberFrom(window.utilization), numberFrom(window.resetsAt)];
    const name = textFrom(window.name);
    if (used === undefined || used < 0 || !/^[a-z][a-z0-9_]{0,39}$/.test(name)) return [];
    return [{ name, used, resetsAt: seconds === undefined ? null : seconds * 1000 }];
  });
}

const TODO_TOOLS = new Set(['TodoWrite', 'todo_write']);

function callOf({ id, name, input }: JsonObject, todoCalls: Set<string>): stream.Events {
  const { todos } = objectFrom(input);
  if (!TODO_TOOLS.has(textFrom(name)) || !Array.isArray(todos)) return stream.toolStart(id, name, input);
  todoCalls.add(textFrom(id));
  return [{ type: 'todo', items: objectsFrom(todos).map(todoItem) }];
}

function todoItem({ content, subject, status }: JsonObject): TodoItem {
  const done = status === 'completed' ? 'completed' : 'pending';
  return { text: textFrom(content ?? subject), status: status === 'in_progress' ? 'active' : done };
}

function resultOfCall({ type, tool_use_id: id, content, is_error: isError }: JsonObject): stream.Events {
  if (type !== 'tool_result') return [];
  const texts = objectsFrom(content).map(({ text }) => textFrom(text));
  return stream.toolEnd(id, textFrom(content, texts.join('\n')), isError === true);
}

/** The final result repeats the last words; if no message had them, they are only in the result. */
function unheardWords(text: string, said: readonly string[]): stream.Events {
  const words = text.trim();
  // Texts are joined only if the words could begin in one and continue in the next.
  const isInSeveral = (): boolean =>
    said.some((one) => endsWithBeginning(one, words)) &&
    ['', '\n', '\n\n'].some((between) => said.join(between).includes(words));
  const wasHeard = words === '' || said.some((one) => one.includes(words)) || isInSeveral();
  return wasHeard ? [] : [{ type: 'text', text }];
}

/** Whether the text ends with the words, or with as much of their beginning as fits. */
function endsWithBeginning(text: string, words: string): boolean {
  const [first = ''] = words;
  let at = text.indexOf(first, Math.max(0, text.length - words.length));
  while (at >= 0 && !words.startsWith(text.slice(at))) at = text.indexOf(first, at + 1);
  return at >= 0;
}

function faultOf(line: JsonObject, resetAt: Instant | null): Fault | null {
  if (line.is_error !== true) return null;
  const words = textFrom(line.result);
  if (line.terminal_reason === 'api_error' && isNotLoggedIn(words)) return { kind: 'auth', reason: shortened(words) };
  return faultOfRefusal({ status: numberFrom(line.api_error_status), message: words, resetAt });
}

/** A refused tool is not a failure, but it explains why little was done. */
function denialsOf(line: JsonObject): stream.Events {
  const denials: readonly unknown[] = Array.isArray(line.permission_denials) ? line.permission_denials : [];
  const tools = denials.map((denial) => textFrom(objectFrom(denial).tool_name, textFrom(denial, 'tool')));
  if (tools.length === 0) return [];
  const text = `Permission refused for ${plural(tools.length, 'tool call')} (${[...new Set(tools)].join(', ')})`;
  return [{ type: 'notice', text, about: 'permissions' }];
}

/** The subtype of a result when `--max-budget-usd` is used up. */
const OUT_OF_BUDGET = 'error_max_budget_usd';

function accountOf(line: JsonObject, usage: CallUsage): AgentResult {
  const reason = failureOf(line);
  return {
    isError: line.is_error === true || reason !== null,
    text: textFrom(line.result),
    ...(reason === null ? {} : { reason }),
    ...(line.subtype === OUT_OF_BUDGET ? { isOutOfBudget: true } : {}),
    ...figures({ costUsd: line.total_cost_usd, durationMs: line.duration_ms }),
    ...usage,
  };
}

function figuresOf(usage: unknown): CallUsage {
  const told = objectFrom(usage);
  return figures({
    inputTokens: told.input_tokens,
    outputTokens: told.output_tokens,
    cacheReadTokens: told.cache_read_input_tokens,
    cacheWriteTokens: told.cache_creation_input_tokens,
  });
}

/** `subtype` is not enough: it is also "success" after an API error, or when a hook stopped the run. */
function failureOf({ terminal_reason: terminal, subtype: told, error, result, is_error: isError }: JsonObject) {
  if (terminal === 'hook_stopped') return 'a hook stopped it';
  const subtype = textFrom(told);
  if (subtype === 'error_max_turns') return 'it reached its own limit of turns';
  if (subtype === OUT_OF_BUDGET) return 'it used up the dollars that it was given';
  // Amp's is a string, Qwen's an object with a `message`.
  const why = shortened(textFrom(error, textFrom(objectFrom(error).message)));
  if (subtype.startsWith('error')) return why || subtype.replaceAll('_', ' ');
  const words = shortened(textFrom(result));
  return isError === true && words !== '' ? `it reported an error: ${words}` : null;
}

/** A plain-text answer may begin with the same words as a failure; they count only if the run has failed. */
export function claudeTextParser(now: () => Instant = Date.now): AgentParser {
  const { parse, ...plain } = plainParser();
  return { ...plain, parse: (line) => [...parse(line), ...stream.faultEvents(claudeFault(line.slice(0, 500), now()))] };
}

/** Claude Code's own messages, in either mode; they come without a status. */
function isNotLoggedIn(text: string): boolean {
  return /^(?:Not logged in|Invalid API key|Failed to authenticate)\b/.test(text);
}

export function claudeFault(line: string, now: Instant): Fault | null {
  const reason = shortened(line);
  if (/^You['’]ve hit your\b.*\blimit\b/.test(line)) return { kind: 'limit', reason, resetAt: resetTimeIn(line, now) };
  if (isNotLoggedIn(line)) return { kind: 'auth', reason };
  return faultOfRefusal({ status: /^API Error: (?:Request rejected \()?(\d{3})\b/.exec(line)?.[1], message: line });
}
