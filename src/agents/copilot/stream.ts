/** The events of `copilot --output-format json`. Its own package holds their schema. */
import type { AgentEvent } from '../../core/events.ts';
import type { Fault } from '../../core/outcome.ts';
import type { Instant } from '../../core/time.ts';
import type { AgentParser } from '../profile.ts';
import { faultOfRefusal, messageIn, shortened } from '../reading/faults.ts';
import { figures, type JsonObject, numberFrom, objectFrom, textFrom } from '../reading/json-line.ts';
import { resetTimeIn } from '../reading/reset-time.ts';
import {
  byLine,
  type Events,
  faultEvents,
  notice,
  progress,
  refusedKey,
  sessionNews,
  toolStart,
} from '../reading/stream-events.ts';
import { usageEvents, usageSum } from '../reading/usage-sum.ts';

export function copilotParser(now: () => Instant = Date.now): AgentParser {
  const usage = usageSum();
  let lastWords = '';
  /** What the session failed with, and what the last call that failed met. */
  let failure: string | null = null;
  let isAborted = false;
  let callFault: Fault | null = null;

  const messageEvents = (line: JsonObject, data: JsonObject): Events => {
    const told = figures({ outputTokens: data.outputTokens });
    usage.add(told);
    const used = usageEvents(data.messageId ?? line.id, told);
    const text = textFrom(data.content);
    // A sub-agent's words are for the agent that called it.
    if (text === '' || isOfSubAgent(line, data)) return [...used, progress('assistant.message')];
    lastWords = text;
    return [...used, { type: 'text', text }];
  };
  const callFailure = (data: JsonObject): Events => {
    callFault = faultOfCall(data, now());
    return [notice(failedCallText(data)), ...faultEvents(callFault)];
  };
  const sessionError = (data: JsonObject): Events => {
    failure = textFrom(data.message, textFrom(data.errorType, 'an error'));
    const isUnexplained = numberFrom(data.statusCode) === undefined;
    return faultEvents(faultOfSession(data, now()) ?? (isUnexplained ? callFault : null));
  };
  const account = (line: JsonObject): AgentEvent => {
    // It exits with 0 also when it is aborted.
    const isError = line.exitCode !== 0 || isAborted;
    const reason = isError && failure !== null ? { reason: shortened(failure) } : {};
    const durations = figures({ durationMs: objectFrom(line.usage).sessionDurationMs });
    return { type: 'result', isError, text: lastWords, ...reason, ...usage.sum(), ...durations };
  };
  const lineEvents = (line: JsonObject, raw: string): Events => {
    const data = objectFrom(line.data);
    switch (line.type) {
      case 'assistant.message':
        callFault = null;
        return messageEvents(line, data);
      case 'tool.execution_start':
        return [toolStart(data.toolCallId, data.toolName, data.arguments)];
      case 'tool.execution_complete':
        return [toolEnd(data)];
      case 'model.call_failure':
        return callFailure(data);
      case 'session.error':
        return sessionError(data);
      case 'session.warning':
        return [notice(shortened(textFrom(data.message)))];
      case 'abort':
        isAborted = true;
        failure = `it was aborted (${textFrom(data.reason, 'no reason told')})`;
        return [];
      case 'result':
        // Only its last line names the session.
        return [sessionNews('result', line.sessionId), account(line)];
      default:
        return [KNOWN.test(textFrom(line.type)) ? progress(textFrom(line.type)) : { type: 'unknown', raw }];
    }
  };

  return {
    hasStructure: true,
    parse: byLine(lineEvents),
    parseStderr: refusedKey(/^Error: ((?:No authentication information found|Authentication failed).*)/),
  };
}

/** The families of events that it has; most are for its own screen. */
const KNOWN = /^(?:agent|assistant|hook|mcp|model|permission|session|skill|subagent|system|tool|user)\.\w/;

function isOfSubAgent(line: JsonObject, data: JsonObject): boolean {
  return textFrom(line.agentId) !== '' || textFrom(data.parentToolCallId) !== '';
}

function faultOfCall(data: JsonObject, now: Instant): Fault | null {
  const message = callMessage(data);
  const status = numberFrom(data.statusCode);
  const isBroken = status === undefined && data.failureKind === 'transport';
  if (isBroken) return { kind: 'infrastructure', reason: shortened(message) || 'the connection broke' };
  return faultOfRefusal({ status, message, resetAt: resetTimeIn(message, now) });
}

function faultOfSession(data: JsonObject, now: Instant): Fault | null {
  const message = textFrom(data.message);
  const resetAt = resetTimeIn(message, now);
  switch (data.errorType) {
    case 'rate_limit':
    case 'quota':
      return { kind: 'limit', reason: shortened(message), resetAt };
    case 'authentication':
    case 'authorization':
      return { kind: 'auth', reason: shortened(message) };
    default:
      return faultOfRefusal({ status: numberFrom(data.statusCode), message, resetAt });
  }
}

function failedCallText(data: JsonObject): string {
  const attempt = (numberFrom(data.retryAttempt) ?? 0) + 1;
  const status = numberFrom(data.statusCode);
  const why = shortened(callMessage(data));
  return `API call ${attempt} failed: ${status === undefined ? '' : `HTTP ${status} `}${why}`;
}

/** JSON: an object of the service's, or a sentence of Copilot's own in quotes. */
function callMessage(data: JsonObject): string {
  return messageIn(textFrom(data.errorMessage)).replace(/^"(.*)"$/s, '$1');
}

function toolEnd(data: JsonObject): AgentEvent {
  const content = textFrom(objectFrom(data.result).content, textFrom(objectFrom(data.error).message));
  // Its own line under what a command printed.
  const output = content.replace(/\n?<shellId: \S+ completed with exit code -?\d+>$/, '');
  const exitCode = numberFrom(objectFrom(data.shellExecution).exitCode) ?? 0;
  return { type: 'tool-end', id: textFrom(data.toolCallId), output, isError: data.success === false || exitCode !== 0 };
}
