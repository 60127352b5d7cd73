/** Gemini CLI's stream-json output, and what it tells only on stderr. */
import type { AgentEvent } from '../../core/events.ts';
import type { Fault } from '../../core/outcome.ts';
import type { Instant } from '../../core/time.ts';
import type { AgentParser } from '../profile.ts';
import { deltaText } from '../reading/delta-text.ts';
import { faultOfRefusal, shortened } from '../reading/faults.ts';
import { figures, type JsonObject, objectFrom, textFrom } from '../reading/json-line.ts';
import { resetTimeIn } from '../reading/reset-time.ts';
import {
  byLine,
  type Events,
  failedRun,
  faultEvents,
  notice,
  progress,
  sessionNews,
  toolStart,
} from '../reading/stream-events.ts';

export function geminiParser(now: () => Instant = Date.now): AgentParser {
  const words = deltaText();
  const stderr = stderrReader();
  /** Told on stderr only, before the final result or after it. */
  let resetAt: Instant | null = null;
  let limit: Extract<Fault, { kind: 'limit' }> | null = null;

  const said = (text: string | null): Events => (text === null ? [] : [{ type: 'text', text }]);
  const lineEvents = (line: JsonObject, raw: string): Events => {
    switch (line.type) {
      case 'tool_use':
        return [toolStart(line.tool_id, line.tool_name, line.parameters)];
      case 'tool_result':
        return [toolEnd(line)];
      case 'result':
        return resultEvents(line);
      case 'error':
        return [notice(shortened(textFrom(line.message)))];
      case 'init':
        return [sessionNews(line.type, line.session_id)];
      case 'message':
        // The prompt's echo.
        return [progress(line.type)];
      default:
        return [{ type: 'unknown', raw }];
    }
  };
  const resultEvents = (line: JsonObject): Events => {
    const usage = usageOf(objectFrom(line.stats));
    if (line.status !== 'error') return [{ type: 'result', isError: false, text: words.lastWords(), ...usage }];
    const message = textFrom(objectFrom(line.error).message);
    const fault = faultOf(message, resetAt);
    if (fault?.kind === 'limit') limit = fault;
    return failedRun(message, fault, usage);
  };

  return {
    hasStructure: true,
    parse: byLine((line, raw) => {
      if (line.type === 'message' && line.role === 'assistant') return said(words.push(textFrom(line.content)));
      return [...said(words.end()), ...lineEvents(line, raw)];
    }),
    end: () => said(words.end()),
    parseStderr(line) {
      if (/\bretry in\b/i.test(line)) resetAt = resetTimeIn(line, now());
      if (limit === null || limit.resetAt !== null || resetAt === null) return stderr(line);
      limit = { ...limit, resetAt };
      return [...faultEvents(limit), ...stderr(line)];
    },
  };
}

/** Its banners say nothing, and its errors come with a stack and a dump of everything: both are left out. */
function stderrReader(): (line: string) => Events {
  let isInDump = false;
  return (line) => {
    isInDump &&= /^[\s}\]]/.test(line);
    if (isInDump || BANNERS.test(line)) return [];
    const [, attempt, status] = /^Attempt (\d+) failed with status (\d+)/.exec(line) ?? [];
    isInDump = attempt !== undefined || line.startsWith('Error when talking to Gemini API');
    if (attempt !== undefined) {
      const fault = faultOfRefusal({ status: Number(status), message: `HTTP ${status}, again and again` });
      return [notice(`API retry ${attempt}: HTTP ${status}`), ...faultEvents(fault)];
    }
    return isInDump ? [] : [{ type: 'stderr', text: line }];
  };
}

const BANNERS =
  /^(?:YOLO mode is enabled|Warning: 256-color support|Ripgrep is not available|\[STARTUP\]|Loaded cached credentials)/;

function faultOf(message: string, resetAt: Instant | null): Fault | null {
  if (/\b(?:exhausted|exceeded) your\b.*\bquota\b|\bRESOURCE_EXHAUSTED\b/i.test(message)) {
    return { kind: 'limit', reason: shortened(message), resetAt };
  }
  const status = /"code":\s*(\d{3})\b/.exec(message)?.[1];
  return faultOfRefusal({ status: status === undefined ? undefined : Number(status), message, resetAt });
}

function toolEnd(line: JsonObject): AgentEvent {
  const isError = line.status !== 'success';
  const output = textFrom(line.output, textFrom(objectFrom(line.error).message));
  return { type: 'tool-end', id: textFrom(line.tool_id), output, isError };
}

function usageOf(stats: JsonObject): object {
  return figures({
    inputTokens: stats.input_tokens,
    outputTokens: stats.output_tokens,
    cacheReadTokens: stats.cached,
    durationMs: stats.duration_ms,
  });
}
