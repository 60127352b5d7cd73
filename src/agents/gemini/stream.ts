/** Gemini CLI's stream-json output, and what it tells only on stderr. */
import type { AgentEvent } from '../../core/events.ts';
import type { Fault } from '../../core/outcome.ts';
import type { Instant } from '../../core/time.ts';
import type { AgentParser } from '../profile.ts';
import { faultOfRefusal, shortened } from '../reading/api-fault.ts';
import { deltaText } from '../reading/delta-text.ts';
import { inputSummary } from '../reading/input-summary.ts';
import { figures, type JsonObject, numberFrom, objectFrom, parseObject, textFrom } from '../reading/json-line.ts';
import { resetTimeIn } from '../reading/reset-time.ts';

export function geminiParser(now: () => Instant = Date.now): AgentParser {
  const words = deltaText();
  const stderr = stderrReader();
  /** Told on stderr only, before the final result or after it. */
  let resetAt: Instant | null = null;
  let limit: Extract<Fault, { kind: 'limit' }> | null = null;

  const said = (text: string | null): readonly AgentEvent[] => (text === null ? [] : [{ type: 'text', text }]);
  const lineEvents = (line: JsonObject, raw: string): readonly AgentEvent[] => {
    switch (line.type) {
      case 'tool_use':
        return [toolStart(line)];
      case 'tool_result':
        return [toolEnd(line)];
      case 'result':
        return resultEvents(line);
      case 'error':
        return [{ type: 'notice', text: shortened(textFrom(line.message)) }];
      case 'init':
        return [{ type: 'progress', text: `init: session ${textFrom(line.session_id, 'unknown')}` }];
      case 'message':
        // The prompt's echo.
        return [{ type: 'progress', text: textFrom(line.type) }];
      default:
        return [{ type: 'unknown', raw }];
    }
  };
  const resultEvents = (line: JsonObject): readonly AgentEvent[] => {
    const usage = usageOf(objectFrom(line.stats));
    if (line.status !== 'error') return [{ type: 'result', isError: false, text: words.lastWords(), ...usage }];
    const message = textFrom(objectFrom(line.error).message);
    const fault = faultOf(message, resetAt);
    if (fault?.kind === 'limit') limit = fault;
    const account = { type: 'result', isError: true, text: message, reason: shortened(message), ...usage } as const;
    return fault === null ? [account] : [{ type: 'fault', fault }, account];
  };

  return {
    hasStructure: true,
    parse(raw) {
      if (raw.trim() === '') return [];
      const line = parseObject(raw);
      if (line?.type === 'message' && line.role === 'assistant') return said(words.push(textFrom(line.content)));
      const rest = said(words.end());
      return [...rest, ...(line === null ? [{ type: 'unknown', raw } as const] : lineEvents(line, raw))];
    },
    end: () => said(words.end()),
    parseStderr(line) {
      if (/\bretry in\b/i.test(line)) resetAt = resetTimeIn(line, now());
      const isNew = limit !== null && limit.resetAt === null && resetAt !== null;
      if (isNew && limit !== null) limit = { ...limit, resetAt };
      return isNew && limit !== null ? [{ type: 'fault', fault: limit }, ...stderr(line)] : stderr(line);
    },
  };
}

/** Its banners say nothing, and its errors come with a stack and a dump of everything: both are left out. */
function stderrReader(): (line: string) => readonly AgentEvent[] {
  let isInDump = false;
  return (line) => {
    isInDump &&= /^[\s}\]]/.test(line);
    if (isInDump || BANNERS.test(line)) return [];
    const [, attempt, status] = /^Attempt (\d+) failed with status (\d+)/.exec(line) ?? [];
    isInDump = attempt !== undefined || line.startsWith('Error when talking to Gemini API');
    if (attempt !== undefined) return retryEvents(attempt, Number(status));
    return isInDump ? [] : [{ type: 'stderr', text: line }];
  };
}

function retryEvents(attempt: string, status: number): readonly AgentEvent[] {
  const fault = faultOfRefusal({ status, message: `HTTP ${status}, again and again` });
  const notice = { type: 'notice', text: `API retry ${attempt}: HTTP ${status}` } as const;
  return fault === null ? [notice] : [notice, { type: 'fault', fault }];
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

function toolStart(line: JsonObject): AgentEvent {
  const name = textFrom(line.tool_name, 'tool');
  return { type: 'tool-start', id: textFrom(line.tool_id), name, input: inputSummary(name, line.parameters) };
}

function toolEnd(line: JsonObject): AgentEvent {
  const isError = line.status !== 'success';
  const output = textFrom(line.output, textFrom(objectFrom(line.error).message));
  return { type: 'tool-end', id: textFrom(line.tool_id), output, isError };
}

function usageOf(stats: JsonObject): object {
  const cached = numberFrom(stats.cached);
  return figures({
    inputTokens: stats.input_tokens,
    outputTokens: stats.output_tokens,
    cacheReadTokens: cached,
    durationMs: stats.duration_ms,
  });
}
