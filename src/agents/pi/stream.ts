/** The events of `pi -p --mode json`. It exits with 0 whatever happened: only the last message tells a failure. */
import type { AgentEvent } from '../../core/events.ts';
import type { Instant } from '../../core/time.ts';
import type { AgentParser } from '../profile.ts';
import { faultOfErrorText, messageIn, shortened } from '../reading/faults.ts';
import { figures, type JsonObject, numberFrom, objectFrom, objectsFrom, textFrom } from '../reading/json-line.ts';
import { byLine, type Events, faultEvents, notice, progress, refusedKey, toolStart } from '../reading/stream-events.ts';
import { type Usage, usageEvents, usageSum, withCache } from '../reading/usage-sum.ts';

export function piParser(now: () => Instant = Date.now): AgentParser {
  const usage = usageSum();
  let calls = 0;
  let lastWords = '';
  let failure: string | null = null;
  /** The account of a failed run; it is told only when it is not tried again. */
  let held: Events = [];

  const release = (): Events => {
    const events = held;
    held = [];
    return events;
  };
  const messageEvents = (message: JsonObject): Events => {
    if (message.role !== 'assistant') return [];
    const told = usageOf(objectFrom(message.usage));
    usage.add(told);
    const used = usageEvents(++calls, told);
    failure = failureOf(message);
    // What was said before a failure is taken back: the call is repeated, or the run has failed.
    if (failure !== null) return used;
    const texts = textsOf(message.content);
    if (texts.length > 0) lastWords = texts.join('\n');
    return [...used, ...texts.map((text) => ({ type: 'text', text }) as const)];
  };
  const accountEvents = (): Events => {
    if (failure === null) return [{ type: 'result', isError: false, text: lastWords, ...usage.sum() }];
    const reason = shortened(messageIn(failure));
    const account = { type: 'result', isError: true, text: failure, reason, ...usage.sum() } as const;
    held = [...faultEvents(faultOfErrorText(failure, now())), account];
    return [];
  };
  const retryEvents = (line: JsonObject): Events => {
    held = [];
    const fault = faultOfErrorText(textFrom(line.errorMessage), now());
    return [notice(retryText(line)), ...faultEvents(fault)];
  };
  const lineEvents = (line: JsonObject, raw: string): Events => {
    switch (line.type) {
      case 'session':
        return [progress(`session ${textFrom(line.id, 'unknown')}`)];
      case 'message_end':
        return messageEvents(objectFrom(line.message));
      case 'tool_execution_start':
        return [toolStart(line.toolCallId, line.toolName, line.args)];
      case 'tool_execution_end':
        return [toolEnd(line)];
      case 'agent_end':
        return accountEvents();
      case 'compaction_end':
        return compactionEvents(line);
      default:
        return [PROGRESS.has(textFrom(line.type)) ? progress(textFrom(line.type)) : { type: 'unknown', raw }];
    }
  };

  const parse = byLine((line, raw) =>
    line.type === 'auto_retry_start' ? retryEvents(line) : [...release(), ...lineEvents(line, raw)],
  );
  return {
    hasStructure: true,
    // Each piece of an answer comes with all of it so far, twice; a long one is not parsed a thousand times.
    parse: (raw) => (raw.startsWith('{"type":"message_update"') ? [] : parse(raw)),
    end: release,
    parseStderr: refusedKey(/^(?:No API key found|No models available|Authentication failed)\b/),
  };
}

const PROGRESS = new Set([
  'agent_start',
  'agent_settled',
  'turn_start',
  'turn_end',
  'message_start',
  'message_update',
  'tool_execution_update',
  'auto_retry_end',
  'compaction_start',
  'entry_appended',
  'queue_update',
  'session_info_changed',
  'thinking_level_changed',
]);

function failureOf(message: JsonObject): string | null {
  if (message.stopReason !== 'error' && message.stopReason !== 'aborted') return null;
  return textFrom(message.errorMessage) || `the request ended with: ${message.stopReason}`;
}

function retryText(line: JsonObject): string {
  const count = `${numberFrom(line.attempt) ?? '?'}/${numberFrom(line.maxAttempts) ?? '?'}`;
  const delay = numberFrom(line.delayMs);
  const when = delay === undefined ? '' : ` in ${(delay / 1000).toFixed(1)} s`;
  return `API retry ${count}${when}: ${shortened(messageIn(textFrom(line.errorMessage)))}`;
}

function compactionEvents(line: JsonObject): Events {
  const message = textFrom(line.errorMessage);
  if (message === '') return [progress('compaction_end')];
  return [notice(`Compaction failed: ${shortened(message)}`)];
}

function toolEnd(line: JsonObject): AgentEvent {
  const output = textsOf(objectFrom(line.result).content).join('\n');
  return { type: 'tool-end', id: textFrom(line.toolCallId), output, isError: line.isError === true };
}

function textsOf(content: unknown): string[] {
  return objectsFrom(content)
    .filter((block) => block.type === 'text')
    .map((block) => textFrom(block.text))
    .filter((text) => text !== '');
}

/** A model without a price costs "0": that is unknown, not free. */
function usageOf(usage: JsonObject): Usage {
  const cost = objectFrom(usage.cost).total;
  const told = figures({
    costUsd: cost === 0 ? undefined : cost,
    inputTokens: usage.input,
    outputTokens: usage.output,
    cacheReadTokens: usage.cacheRead,
    cacheWriteTokens: usage.cacheWrite,
  });
  return withCache(told);
}
