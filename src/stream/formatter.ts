/** Shows agent events to a person: one block of text per event, tools matched with their results. */
import type { AgentEvent, AgentResult } from '../core/events.ts';
import { printable } from './printable.ts';

export interface FormatOptions {
  readonly emoji: boolean;
  readonly maxOutputLines: number;
  readonly maxOutputChars: number;
}

export const DEFAULT_FORMAT: FormatOptions = { emoji: true, maxOutputLines: 3, maxOutputChars: 120 };

const EMOJI = { tool: '⏺', ok: '✅', error: '❌', output: '⎿', todo: '📋', active: '🔄', pending: '⏸️', progress: '📊' };
const TEXT = {
  tool: '>',
  ok: '[OK]',
  error: '[ERR]',
  output: '|',
  todo: '',
  active: '[>]',
  pending: '[ ]',
  progress: '',
};
const LONGEST_INPUT = 80;

/** Returns what to print for an event; an empty string for one that is not shown. */
export function eventFormatter(options: FormatOptions = DEFAULT_FORMAT): (event: AgentEvent) => string {
  const icon = options.emoji ? EMOJI : TEXT;
  const names = new Map<string, string>();
  let tools = 0;
  let errors = 0;

  const output = (text: string): string => {
    const lines = text.trimEnd().split('\n');
    const shown = lines.slice(0, options.maxOutputLines).map((line) => cut(line, options.maxOutputChars));
    const [first = '', ...rest] = shown;
    const more = lines.length - shown.length;
    return [
      `  ${icon.output}  ${first}`,
      ...rest.map((line) => `      ${line}`),
      ...(more > 0 ? [`  ${icon.output}  ... ${more} more lines`] : []),
    ].join('\n');
  };
  const toolEnd = (event: Extract<AgentEvent, { type: 'tool-end' }>): string => {
    const name = names.get(event.id) ?? 'tool';
    names.delete(event.id);
    if (event.isError) errors++;
    const text = printable(event.output);
    if (text.trim() === '' && !event.isError) return '';
    const head = event.isError ? `${icon.error} Error` : `${icon.ok} Result`;
    const lines = text.trimEnd().split('\n').length;
    return `${head} ← ${name} (${lines} lines, ${text.length} chars)\n${output(text)}\n`;
  };
  const todo = (event: Extract<AgentEvent, { type: 'todo' }>): string => {
    const done = event.items.filter((item) => item.status === 'completed').length;
    const items = event.items.map((item) => {
      const text = printable(item.text);
      if (item.status === 'active') return `  ${icon.active} ${text} ← ACTIVE`;
      return `  ${item.status === 'completed' ? icon.ok : icon.pending} ${text}`;
    });
    const share = Math.round((done / Math.max(event.items.length, 1)) * 100);
    const head = `${icon.todo} Todo List`.trim();
    const foot = `  ${`${icon.progress} Progress`.trim()}: ${done}/${event.items.length} (${share}%)`;
    return `\n${[head, ...items, foot].join('\n')}\n`;
  };

  return (event) => {
    switch (event.type) {
      case 'text':
        return `${printable(event.text).trimEnd()}\n`;
      case 'tool-start':
        tools++;
        names.set(event.id, printable(event.name));
        return `${icon.tool} ${printable(event.name)}(${cut(printable(event.input), LONGEST_INPUT)})\n`;
      case 'tool-end':
        return toolEnd(event);
      case 'todo':
        return todo(event);
      case 'result':
        return `${event.isError ? `${icon.error} Failed` : `${icon.ok} Complete`} (${account(event, tools, errors)})\n`;
      case 'unknown':
        // Structure that has no name here stays in the transcript; a program's plain words are shown.
        return event.raw.startsWith('{') ? '' : `${printable(event.raw)}\n`;
      case 'progress':
      case 'stderr':
        return '';
    }
  };
}

function account(result: AgentResult, tools: number, errors: number): string {
  const parts: string[] = [];
  if (result.costUsd !== undefined && result.costUsd > 0) parts.push(`cost: $${result.costUsd.toFixed(2)}`);
  if (result.inputTokens !== undefined && result.outputTokens !== undefined) {
    const cached = result.cacheReadTokens ? ` (${count(result.cacheReadTokens)} cached)` : '';
    parts.push(`tokens: ${count(result.inputTokens)} in${cached} / ${count(result.outputTokens)} out`);
  }
  parts.push(`tools: ${tools}`, `errors: ${errors}`);
  if (result.durationMs !== undefined) parts.push(`time: ${seconds(result.durationMs)}`);
  return parts.join(', ');
}

function count(tokens: number): string {
  if (tokens >= 1_000_000) return `${(tokens / 1_000_000).toFixed(1)}M`;
  if (tokens >= 1000) return `${Math.round(tokens / 1000)}K`;
  return String(tokens);
}

function seconds(ms: number): string {
  const total = Math.round(ms / 1000);
  const minutes = Math.floor(total / 60);
  if (minutes === 0) return `${total}s`;
  return total % 60 === 0 ? `${minutes}m` : `${minutes}m${total % 60}s`;
}

function cut(text: string, chars: number): string {
  const line = text.replaceAll('\n', ' ');
  return line.length > chars ? `${line.slice(0, chars - 3)}...` : line;
}
