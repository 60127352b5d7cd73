/** The JSON events of `opencode run --format json`, and its log on stderr. */
import type { Fault } from '../../core/outcome.ts';
import type { Duration, Instant } from '../../core/time.ts';
import type { AgentParser } from '../profile.ts';
import { faultOfRefusal, shortened } from '../reading/faults.ts';
import { figures, type JsonObject, numberFrom, objectFrom, textFrom } from '../reading/json-line.ts';
import { resetTimeIn } from '../reading/reset-time.ts';
import { byLine, type Events, failedRun, notice, progress, sessionNews, toolStart } from '../reading/stream-events.ts';
import { type Usage, usageEvents, usageSum, withCache } from '../reading/usage-sum.ts';

/** It waits out a limit by itself, without a word; a longer wait is the loop's business. */
const LONGEST_WAIT: Duration = 5 * 60_000;
/** It repeats a failed call for ever, at last twice a minute. */
const HOPELESS_RETRIES = 10;

export function opencodeParser(now: () => Instant = Date.now): AgentParser {
  const usage = usageSum();
  let lastWords = '';
  let retries = 0;

  const failed = (message: string): Events => {
    retries++;
    const fault = faultOfRetry(message, now());
    const isHopeless = retries >= HOPELESS_RETRIES || isLongWait(fault, now());
    return [notice(`API retry ${retries}: ${shortened(message)}`), { type: 'fault', fault, isHopeless }];
  };
  const partEvents = (line: JsonObject): Events => {
    const part = objectFrom(line.part);
    switch (line.type) {
      case 'text':
        lastWords = textFrom(part.text);
        return [{ type: 'text', text: lastWords }];
      case 'tool_use':
        return toolEvents(part);
      case 'step_finish': {
        const told = usageOf(part);
        usage.add(told);
        const used = usageEvents(part.id, told);
        if (part.reason === 'tool-calls') return [...used, progress('step_finish')];
        return [...used, { type: 'result', isError: false, text: lastWords, ...usage.sum() }];
      }
      case 'step_start':
        return [sessionNews('step_start', line.sessionID)];
      default:
        return [progress(textFrom(line.type))];
    }
  };

  return {
    hasStructure: true,
    parse: byLine((line, raw) => {
      if (line.type === 'error') return errorEvents(objectFrom(line.error), now(), usage.sum());
      if (!PARTS.has(textFrom(line.type))) return [{ type: 'unknown', raw }];
      if (line.type !== 'step_start') retries = 0;
      return partEvents(line);
    }),
    parseStderr(line) {
      const message = /\bmessage="stream error".*\berror\.error="((?:[^"\\]|\\.)*)"/.exec(line)?.[1];
      if (message !== undefined && !line.includes('small=true')) return failed(message);
      return /^timestamp=\S+ level=/.test(line) ? [] : [{ type: 'stderr', text: line }];
    },
  };
}

const PARTS = new Set(['step_start', 'text', 'reasoning', 'tool_use', 'step_finish']);

function faultOfRetry(message: string, now: Instant): Fault {
  const reason = shortened(message.replace(/^AI_APICallError: /, ''));
  if (!/\brate limit|\bquota\b|\busage limit|\btoo many requests/i.test(message))
    return { kind: 'infrastructure', reason };
  return { kind: 'limit', reason, resetAt: resetTimeIn(message, now) };
}

function isLongWait(fault: Fault, now: Instant): boolean {
  return fault.kind === 'limit' && fault.resetAt !== null && fault.resetAt - now > LONGEST_WAIT;
}

function errorEvents(error: JsonObject, now: Instant, usage: object): Events {
  const data = objectFrom(error.data);
  const message = textFrom(data.message, textFrom(error.name, 'an error'));
  const status = numberFrom(data.statusCode);
  const fault = faultOfRefusal({ status, message, resetAt: resetTimeIn(message, now) });
  return failedRun(message, fault, usage);
}

/** A tool is told of when it is over. */
function toolEvents(part: JsonObject): Events {
  const state = objectFrom(part.state);
  return [
    toolStart(part.callID, part.tool, state.input),
    {
      type: 'tool-end',
      id: textFrom(part.callID),
      output: textFrom(state.output, textFrom(state.error)),
      isError: state.status === 'error',
    },
  ];
}

/** Each step tells its own figures. A model without a price costs "0": that is unknown, not free. */
function usageOf(part: JsonObject): Usage {
  const tokens = objectFrom(part.tokens);
  const cache = objectFrom(tokens.cache);
  const told = figures({
    costUsd: part.cost === 0 ? undefined : part.cost,
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    cacheReadTokens: cache.read,
    cacheWriteTokens: cache.write,
  });
  return withCache(told);
}
