import { expect, test } from 'vitest';
import type { RunKey } from '../../core/action.ts';
import { RalphError } from '../../core/error.ts';
import type { AgentEvent } from '../../core/events.ts';
import { maskFor } from '../../core/text/mask.ts';
import { jsonEvents } from './json-events.ts';

const SECRET = 'very-secret-9d8f7a';
const RUN: RunKey = { loop: 'x', iteration: 1, purpose: 'work', try: 1 };

function linesOf(...events: AgentEvent[]): string[] {
  const { lines } = jsonEvents(maskFor({ MY_TOKEN: SECRET }));
  return events.map((event, seq) => lines({ type: 'progress', run: RUN, seq, event }));
}
const eventsOf = (...events: AgentEvent[]): unknown[] => linesOf(...events).map((line) => JSON.parse(line).event);

test('an event is one line, whatever an agent prints', () => {
  const text = 'a\nb\r\u001b[2J\u0085\u009b31m\u2028\u2029"}\n{"v":1';
  const [line = ''] = linesOf({ type: 'text', text });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them is there.
  expect(line).toMatch(/^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]+\n$/);
  expect(JSON.parse(line)).toEqual({
    v: 1,
    type: 'progress',
    run: { iteration: 1, purpose: 'work', try: 1 },
    seq: 0,
    event: { type: 'text', text },
  });
});

test('keys are hidden, even if an agent prints one over several lines', () => {
  expect(
    eventsOf(
      { type: 'tool-start', id: '1', name: 'Bash', input: `echo ${SECRET}` },
      { type: 'unknown', raw: 'see -----BEGIN PRIVATE KEY-----' },
      { type: 'unknown', raw: 'MIIEvQIBADANBg' },
      { type: 'text', text: '-----END PRIVATE KEY----- there' },
    ),
  ).toEqual([
    { type: 'tool-start', id: '1', name: 'Bash', input: 'echo ***' },
    { type: 'unknown', raw: 'see ***' },
    { type: 'unknown', raw: '' },
    { type: 'text', text: ' there' },
  ]);
});

test.each([
  [
    { code: 0, driven: { kind: 'ended', ending: { kind: 'done' } } },
    { ending: { kind: 'done' }, exitCode: 0 },
  ],
  [
    { code: 130, driven: { kind: 'stopped' } },
    { ending: { kind: 'interrupted' }, exitCode: 130 },
  ],
  [
    { code: 2, error: new RalphError('SETTINGS', `no ${SECRET}`, { hint: 'Fix it.' }) },
    { ending: null, error: { code: 'SETTINGS', message: 'no ***', hint: 'Fix it.' }, exitCode: 2 },
  ],
  [
    { code: 70, error: null },
    { ending: null, error: { code: 'BUG', message: 'this is a bug, please report it' }, exitCode: 70 },
  ],
] as const)('the last line has the ending and the exit code: %o', (end, line) => {
  const { endLine } = jsonEvents(maskFor({ MY_TOKEN: SECRET }));
  expect(JSON.parse(endLine(end))).toEqual({ v: 1, type: 'end', ...line });
});
