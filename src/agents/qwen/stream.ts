/** Parses Qwen Code's output: Claude Code's stream, but older releases report failures as the model's own words. */
import type { AgentEvent } from '../../core/events.ts';
import type { Fault } from '../../core/outcome.ts';
import type { Duration, Instant } from '../../core/time.ts';
import { streamJsonParser } from '../claude/stream.ts';
import type { AgentParser } from '../profile.ts';
import { faultOfErrorText, shortened } from '../reading/faults.ts';
import { numberFrom, objectFrom, parseObject } from '../reading/json-line.ts';
import { type Events, faultEvents, notice } from '../reading/stream-events.ts';

/** Its own pauses are never longer than this; a longer one was requested by the service. */
const LONGEST_OWN_PAUSE: Duration = 5 * 60_000;
/** Reached after about two minutes without an answer. */
const HOPELESS_ATTEMPT = 7;

export function qwenParser(now: () => Instant = Date.now): AgentParser {
  const claude = streamJsonParser({ usageInMessages: false, countsCacheApart: false });
  let apiError: string | null = null;

  const eventsOf = (event: AgentEvent, line: string): Events => {
    switch (event.type) {
      case 'text': {
        const { words, error } = withoutError(event.text, line);
        apiError = error;
        return words === '' ? [] : [{ type: 'text', text: words }];
      }
      case 'tool-start':
        apiError = null;
        return [event];
      case 'result': {
        const failure = apiError ?? errorIn(event.reason ?? '') ?? event.reason;
        if (failure === undefined) return [event];
        return [...faultEvents(faultOf(failure, now())), { ...event, isError: true, reason: shortened(failure) }];
      }
      default:
        return [event];
    }
  };
  return {
    hasStructure: true,
    parse: (line) => claude.parse(line).flatMap((event) => eventsOf(event, line)),
    parseStderr: (line) => qwenStderr(line, now()),
  };
}

export function qwenStderr(line: string, now: Instant): Events {
  const [, attempt, seconds] = /Waiting for API capacity\D*(\d+), retry in (\d+)s/.exec(line) ?? [];
  if (attempt !== undefined) return waiting(Number(attempt), Number(seconds) * 1000, now);
  return BANNERS.test(line) ? [] : [{ type: 'stderr', text: line }];
}

const BANNERS = /^(?:Ripgrep (?:is )?not available|Warning: running headless with --yolo)/;

function waiting(attempt: number, pause: Duration, now: Instant): Events {
  const isAskedFor = pause > LONGEST_OWN_PAUSE;
  const reason = 'it waits for the model service, which is at its limit (HTTP 429 or 529)';
  return [
    ...notice(`API retry ${attempt} in ${pause / 1000} s: it waits for capacity`),
    {
      type: 'fault',
      fault: { kind: 'limit', reason, resetAt: isAskedFor ? now + pause : null },
      isHopeless: isAskedFor || attempt >= HOPELESS_ATTEMPT,
    },
  ];
}

function faultOf(failure: string, now: Instant): Fault | null {
  if (/\bauth type is selected\b|\bmissing API key\b/i.test(failure))
    return { kind: 'auth', reason: shortened(failure) };
  return faultOfErrorText(failure, now);
}

/** The error is at the end, after what the model said before it. */
function withoutError(text: string, line: string): { words: string; error: string | null } {
  const start = Math.max(0, text.lastIndexOf('[API Error: '));
  const error = errorIn(text.slice(start));
  // If the model only quotes such an error, its message has output tokens.
  const { usage } = objectFrom(parseObject(line)?.message);
  const isQuoted = (numberFrom(objectFrom(usage).output_tokens) ?? 0) > 0;
  if (error === null || isQuoted) return { words: text, error: null };
  return { words: text.slice(0, start), error };
}

/** The text in Qwen's brackets; a line with advice about limits may follow. */
function errorIn(text: string): string | null {
  return /^\[API Error: ([\s\S]*)\](?:\n[^\n]*)?$/.exec(text)?.[1] ?? null;
}
