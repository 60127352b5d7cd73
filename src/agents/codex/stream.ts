/** Parses the JSON lines of `codex exec --json`, and its error messages. */
import type { TodoItem } from '../../core/events.ts';
import type { Fault } from '../../core/outcome.ts';
import type { Instant } from '../../core/time.ts';
import type { AgentParser } from '../profile.ts';
import { faultOfRefusal, resetTimeIn, shortened } from '../reading/faults.ts';
import { figures, type JsonObject, numberFrom, objectFrom, objectsFrom, textFrom } from '../reading/json-line.ts';
import * as stream from '../reading/stream-events.ts';

export function codexParser(now: () => Instant = Date.now): AgentParser {
  const run = stream.runAccount();
  /** Calls whose start was reported: for a file change, Codex may report only the end. */
  const started = new Set<string>();

  const itemEvents = (item: JsonObject, isStarted: boolean): stream.Events => {
    switch (item.type) {
      case 'agent_message':
        return isStarted ? [] : run.said(textFrom(item.text));
      case 'todo_list':
        return [{ type: 'todo', items: objectsFrom(item.items).map(todo) }];
      case 'reasoning':
        return isStarted ? [] : stream.progress(textFrom(item.text));
      case 'error':
        // Not a failure: it also occurs in successful runs, for example if a model has no metadata.
        return stream.notice(shortened(textFrom(item.message)));
      default:
        return toolEvents(item, isStarted, started);
    }
  };
  return {
    hasStructure: true,
    parseStderr: (line) => (/^Reading .* from stdin/.test(line) ? [] : [{ type: 'stderr', text: line }]),
    parse: stream.byLine(
      stream.byType({
        'item.started': ({ item }) => itemEvents(objectFrom(item), true),
        'item.completed': ({ item }) => itemEvents(objectFrom(item), false),
        'item.updated': () => [],
        'turn.completed': ({ usage }) => run.result(usageOf(objectFrom(usage))),
        'turn.failed': ({ error }) => {
          const message = textFrom(objectFrom(error).message);
          return stream.failedRun(message, codexFault(message, now()));
        },
        // Other errors of this type are repeated in `turn.failed`.
        error: ({ message }) =>
          textFrom(message).startsWith('Reconnecting') ? stream.notice(shortened(textFrom(message))) : [],
        'thread.started': ({ thread_id: id }) => stream.sessionNews('thread.started', id),
        'turn.started': () => stream.progress('turn.started'),
      }),
    ),
  };
}

/** Codex reports HTTP statuses and limits only as text. */
export function codexFault(message: string, now: Instant): Fault | null {
  const reason = shortened(message);
  const resetAt = resetTimeIn(message, now);
  if (/\bhit your usage limit\b|\bquota exceeded\b/i.test(message)) return { kind: 'limit', reason, resetAt };
  if (/\bexperiencing high demand\b|\bat capacity\b/i.test(message)) return { kind: 'infrastructure', reason };
  const status = /\b(?:unexpected status|last status:?) (\d{3})\b/.exec(message)?.[1];
  return faultOfRefusal({ status, message, resetAt });
}

function toolEvents(item: JsonObject, isStarted: boolean, started: Set<string>): stream.Events {
  const id = textFrom(item.id);
  const tool = toolOf(item);
  if (tool === null) return [];
  const start: stream.Events = [{ type: 'tool-start', id, ...tool }];
  if (isStarted) {
    started.add(id);
    return start;
  }
  const isError = item.status === 'failed' || (numberFrom(item.exit_code) ?? 0) !== 0;
  const output = textFrom(item.aggregated_output, textFrom(objectFrom(item.error).message));
  return [...(started.delete(id) ? [] : start), ...stream.toolEnd(id, output, isError)];
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

function todo(item: JsonObject): TodoItem {
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
