/** The JSON lines of `codex exec --json`, and what its messages mean. */
import type { AgentEvent, AgentResult } from '../../core/events.ts';
import type { Fault } from '../../core/outcome.ts';
import type { Instant } from '../../core/time.ts';
import type { AgentParser } from '../profile.ts';
import { faultOfRefusal, shortened } from '../reading/faults.ts';
import { figures, type JsonObject, numberFrom, objectFrom, objectsFrom, textFrom } from '../reading/json-line.ts';
import { resetTimeIn } from '../reading/reset-time.ts';
import { byLine, type Events, failedRun, notice, progress, sessionNews } from '../reading/stream-events.ts';

export function codexParser(now: () => Instant = Date.now): AgentParser {
  let lastWords = '';
  /** A file change may be told only when it is over. */
  const started = new Set<string>();

  const itemEvents = (item: JsonObject, isStarted: boolean): Events => {
    switch (item.type) {
      case 'agent_message':
        if (isStarted) return [];
        lastWords = textFrom(item.text);
        return [{ type: 'text', text: lastWords }];
      case 'todo_list':
        return [{ type: 'todo', items: objectsFrom(item.items).map(todo) }];
      case 'reasoning':
        return isStarted ? [] : [progress(textFrom(item.text))];
      case 'error':
        // Also in good runs, for example when a model has no metadata: no failure.
        return [notice(shortened(textFrom(item.message)))];
      default:
        return toolEvents(item, isStarted, started);
    }
  };

  return {
    hasStructure: true,
    parseStderr: (line) => (/^Reading .* from stdin/.test(line) ? [] : [{ type: 'stderr', text: line }]),
    parse: byLine((line, raw) => {
      switch (line.type) {
        case 'item.started':
          return itemEvents(objectFrom(line.item), true);
        case 'item.completed':
          return itemEvents(objectFrom(line.item), false);
        case 'item.updated':
          return [];
        case 'turn.completed':
          return [{ type: 'result', isError: false, text: lastWords, ...usageOf(objectFrom(line.usage)) }];
        case 'turn.failed': {
          const message = textFrom(objectFrom(line.error).message);
          return failedRun(message, codexFault(message, now()));
        }
        case 'error': {
          // The other errors of this kind are told again when the turn has failed.
          const message = textFrom(line.message);
          return message.startsWith('Reconnecting') ? [notice(shortened(message))] : [];
        }
        case 'thread.started':
          return [sessionNews(line.type, line.thread_id)];
        case 'turn.started':
          return [progress(line.type)];
        default:
          return [{ type: 'unknown', raw }];
      }
    }),
  };
}

/** Codex tells statuses and limits in words only. */
export function codexFault(message: string, now: Instant): Fault | null {
  const reason = shortened(message);
  const resetAt = resetTimeIn(message, now);
  if (/\bhit your usage limit\b|\bquota exceeded\b/i.test(message)) return { kind: 'limit', reason, resetAt };
  if (/\bexperiencing high demand\b|\bat capacity\b/i.test(message)) return { kind: 'infrastructure', reason };
  const status = /\b(?:unexpected status|last status:?) (\d{3})\b/.exec(message)?.[1];
  return status === undefined ? null : faultOfRefusal({ status: Number(status), message, resetAt });
}

function toolEvents(item: JsonObject, isStarted: boolean, started: Set<string>): Events {
  const id = textFrom(item.id);
  const tool = toolOf(item);
  if (tool === null) return [];
  const start: AgentEvent = { type: 'tool-start', id, ...tool };
  if (isStarted) {
    started.add(id);
    return [start];
  }
  const isError = item.status === 'failed' || (numberFrom(item.exit_code) ?? 0) !== 0;
  const output = textFrom(item.aggregated_output, textFrom(objectFrom(item.error).message));
  const end: AgentEvent = { type: 'tool-end', id, output, isError };
  return started.delete(id) ? [end] : [start, end];
}

function toolOf(item: JsonObject): { name: string; input: string } | null {
  switch (item.type) {
    case 'command_execution':
      return { name: 'Bash', input: textFrom(item.command) };
    case 'file_change': {
      const paths = objectsFrom(item.changes).map((change) => textFrom(change.path));
      return { name: 'Edit', input: paths.join(', ') };
    }
    case 'mcp_tool_call':
      return { name: [textFrom(item.server), textFrom(item.tool, 'tool')].filter(Boolean).join('.'), input: '' };
    case 'web_search':
      return { name: 'WebSearch', input: textFrom(item.query) };
    default:
      return null;
  }
}

function todo(item: JsonObject): { text: string; status: 'completed' | 'pending' } {
  return { text: textFrom(item.text), status: item.completed === true ? 'completed' : 'pending' };
}

function usageOf(usage: JsonObject): Partial<AgentResult> {
  return figures({
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cacheReadTokens: usage.cached_input_tokens,
    cacheWriteTokens: usage.cache_write_input_tokens,
  });
}
