/** A loop as NDJSON, one event per line, for scripts and CI: docs/json-events.md describes the form. */
import type { RalphError } from '../../core/error.ts';
import type { AgentEvent } from '../../core/events.ts';
import { type Mask, maskAcrossLines, maskData } from '../../core/text/mask.ts';
import type { Driven, LoopEvent } from '../../engine/drive.ts';
import { recordLine } from '../../state/journal.ts';

/** Raise it if readers of the current form could not read the new one. */
export const EVENTS_VERSION = 1;

/** How a loop was left, for its last line. */
export type LoopEnd =
  | { readonly code: number; readonly driven: Driven }
  | { readonly code: number; readonly error: RalphError | null };

export function jsonEvents(mask: Mask) {
  const maskText = maskAcrossLines(mask);
  let isNamed = false;
  const lineOf = (type: string, fields: object): string =>
    `${escaped(JSON.stringify({ v: EVENTS_VERSION, type, ...maskData(fields, mask) }))}\n`;
  /** What an agent prints line by line can contain a secret that spans several lines. */
  const maskEvent = (event: AgentEvent): AgentEvent => {
    if (event.type === 'unknown') return { ...event, raw: maskText(event.raw) ?? '' };
    return event.type === 'text' || event.type === 'stderr' ? { ...event, text: maskText(event.text) ?? '' } : event;
  };
  const loopLine = (event: LoopEvent): string => {
    if (isNamed || event.type === 'progress') return '';
    isNamed = true;
    const { id, loopKind: kind, cwd, seq, iteration } = event.state;
    // The first event is an action, or a record that the state already includes.
    return lineOf('loop', { id, kind, cwd, iteration, seq: event.type === 'record' ? seq - 1 : seq });
  };
  const eventLine = (event: LoopEvent): string => {
    switch (event.type) {
      case 'action':
        return lineOf('action', { key: event.action.key, do: event.action.do, iteration: event.state.iteration });
      case 'record':
        return `{"v":${EVENTS_VERSION},"type":"record","record":${escaped(recordLine(event.record, mask))}}\n`;
      case 'budget':
        return lineOf('budget', { ...event.use, iteration: event.state.iteration });
      case 'progress': {
        const { iteration, purpose, try: attempt } = event.run;
        return lineOf('progress', {
          run: { iteration, purpose, try: attempt },
          seq: event.seq,
          event: maskEvent(event.event),
        });
      }
    }
  };
  return {
    lines: (event: LoopEvent): string => `${loopLine(event)}${eventLine(event)}`,
    endLine(end: LoopEnd): string {
      const { code: exitCode } = end;
      if ('driven' in end) {
        const ending = end.driven.kind === 'ended' ? end.driven.ending : { kind: 'interrupted' };
        return lineOf('end', { ending, exitCode });
      }
      const { error } = end;
      const said = error === null ? BUG : { code: error.code, message: error.message, hint: error.advice.hint };
      return lineOf('end', { ending: null, error: said, exitCode });
    },
  };
}

/** The stack trace is on stderr. */
const BUG = { code: 'BUG', message: 'this is a bug, please report it' };

const NOT_ESCAPED = /[\u007f-\u009f\u2028\u2029]/g;

/** JSON does not escape these, but terminals obey some of them, and some programs end a line at others. */
function escaped(json: string): string {
  return json.replaceAll(NOT_ESCAPED, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
