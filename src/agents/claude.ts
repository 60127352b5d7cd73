/** Claude Code: `claude -p`, with its stream-json output read line by line. */
import type { AgentEvent, TodoItem } from '../core/events.ts';
import { type AgentAdapter, type AgentCall, type AgentParser, LONGEST_ARGUMENT } from './adapter.ts';
import { inputSummary } from './input-summary.ts';
import { plainParser } from './plain.ts';

export const claude: AgentAdapter = {
  name: 'claude',
  install: 'npm install -g @anthropic-ai/claude-code',
  commandLine: ({ command, flags, prompt, mode }: AgentCall) => {
    const wanted = mode === 'stream' ? ['--output-format', 'stream-json', '--verbose'] : ['--output-format', 'text'];
    // A prompt that looks like a flag, or is too long for an argument, goes in by stdin.
    const promptOnStdin = prompt.startsWith('-') || Buffer.byteLength(prompt) > LONGEST_ARGUMENT;
    return {
      argv: [command, '-p', ...unlessGiven(wanted, flags), ...flags, ...(promptOnStdin ? [] : [prompt])],
      promptOnStdin,
    };
  },
  parser: ({ mode, flags }) => (mode === 'stream' && streams(flags) ? claudeParser() : plainParser()),
};

/** The user's own flags may ask for another format than ours. */
function streams(flags: readonly string[]): boolean {
  const format = flags.findLast(
    (flag, index) => flags[index - 1] === '--output-format' || flag.startsWith('--output-format='),
  );
  return format === undefined || format.endsWith('stream-json');
}

export function claudeParser(): AgentParser {
  return { hasStructure: true, parse: parseLine };
}

/** Keeps an option with its value out when the user's flags already hold that option. */
function unlessGiven(wanted: readonly string[], given: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i < wanted.length; i++) {
    const option = wanted[i] ?? '';
    const hasValue = wanted[i + 1]?.startsWith('--') === false;
    const isGiven = given.some((flag) => flag === option || flag.startsWith(`${option}=`));
    if (!isGiven) kept.push(option, ...(hasValue ? [wanted[i + 1] ?? ''] : []));
    if (hasValue) i++;
  }
  return kept;
}

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

function parseLine(bytes: Buffer): readonly AgentEvent[] {
  const raw = bytes.toString('utf8');
  if (raw.trim() === '') return [];
  const line = parseObject(raw);
  if (line === null) return [{ type: 'unknown', raw }];
  switch (line.type) {
    case 'assistant':
      return blocksOf(line).flatMap(assistantBlock);
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
  return Array.isArray(content)
    ? (content as ClaudeBlock[]).filter((block) => block !== null && typeof block === 'object')
    : [];
}

function assistantBlock(block: ClaudeBlock): readonly AgentEvent[] {
  if (block.type === 'text' && typeof block.text === 'string') return [{ type: 'text', text: block.text }];
  if (block.type !== 'tool_use') return [];
  const name = textFrom(block.name, 'tool');
  const todos = name === 'TodoWrite' ? todosOf(block.input) : null;
  if (todos !== null) return [{ type: 'todo', items: todos }];
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
  return (todos as { content?: unknown; subject?: unknown; status?: unknown }[]).map((todo) => ({
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
