/** Parses the events of `copilot --output-format json`. Its package contains their schema. */
import type { Fault } from '../../core/outcome.ts';
import type { Instant } from '../../core/time.ts';
import type { AgentParser } from '../profile.ts';
import { faultOfRefusal, messageIn, resetTimeIn, shortened } from '../reading/faults.ts';
import { figures, type JsonObject, numberFrom, objectFrom, textFrom } from '../reading/json-line.ts';
import * as stream from '../reading/stream-events.ts';

export function copilotParser(now: () => Instant = Date.now): AgentParser {
  const run = stream.runAccount();
  /** `failure`: why the session failed; `callFault`: the fault of the last model call, if that failed. */
  let failure: string | null = null;
  let isAborted = false;
  let callFault: Fault | null = null;

  const messageEvents = (data: JsonObject, line: JsonObject): stream.Events => {
    callFault = null;
    const used = run.used(data.messageId ?? line.id, figures({ outputTokens: data.outputTokens }));
    const text = textFrom(data.content);
    // A sub-agent's words are for the agent that called it.
    const isOfSubAgent = textFrom(line.agentId) !== '' || textFrom(data.parentToolCallId) !== '';
    return [...used, ...(text === '' || isOfSubAgent ? stream.progress('assistant.message') : run.said(text))];
  };
  const callFailure = (data: JsonObject): stream.Events => {
    callFault = faultOfCall(data, now());
    return [...stream.notice(failedCallText(data)), ...stream.faultEvents(callFault)];
  };
  const sessionError = (data: JsonObject): stream.Events => {
    failure = textFrom(data.message, textFrom(data.errorType, 'an error'));
    const isUnexplained = numberFrom(data.statusCode) === undefined;
    return stream.faultEvents(faultOfSession(data, now()) ?? (isUnexplained ? callFault : null));
  };
  const abort = ({ reason }: JsonObject): stream.Events => {
    isAborted = true;
    failure = `it was aborted (${textFrom(reason, 'no reason given')})`;
    return [];
  };
  const account = (line: JsonObject): stream.Events => {
    // It also exits with 0 when it is aborted.
    const isError = line.exitCode !== 0 || isAborted;
    const reason = isError && failure !== null ? { reason: shortened(failure) } : {};
    return run.result({ isError, ...reason, ...figures({ durationMs: objectFrom(line.usage).sessionDurationMs }) });
  };
  const ofData = (events: (data: JsonObject, line: JsonObject) => stream.Events) => (line: JsonObject) =>
    events(objectFrom(line.data), line);

  return {
    hasStructure: true,
    parse: stream.byLine(
      stream.byType(
        {
          'assistant.message': ofData(messageEvents),
          'tool.execution_start': ofData((data) => stream.toolStart(data.toolCallId, data.toolName, data.arguments)),
          'tool.execution_complete': ofData(toolEnded),
          'model.call_failure': ofData(callFailure),
          'session.error': ofData(sessionError),
          'session.warning': ofData(({ message }) => stream.notice(shortened(textFrom(message)))),
          abort: ofData(abort),
          // Only the last line has the session's id.
          result: (line) => [...stream.sessionNews('result', line.sessionId), ...account(line)],
        },
        (line, raw) =>
          KNOWN.test(textFrom(line.type)) ? stream.progress(textFrom(line.type)) : stream.unknown(line, raw),
      ),
    ),
    parseStderr: stream.refusedKey(/^Error: ((?:No authentication information found|Authentication failed).*)/),
  };
}

/** Prefixes of known events; most of them are for its own screen. */
const KNOWN = /^(?:agent|assistant|hook|mcp|model|permission|session|skill|subagent|system|tool|user)\.\w/;

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
  return `API call ${attempt} failed: ${status === undefined ? '' : `HTTP ${status} `}${shortened(callMessage(data))}`;
}

/** JSON: either the service's error object, or Copilot's own sentence in quotes. */
function callMessage(data: JsonObject): string {
  return messageIn(textFrom(data.errorMessage)).replace(/^"(.*)"$/s, '$1');
}

function toolEnded(data: JsonObject): stream.Events {
  const content = textFrom(objectFrom(data.result).content, textFrom(objectFrom(data.error).message));
  // A line that Copilot adds below a command's output.
  const output = content.replace(/\n?<shellId: \S+ completed with exit code -?\d+>$/, '');
  const exitCode = numberFrom(objectFrom(data.shellExecution).exitCode) ?? 0;
  return stream.toolEnd(data.toolCallId, output, data.success === false || exitCode !== 0);
}
