/** Formats agent events for people: one block of text per event, tool calls matched with their results. */
import { styleText } from 'node:util';
import { costText, plural, shortCount } from '../core/budget/usage.ts';
import type { AgentEvent, AgentResult } from '../core/events.ts';
import { formatDuration } from '../core/text/duration.ts';
import type { Mask } from '../core/text/mask.ts';
import type { Duration } from '../core/time.ts';
import { printable } from './printable.ts';

export interface FormatOptions {
  /** Emoji, or plain text markers. */
  readonly emoji: boolean;
  readonly color: boolean;
  /** The clock for a `[HH:MM:SS]` before each line; null for none. */
  readonly clock: (() => Date) | null;
  readonly maxOutputLines: number;
  readonly maxOutputChars: number;
  /** How long the run has taken, for agents that do not say; null if it is not measured. */
  readonly elapsed: (() => Duration) | null;
  /** Masks keys before text is cut, so that no half of a key is shown. */
  readonly mask: Mask;
}

export const DEFAULT_FORMAT: FormatOptions = {
  emoji: true,
  color: false,
  clock: null,
  maxOutputLines: 3,
  maxOutputChars: 120,
  elapsed: null,
  mask: (text) => text,
};

/** As emoji and as plain text. */
const ICONS = {
  tool: ['⏺', '>'],
  ok: ['✅', '[OK]'],
  error: ['❌', '[ERR]'],
  output: ['⎿', '|'],
  todo: ['📋 ', ''],
  done: ['✅', '[x]'],
  active: ['🔄', '[>]'],
  pending: ['⏸️', '[ ]'],
  progress: ['📊 ', ''],
} as const;
/** We have decided about colour already; recent Node versions would check stdout themselves. */
const WHATEVER_THE_STREAM = { validateStream: false };

const LONGEST_INPUT = 80;

type Of<Type extends AgentEvent['type']> = Extract<AgentEvent, { type: Type }>;
type Format = (event: AgentEvent) => string | null;
type Style = 'cyan' | 'green' | 'red' | 'dim' | 'yellow';

/** Returns what to print for an event, without a line break at the end; null for an event that is not shown. */
export function eventFormatter(options: FormatOptions = DEFAULT_FORMAT): Format {
  const icon = (name: keyof typeof ICONS) => ICONS[name][options.emoji ? 0 : 1];
  const paint = (style: Style, text: string): string =>
    options.color ? styleText(style, text, WHATEVER_THE_STREAM) : text;
  const names = new Map<string, string>();
  let tools = 0;
  let errors = 0;

  const toolStart = (event: Of<'tool-start'>): string => {
    tools++;
    const name = printable(event.name);
    names.set(event.id, name);
    return `${paint('cyan', `${icon('tool')} ${name}`)}(${cut(options.mask(printable(event.input)), LONGEST_INPUT)})`;
  };
  const toolEnd = (event: Of<'tool-end'>): string => {
    const name = names.get(event.id) ?? 'tool';
    names.delete(event.id);
    if (event.isError) errors++;
    const text = event.output.trimEnd();
    if (text === '' && !event.isError) return '';
    const head = event.isError ? paint('red', `${icon('error')} Error`) : paint('green', `${icon('ok')} Result`);
    return `${head} ← ${name} ${outputLines(text, event.output.length)}`;
  };
  /** Called thousands of times per transcript: walks the text once, and splits or copies only what is shown. */
  const outputLines = (text: string, chars: number): string => {
    let shown = '';
    let lines = 0;
    for (let start = 0; start <= text.length; lines++) {
      const end = text.indexOf('\n', start);
      const stop = end < 0 ? text.length : end;
      if (lines < options.maxOutputLines) {
        const line = cut(options.mask(printable(text.slice(start, stop))), options.maxOutputChars);
        shown += `\n${paint('dim', lines === 0 ? `  ${icon('output')}  ${line}` : `      ${line}`)}`;
      }
      start = stop + 1;
    }
    const more = lines - options.maxOutputLines;
    if (more > 0)
      shown += `\n${paint('dim', `  ${icon('output')}  ... ${more} more ${more === 1 ? 'line' : 'lines'}`)}`;
    return `(${plural(lines, 'line')}, ${plural(chars, 'char')})${shown}`;
  };
  const todo = ({ items }: Of<'todo'>): string => {
    const done = items.filter((item) => item.status === 'completed').length;
    const share = Math.round((done / Math.max(items.length, 1)) * 100);
    const lines = items.map(({ status, text }) => {
      if (status === 'active') return paint('yellow', `  ${icon('active')} ${printable(text)} ← ACTIVE`);
      return `  ${status === 'completed' ? icon('done') : icon('pending')} ${printable(text)}`;
    });
    return [
      '',
      `${icon('todo')}Todo List`,
      ...lines,
      `  ${icon('progress')}Progress: ${done}/${items.length} (${share}%)`,
      '',
    ].join('\n');
  };
  const result = (event: Of<'result'>): string => {
    const head = event.isError ? paint('red', `${icon('error')} Failed`) : paint('green', `${icon('ok')} Complete`);
    return `${head} (${account(event, tools, errors, options.elapsed)})`;
  };
  const show = (event: AgentEvent): string => {
    switch (event.type) {
      case 'text':
        return printable(event.text).trimEnd();
      case 'tool-start':
        return toolStart(event);
      case 'tool-end':
        return toolEnd(event);
      case 'todo':
        return todo(event);
      case 'result':
        return result(event);
      case 'unknown':
        // Unknown JSON stays in the transcript; a program's plain text is shown.
        return event.raw.startsWith('{') ? '' : printable(event.raw);
      case 'progress':
      case 'usage':
      case 'quota':
      case 'notice':
      case 'refusal':
      case 'fault':
      case 'stderr':
        return '';
    }
  };

  return (event) => {
    const text = show(event);
    if (text === '' && event.type !== 'text') return null;
    return options.clock === null ? text : stamped(text, options.clock());
  };
}

