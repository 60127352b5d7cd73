/** Parses Gemini CLI's stream-json output, and what it reports only on stderr. */
import type { AgentResult, CallUsage } from '../../core/events.ts';
import type { Fault } from '../../core/outcome.ts';
import type { Instant } from '../../core/time.ts';
import type { AgentParser } from '../profile.ts';
import { faultOfRefusal, resetTimeIn, shortened } from '../reading/faults.ts';
import { figures, type JsonObject, modelFrom, objectFrom, textFrom } from '../reading/json-line.ts';
import * as stream from '../reading/stream-events.ts';

export function geminiParser(now: () => Instant = Date.now): AgentParser {
  const words = deltaText();
  const stderr = stderrReader();
  /** Reported on stderr only, before or after the final result. */
  let resetAt: Instant | null = null;
  let limit: Extract<Fault, { kind: 'limit' }> | null = null;

  const resultEvents = (line: JsonObject): stream.Events => {
    const usage = usageOf(objectFrom(line.stats));
    if (line.status !== 'error') return [{ type: 'result', isError: false, text: words.lastWords(), ...usage }];
    const message = textFrom(objectFrom(line.error).message);
    const fault = faultOf(message, resetAt);
    if (fault?.kind === 'limit') limit = fault;
    return stream.failedRun(message, fault, usage);
  };
  const lineEvents = stream.byType({
    message: () => stream.progress('message'),
    tool_use: (line) => stream.toolStart(line.tool_id, line.tool_name, line.parameters),
    tool_result: ({ tool_id: id, output, error, status }) =>
      stream.toolEnd(id, textFrom(output, textFrom(objectFrom(error).message)), status !== 'success'),
    result: resultEvents,
    error: ({ message }) => stream.notice(shortened(textFrom(message))),
    init: ({ session_id: id }) => stream.sessionNews('init', id),
  });
  return {
    hasStructure: true,
    parse: stream.byLine((line, raw) => {
      if (line.type === 'message' && line.role === 'assistant') return words.push(textFrom(line.content));
      return [...words.end(), ...lineEvents(line, raw)];
    }),
    end: words.end,
    parseStderr(line) {
      if (/\bretry in\b/i.test(line)) resetAt = resetTimeIn(line, now());
      if (limit === null || limit.resetAt !== null || resetAt === null) return stderr(line);
      limit = { ...limit, resetAt };
      return [...stream.faultEvents(limit), ...stderr(line)];
    },
  };
}

/** Limits the memory for a line that does not end. */
const LONGEST_LINE = 1_000_000;
const LONGEST_LAST_WORDS = 10_000;

/** Joins the pieces of streamed text, so that no tag is split. */
function deltaText() {
  let rest = '';
  let words = '';
  let isOver = true;
  const tell = (length: number): stream.Events => {
    // The reader puts a line end after each text.
    const text = rest.slice(0, length).replace(/\n$/, '');
    rest = rest.slice(length);
    return [{ type: 'text', text }];
  };
  return {
    push(piece: string): stream.Events {
      if (isOver) words = '';
      isOver = false;
      if (words.length < LONGEST_LAST_WORDS) words += piece;
      rest += piece;
      const whole = rest.lastIndexOf('\n') + 1;
      if (whole === 0) return rest.length > LONGEST_LINE ? tell(rest.length) : [];
      return tell(whole);
    },
    end(): stream.Events {
      isOver = true;
      return rest === '' ? [] : tell(rest.length);
    },
    /** The agent's words since its last other event. */
    lastWords: () => words,
  };
}

/** Leaves out its banners, and the stack and the dump that come with its errors. */
function stderrReader(): (line: string) => stream.Events {
  let isInDump = false;
  return (line) => {
    isInDump &&= /^[\s}\]]/.test(line);
    if (isInDump || BANNERS.test(line)) return [];
    const [, attempt, status] = /^Attempt (\d+) failed with status (\d+)/.exec(line) ?? [];
    isInDump = attempt !== undefined || line.startsWith('Error when talking to Gemini API');
    if (attempt !== undefined) {
      const fault = faultOfRefusal({ status, message: `HTTP ${status}, again and again` });
      return [...stream.notice(`API retry ${attempt}: HTTP ${status}`), ...stream.faultEvents(fault)];
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
  return faultOfRefusal({ status: /"code":\s*(\d{3})\b/.exec(message)?.[1], message, resetAt });
}

/** A run may also ask another model which of them should do the work: each model has its own figures. */
function usageOf(stats: JsonObject): Partial<AgentResult> {
  const byModel = Object.entries(objectFrom(stats.models)).map(([name, told]) => ({
    ...modelFrom(name),
    ...figuresOf(objectFrom(told)),
  }));
  const [only = {}, ...others] = byModel;
  return {
    ...(others.length === 0 ? modelFrom(only.model) : { byModel }),
    ...figuresOf(stats),
    ...figures({ durationMs: stats.duration_ms }),
  };
}

function figuresOf(stats: JsonObject): CallUsage {
  return figures({
    inputTokens: stats.input_tokens,
    outputTokens: stats.output_tokens,
    cacheReadTokens: stats.cached,
  });
}
