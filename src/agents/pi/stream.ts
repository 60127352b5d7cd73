/** Parses the events of `pi -p --mode json`. pi always exits with 0: only the last message shows a failure. */
import type { CallUsage } from '../../core/events.ts';
import type { Instant } from '../../core/time.ts';
import type { AgentParser } from '../profile.ts';
import { faultOfErrorText, messageIn, shortened } from '../reading/faults.ts';
import {
  figures,
  type JsonObject,
  modelFrom,
  numberFrom,
  objectFrom,
  objectsFrom,
  textFrom,
} from '../reading/json-line.ts';
import * as stream from '../reading/stream-events.ts';

export function piParser(now: () => Instant = Date.now): AgentParser {
  const run = stream.runAccount();
  let calls = 0;
  let failure: string | null = null;
  /** The account of a failed run, held back in case pi retries. */
  let held: stream.Events = [];

  const release = (): stream.Events => {
    const events = held;
    held = [];
    return events;
  };
  const messageEvents = (message: JsonObject): stream.Events => {
    if (message.role !== 'assistant') return [];
    const used = run.used(++calls, { ...modelOf(message), ...usageOf(objectFrom(message.usage)) });
    failure = failureOf(message);
    // Words before a failure do not count: the call is repeated, or the run has failed.
    return failure === null ? [...used, ...run.said(...textsOf(message.content))] : used;
  };
  const accountEvents = (): stream.Events => {
    if (failure === null) return run.result();
    const account = run.result({ isError: true, text: failure, reason: shortened(messageIn(failure)) });
    held = [...stream.faultEvents(faultOfErrorText(failure, now())), ...account];
    return [];
  };
  const retryEvents = (line: JsonObject): stream.Events => {
    held = [];
    return [
      ...stream.notice(retryText(line)),
      ...stream.faultEvents(faultOfErrorText(textFrom(line.errorMessage), now())),
    ];
  };
  const lineEvents = stream.byType(
    {
      session: ({ id }) => stream.progress(`session ${textFrom(id, 'unknown')}`),
      message_end: ({ message }) => messageEvents(objectFrom(message)),
      tool_execution_start: (line) => stream.toolStart(line.toolCallId, line.toolName, line.args),
      tool_execution_end: ({ toolCallId: id, result, isError }) =>
        stream.toolEnd(id, textsOf(objectFrom(result).content).join('\n'), isError === true),
      agent_end: accountEvents,
      compaction_end: ({ errorMessage: message }) =>
        textFrom(message) === ''
          ? stream.progress('compaction_end')
          : stream.notice(`Compaction failed: ${shortened(textFrom(message))}`),
    },
    (line, raw) =>
      PROGRESS.test(textFrom(line.type)) ? stream.progress(textFrom(line.type)) : stream.unknown(line, raw),
  );
  const parse = stream.byLine((line, raw) =>
    line.type === 'auto_retry_start' ? retryEvents(line) : [...release(), ...lineEvents(line, raw)],
  );
  return {
    hasStructure: true,
    // Each fragment repeats the whole answer so far, twice: parsing all of them would be slow.
    parse: (raw) => (raw.startsWith('{"type":"message_update"') ? [] : parse(raw)),
    end: release,
    parseStderr: stream.refusedKey(/^(?:No API key found|No models available|Authentication failed)\b/),
  };
}

const PROGRESS =
  /^(?:agent_(?:start|settled)|turn_(?:start|end)|message_(?:start|update)|tool_execution_update|auto_retry_end|compaction_start|entry_appended|queue_update|session_info_changed|thinking_level_changed)$/;

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

function textsOf(content: unknown): string[] {
  return objectsFrom(content).flatMap(({ type, text }) =>
    type === 'text' && textFrom(text) !== '' ? [textFrom(text)] : [],
  );
}

function modelOf({ provider, model }: JsonObject): { model?: string } {
  return modelFrom(typeof provider === 'string' ? `${provider}/${textFrom(model)}` : model);
}

/** For a model without a known price the cost is 0, which means unknown, not free. */
function usageOf(usage: JsonObject): CallUsage {
  const cost = objectFrom(usage.cost).total;
  const told = figures({
    costUsd: cost === 0 ? undefined : cost,
    inputTokens: usage.input,
    outputTokens: usage.output,
    cacheReadTokens: usage.cacheRead,
    cacheWriteTokens: usage.cacheWrite,
  });
  return stream.withCache(told);
}