function stamped(text: string, now: Date): string {
  const stamp = `[${now.toTimeString().slice(0, 8)}]`;
  return text.replaceAll(/^/gm, `${stamp} `);
}

/** What the agent did not report is left out: unknown is not zero. */
function account(result: AgentResult, tools: number, errors: number, elapsed: (() => Duration) | null): string {
  const parts: string[] = [];
  const { costUsd, costSource, inputTokens, outputTokens, cacheReadTokens } = result;
  const isEstimated = costSource === 'estimated';
  if (costUsd !== undefined && costUsd > 0) parts.push(`cost: ${costText(costUsd, { isEstimated })}`);
  if (inputTokens !== undefined && outputTokens !== undefined) {
    const cached = cacheReadTokens ? ` (${shortCount(cacheReadTokens)} cached)` : '';
    parts.push(`tokens: ${shortCount(inputTokens)} in${cached} / ${shortCount(outputTokens)} out`);
  } else if (costUsd === undefined) parts.push('cost: unknown');
  parts.push(`tools: ${tools}`, `errors: ${errors}`);
  const durationMs = result.durationMs ?? elapsed?.();
  if (durationMs !== undefined) parts.push(`time: ${formatDuration(Math.round(durationMs / 1000) * 1000)}`);
  return parts.join(', ');
}

function cut(text: string, chars: number): string {
  const line = text.replaceAll('\n', ' ');
  return line.length > chars ? cutWhole(line, chars) : line;
}

/** Cuts by code points, so that no character is cut in two. */
function cutWhole(line: string, chars: number): string {
  const characters = [...line];
  return characters.length > chars ? `${characters.slice(0, chars - 3).join('')}...` : line;
}

/** Holds back an agent's closing account until its exit is known: even if it says "complete", it may fail. */
export function holdResult(format: Format) {
  let held: Of<'result'> | null = null;
  return {
    format(event: AgentEvent): string | null {
      if (event.type !== 'result') return format(event);
      held = event;
      return null;
    },
    /** What to print of the account when the run has ended; null if there is none. */
    ended(hasWorked: boolean): string | null {
      const result = held;
      held = null;
      return result === null ? null : format(hasWorked ? result : { ...result, isError: true });
    },
  };
}
