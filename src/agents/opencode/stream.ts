/** Parses the JSON events of `opencode run --format json`, and its log on stderr. */
import type { CallUsage } from '../../core/events.ts';
import type { Fault } from '../../core/outcome.ts';
import type { Duration, Instant } from '../../core/time.ts';
import type { AgentParser } from '../profile.ts';
import { faultOfRefusal, resetTimeIn, shortened } from '../reading/faults.ts';
import { figures, type JsonObject, numberFrom, objectFrom, textFrom } from '../reading/json-line.ts';
import * as stream from '../reading/stream-events.ts';

/** opencode waits silently until a limit is lifted; longer waits are left to the loop. */
const LONGEST_WAIT: Duration = 5 * 60_000;
/** opencode retries a failed call forever, in the end twice a minute. */
const HOPELESS_RETRIES = 10;

export function opencodeParser(now: () => Instant = Date.now): AgentParser {
  const run = stream.runAccount();
  let retries = 0;

  const failed = (message: string): stream.Events => {
    retries++;
    const fault = faultOfRetry(message, now());
    const isHopeless = retries >= HOPELESS_RETRIES || isLongWait(fault, now());
    return [...stream.notice(`API retry ${retries}: ${shortened(message)}`), { type: 'fault', fault, isHopeless }];
  };
  const lineEvents = stream.byType({
    step_start: ({ sessionID: id }) => stream.sessionNews('step_start', id),
    text: ({ part }) => run.said(textFrom(objectFrom(part).text)),
    reasoning: () => stream.progress('reasoning'),
    tool_use: ({ part }) => toolEvents(objectFrom(part)),
    step_finish: (line) => {
      const part = objectFrom(line.part);
      const used = run.used(part.id, usageOf(part));
      return [...used, ...(part.reason === 'tool-calls' ? stream.progress('step_finish') : run.result())];
    },
    error: ({ error }) => errorEvents(objectFrom(error), now(), run.sum()),
  });
  return {
    hasStructure: true,
    parse: stream.byLine((line, raw) => {
      if (WORK.has(textFrom(line.type))) retries = 0;
      return lineEvents(line, raw);
    }),
    parseStderr(line) {
      const message = /\bmessage="stream error".*\berror\.error="((?:[^"\\]|\\.)*)"/.exec(line)?.[1];
      if (message !== undefined && !line.includes('small=true')) return failed(message);
      return /^timestamp=\S+ level=/.test(line) ? [] : [{ type: 'stderr', text: line }];
    },
  };
}

/** Events that show that a model call was answered. */
const WORK = new Set(['text', 'reasoning', 'tool_use', 'step_finish']);

function faultOfRetry(message: string, now: Instant): Fault {
  const reason = shortened(message.replace(/^AI_APICallError: /, ''));
  if (!/\brate limit|\bquota\b|\busage limit|\btoo many requests/i.test(message))
    return { kind: 'infrastructure', reason };
  return { kind: 'limit', reason, resetAt: resetTimeIn(message, now) };
}

function isLongWait(fault: Fault, now: Instant): boolean {
  return fault.kind === 'limit' && fault.resetAt !== null && fault.resetAt - now > LONGEST_WAIT;
}

function errorEvents(error: JsonObject, now: Instant, usage: CallUsage): stream.Events {
  const data = objectFrom(error.data);
  const message = textFrom(data.message, textFrom(error.name, 'an error'));
  const fault = faultOfRefusal({ status: numberFrom(data.statusCode), message, resetAt: resetTimeIn(message, now) });
  return stream.failedRun(message, fault, usage);
}

/** opencode reports a tool call only when it has ended. */
function toolEvents({ callID: id, tool, state }: JsonObject): stream.Events {
  const { input, output, error, status } = objectFrom(state);
  return [
    ...stream.toolStart(id, tool, input),
    ...stream.toolEnd(id, textFrom(output, textFrom(error)), status === 'error'),
  ];
}

/** Each step has its own figures. For a model without a known price the cost is 0, which means unknown, not free. */
function usageOf(part: JsonObject): CallUsage {
  const tokens = objectFrom(part.tokens);
  const cache = objectFrom(tokens.cache);
  const told = figures({
    costUsd: part.cost === 0 ? undefined : part.cost,
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    cacheReadTokens: cache.read,
    cacheWriteTokens: cache.write,
  });
  return stream.withCache(told);
}
