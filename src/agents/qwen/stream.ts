/** Qwen Code's stream is Claude Code's, but for its failures: older releases pass them off as the model's own words. */
import type { AgentEvent } from '../../core/events.ts';
import type { Fault } from '../../core/outcome.ts';
import type { Duration, Instant } from '../../core/time.ts';
import { streamJsonParser } from '../claude/stream.ts';
import type { AgentParser } from '../profile.ts';
import { faultOfErrorText, shortened } from '../reading/faults.ts';
import { numberFrom, objectFrom, parseObject } from '../reading/json-line.ts';
import { type Events, faultEvents, notice } from '../reading/stream-events.ts';

/** Its own pauses are never longer: one that is was asked for by the service. */
const LONGEST_OWN_PAUSE: Duration = 5 * 60_000;
/** Reached after some two minutes in which nothing was answered. */
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

/** The error stands at the end, behind what the model had said until then. */
function withoutError(text: string, line: string): { words: string; error: string | null } {
  const start = Math.max(0, text.lastIndexOf('[API Error: '));
  const error = errorIn(text.slice(start));
  // A model that only quotes such an error was answered, and its message tells what that took.
  const { usage } = objectFrom(parseObject(line)?.message);
  const isQuoted = (numberFrom(objectFrom(usage).output_tokens) ?? 0) > 0;
  if (error === null || isQuoted) return { words: text, error: null };
  return { words: text.slice(0, start), error };
}

/** What stands in Qwen's brackets; its advice about limits may follow on a line of its own. */
function errorIn(text: string): string | null {
  return /^\[API Error: ([\s\S]*)\](?:\n[^\n]*)?$/.exec(text)?.[1] ?? null;
}
