/** Claude Code's stream-json output, line by line. Nothing in it is trusted: what has another form than expected is passed over. */
import type { AgentEvent, TodoItem } from '../core/events.ts';
import type { AgentParser } from './adapter.ts';
import { inputSummary } from './input-summary.ts';

interface ClaudeLine {
  readonly type?: string;
  readonly subtype?: string;
  readonly isSynthetic?: boolean;
  readonly message?: { readonly content?: unknown };
  readonly result?: unknown;
  readonly is_error?: boolean;
  readonly total_cost_usd?: number;
  readonly duration_ms?: number;
  readonly usage?: Readonly<Record<string, unknown>>;
  readonly attempt?: number;
  readonly error?: unknown;
}

interface ClaudeBlock {
  readonly type?: string;
  readonly text?: unknown;
  readonly id?: unknown;
  readonly name?: unknown;
  readonly input?: unknown;
  readonly tool_use_id?: unknown;
  readonly content?: unknown;
  readonly is_error?: unknown;
}

export function claudeParser(): AgentParser {
  /** The task list is shown by itself; that it was written is no news. */
  const todoCalls = new Set<string>();
  const isNews = (event: AgentEvent): boolean => event.type !== 'tool-end' || !todoCalls.delete(event.id);
  return { hasStructure: true, parse: (line) => parseLine(line, todoCalls).filter(isNews) };
}

function parseLine(raw: string, todoCalls: Set<string>): readonly AgentEvent[] {
  if (raw.trim() === '') return [];
  const line = parseObject(raw);
  if (line === null) return [{ type: 'unknown', raw }];
  switch (line.type) {
    case 'assistant':
      return blocksOf(line).flatMap((block) => assistantBlock(block, todoCalls));
    case 'user':
      return blocksOf(line).flatMap(userBlock);
    case 'result':
      return [resultOf(line)];
    case 'system':
      if (line.subtype === 'api_retry')
        return [{ type: 'progress', text: `API retry ${line.attempt ?? '?'}: ${textFrom(line.error)}` }];
      return [{ type: 'progress', text: line.subtype ?? 'system' }];
    default:
      return [{ type: 'unknown', raw }];
  }
}

function parseObject(raw: string): ClaudeLine | null {
  if (!raw.startsWith('{')) return null;
  try {
    return JSON.parse(raw) as ClaudeLine;
  } catch {
    // Half a line, or a program's own text: the caller keeps it as it came.
    return null;
  }
}

function blocksOf(line: ClaudeLine): ClaudeBlock[] {
  const content = line.message?.content;
  return Array.isArray(content) ? content.filter(isObject) : [];
}

function assistantBlock(block: ClaudeBlock, todoCalls: Set<string>): readonly AgentEvent[] {
  if (block.type === 'text' && typeof block.text === 'string') return [{ type: 'text', text: block.text }];
  if (block.type !== 'tool_use') return [];
  const name = textFrom(block.name, 'tool');
  const todos = name === 'TodoWrite' ? todosOf(block.input) : null;
  if (todos !== null) {
    todoCalls.add(textFrom(block.id));
    return [{ type: 'todo', items: todos }];
  }
  return [{ type: 'tool-start', id: textFrom(block.id), name, input: inputSummary(name, block.input) }];
}

function userBlock(block: ClaudeBlock): readonly AgentEvent[] {
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
  if (!Array.isArray(content)) return '';
  return (content as ClaudeBlock[]).map((block) => (typeof block?.text === 'string' ? block.text : '')).join('\n');
}

function todosOf(input: unknown): TodoItem[] | null {
  const todos = (input as { todos?: unknown } | null)?.todos;
  if (!Array.isArray(todos)) return null;
  return todos.filter(isObject).map((todo) => ({
    text: textFrom(todo.content ?? todo.subject),
    status: todo.status === 'completed' ? 'completed' : todo.status === 'in_progress' ? 'active' : 'pending',
  }));
}

function resultOf(line: ClaudeLine): AgentEvent {
  const usage = line.usage ?? {};
  const figures = {
    costUsd: line.total_cost_usd,
    durationMs: line.duration_ms,
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cacheReadTokens: usage.cache_read_input_tokens,
    cacheWriteTokens: usage.cache_creation_input_tokens,
  };
  const known = Object.entries(figures).filter(([, value]) => typeof value === 'number');
  const text = typeof line.result === 'string' ? line.result : '';
  return {
    type: 'result',
    isError: line.is_error === true,
    text,
    ...(Object.fromEntries(known) as Record<string, number>),
  };
}

/** Text where text belongs; whatever else a stream holds there is not shown. */
function textFrom(value: unknown, otherwise = ''): string {
  return typeof value === 'string' ? value : otherwise;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object';
}
