/** The JSON lines of `codex exec --json`. */
import type { AgentEvent } from '../../core/events.ts';
import type { AgentParser } from '../profile.ts';
import { shortened } from '../reading/api-fault.ts';
import {
  figures,
  type JsonObject,
  numberFrom,
  objectFrom,
  objectsFrom,
  parseObject,
  textFrom,
} from '../reading/json-line.ts';
import { codexFault } from './fault.ts';

export function codexParser(now: () => number = Date.now): AgentParser {
  let lastWords = '';
  /** A file change may be told only when it is over. */
  const started = new Set<string>();

  const itemEvents = (item: JsonObject, isStarted: boolean): readonly AgentEvent[] => {
    switch (item.type) {
      case 'agent_message':
        if (isStarted) return [];
        lastWords = textFrom(item.text);
        return [{ type: 'text', text: lastWords }];
      case 'todo_list':
        return [{ type: 'todo', items: objectsFrom(item.items).map(todo) }];
      case 'reasoning':
        return isStarted ? [] : [{ type: 'progress', text: textFrom(item.text) }];
      case 'error':
        // Also in good runs, for example when a model has no metadata: no failure.
        return [{ type: 'notice', text: shortened(textFrom(item.message)) }];
      default:
        return toolEvents(item, isStarted, started);
    }
  };

  return {
    hasStructure: true,
    parseStderr: (line) => (/^Reading .* from stdin/.test(line) ? [] : [{ type: 'stderr', text: line }]),
    parse(raw) {
      if (raw.trim() === '') return [];
      const line = parseObject(raw);
      switch (line?.type) {
        case 'item.started':
          return itemEvents(objectFrom(line.item), true);
        case 'item.completed':
          return itemEvents(objectFrom(line.item), false);
        case 'item.updated':
          return [];
        case 'turn.completed':
          return [{ type: 'result', isError: false, text: lastWords, ...usageOf(objectFrom(line.usage)) }];
        case 'turn.failed':
          return failure(textFrom(objectFrom(line.error).message), now);
        case 'error':
          return retryNotice(textFrom(line.message));
        case 'thread.started':
          return [{ type: 'progress', text: `${line.type}: session ${textFrom(line.thread_id, 'unknown')}` }];
        case 'turn.started':
          return [{ type: 'progress', text: line.type }];
        default:
          return [{ type: 'unknown', raw }];
      }
    },
  };
}

/** The other errors of this kind are told again when the turn has failed. */
function retryNotice(message: string): readonly AgentEvent[] {
  return message.startsWith('Reconnecting') ? [{ type: 'notice', text: shortened(message) }] : [];
}

function failure(message: string, now: () => number): readonly AgentEvent[] {
  const fault = codexFault(message, now());
  const account = { type: 'result', isError: true, text: message, reason: shortened(message) } as const;
  return fault === null ? [account] : [{ type: 'fault', fault }, account];
}

function toolEvents(item: JsonObject, isStarted: boolean, started: Set<string>): readonly AgentEvent[] {
  const id = textFrom(item.id);
  const tool = toolOf(item);
  if (tool === null) return [];
  const start = { type: 'tool-start', id, ...tool } as const;
  if (isStarted) {
    started.add(id);
    return [start];
  }
  const isError = item.status === 'failed' || (numberFrom(item.exit_code) ?? 0) !== 0;
  const end = { type: 'tool-end', id, output: outputOf(item), isError } as const;
  return started.delete(id) ? [end] : [start, end];
}

function toolOf(item: JsonObject): { name: string; input: string } | null {
  switch (item.type) {
    case 'command_execution':
      return { name: 'Bash', input: textFrom(item.command) };
    case 'file_change':
      return {
        name: 'Edit',
        input: objectsFrom(item.changes)
          .map((change) => textFrom(change.path))
          .join(', '),
      };
    case 'mcp_tool_call':
      return { name: [textFrom(item.server), textFrom(item.tool, 'tool')].filter(Boolean).join('.'), input: '' };
    case 'web_search':
      return { name: 'WebSearch', input: textFrom(item.query) };
    default:
      return null;
  }
}

function outputOf(item: JsonObject): string {
  return textFrom(item.aggregated_output, textFrom(objectFrom(item.error).message));
}

function todo(item: JsonObject): { text: string; status: 'completed' | 'pending' } {
  return { text: textFrom(item.text), status: item.completed === true ? 'completed' : 'pending' };
}

function usageOf(usage: JsonObject): object {
  return figures({
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cacheReadTokens: usage.cached_input_tokens,
    cacheWriteTokens: usage.cache_write_input_tokens,
  });
}
