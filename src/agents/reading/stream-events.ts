/** What the parsers of structured streams have in common: how a line is read, and the events that all of them tell. */
import type { AgentEvent } from '../../core/events.ts';
import type { Fault } from '../../core/outcome.ts';
import { shortened } from './faults.ts';
import { inputSummary } from './input-summary.ts';
import { type JsonObject, parseObject, textFrom } from './json-line.ts';

export type Events = readonly AgentEvent[];

/** A line that is no JSON is read as an object without a type: the parser keeps it as unknown. */
export function byLine(read: (line: JsonObject, raw: string) => Events): (raw: string) => Events {
  return (raw) => (raw.trim() === '' ? [] : read(parseObject(raw) ?? {}, raw));
}

export function progress(text: string): AgentEvent {
  return { type: 'progress', text };
}

/** The session's id is what one resumes or looks up. */
export function sessionNews(type: string, id: unknown): AgentEvent {
  return progress(`${type}: session ${textFrom(id, 'unknown')}`);
}

export function notice(text: string): AgentEvent {
  return { type: 'notice', text };
}

export function toolStart(id: unknown, tool: unknown, input: unknown): AgentEvent {
  const name = textFrom(tool, 'tool');
  return { type: 'tool-start', id: textFrom(id), name, input: inputSummary(name, input) };
}

export function faultEvents(fault: Fault | null): Events {
  return fault === null ? [] : [{ type: 'fault', fault }];
}

/** The closing account of a run that failed. */
export function failedRun(message: string, fault: Fault | null, usage: object = {}): Events {
  return [
    ...faultEvents(fault),
    { type: 'result', isError: true, text: message, reason: shortened(message), ...usage },
  ];
}

/** Shows each line of stderr; what the pattern finds, or its group, tells that the agent has no valid key. */
export function refusedKey(pattern: RegExp): (line: string) => Events {
  return (line) => {
    const [whole, group] = pattern.exec(line) ?? [];
    const reason = whole === undefined ? undefined : shortened(group ?? line);
    return [{ type: 'stderr', text: line }, ...faultEvents(reason === undefined ? null : { kind: 'auth', reason })];
  };
}
