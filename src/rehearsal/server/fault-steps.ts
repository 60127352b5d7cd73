/** What is done on a connection to send a reply, with the fault that befalls it. */
import type { Fault } from './fault.ts';

export type Step =
  | { readonly do: 'write'; readonly text: string }
  /** Undefined: until the client goes. */
  | { readonly do: 'wait'; readonly forMs: number | undefined }
  /** Destroys the connection. */
  | { readonly do: 'cut' };

/** Faults that are over before there is a byte of the reply; a refusal by status has no reply at all. */
export function* stepsBefore(fault: Fault | undefined): Generator<Step> {
  if (!fault) return;
  if ('stall' in fault && fault.stall === 'before') yield { do: 'wait', forMs: fault.forMs };
  if ('cut' in fault && fault.cut === 'before') yield { do: 'cut' };
}

/** `events` may be one, when the reply comes in one piece. */
export function* stepsOf(events: Iterable<string>, fault: Fault | undefined): Generator<Step> {
  if (!fault || !breaksTheMiddle(fault)) {
    for (const text of events) yield { do: 'write', text };
    return;
  }
  const all = [...events];
  const middle = Math.floor(all.length / 2);
  const [before, after] = [all.slice(0, middle), all.slice(middle)];
  yield { do: 'write', text: before.join('') };
  if ('malformed' in fault) {
    // All that follow: Codex passes over a single bad piece of text, since it gets the whole text at the end.
    yield { do: 'write', text: after.map(torn).join('') };
    return;
  }
  const half = Math.ceil((after[0]?.length ?? 0) / 2);
  const rest = after.join('');
  yield { do: 'write', text: rest.slice(0, half) };
  yield 'cut' in fault ? { do: 'cut' } : { do: 'wait', forMs: fault.forMs };
  yield { do: 'write', text: rest.slice(half) };
}

type MiddleFault = Extract<Fault, { stall: unknown } | { cut: unknown } | { malformed: unknown }>;

function breaksTheMiddle(fault: Fault): fault is MiddleFault {
  return (
    'malformed' in fault || ('stall' in fault && fault.stall === 'middle') || ('cut' in fault && fault.cut === 'event')
  );
}

/** Still an event by its form, so that it is the JSON in it that is wrong. */
function torn(event: string): string {
  const [end = ''] = /\n*$/.exec(event) ?? [];
  return `${event.slice(0, event.length - end.length - 1)}${end}`;
}
