import { expect, test } from 'vitest';
import { reportRehearsal } from './report.ts';
import type { Fault, Script } from './script/script.ts';
import type { RecordedRequest } from './server/server.ts';

type Answer = RecordedRequest['answer'];

function request(answer: Answer, more: Partial<RecordedRequest> = {}): RecordedRequest {
  return {
    method: 'POST',
    path: '/v1/messages?beta=true',
    body: {},
    at: 0,
    api: 'anthropic',
    answer,
    fault: undefined,
    ended: 'sent',
    ...more,
  };
}

const turn = (index: number, fault?: Fault): RecordedRequest => request({ kind: 'turn', index }, { fault });

function report(script: Script, requests: readonly RecordedRequest[], remarks: readonly string[] = []): string[] {
  const lines = reportRehearsal({ script, requests, remarks }).split('\n');
  expect(lines.pop()).toBe('');
  return lines;
}

test('one line when all went as written', () => {
  const script = { turns: [{ say: 'one' }, { say: 'two' }, { say: 'three' }] };
  expect(report(script, [turn(0), turn(1)])).toEqual(['Rehearsal: 2 requests, 2 turns played, 1 left']);
  expect(report({ turns: [{ say: 'one' }] }, [turn(0)])).toEqual(['Rehearsal: 1 request, 1 turn played, 0 left']);
});

test('a turn with plays left is left', () => {
  const script = { turns: [{ say: 'one', times: 3 }] };
  expect(report(script, [turn(0), turn(0)])).toEqual(['Rehearsal: 2 requests, 2 turns played, 1 left']);
  expect(report(script, [turn(0), turn(0), turn(0)])).toEqual(['Rehearsal: 3 requests, 3 turns played, 0 left']);
});

test('a command that asked nothing', () => {
  expect(report({ turns: [{ say: 'one' }] }, [])).toEqual(['Rehearsal: the command asked no model']);
});

test('an exhausted script, with what its turns wait for', () => {
  const script = {
    turns: [
      { say: 'one' },
      { match: 'never said', say: 'two' },
      { match: { lastUser: 'x', model: 'y'.repeat(99) }, say: 'three' },
    ],
  };
  expect(report(script, [turn(0), request({ kind: 'exhausted', left: 2 })])).toEqual([
    'Rehearsal: 2 requests, 1 turn played, 2 left',
    '  The script was exhausted: 1 request found no turn.',
    `  Not played: turn 2 (waits for "never said"), turn 3 (waits for "x" and "${'y'.repeat(60)}…")`,
  ]);
});

test('a long list of turns is cut', () => {
  const turns = Array.from({ length: 9 }, () => ({ match: 'no', say: 'x' }));
  expect(report({ turns }, [request({ kind: 'exhausted', left: 9 })]).at(-1)).toContain(
    'turn 3 (waits for "no"), and 6',
  );
});

test('what was answered beside the script, by several APIs, with faults, or not at all', () => {
  const requests = [
    turn(0, { status: 529 }),
    turn(0, { status: 529 }),
    turn(1, { cut: 'event' }),
    request({ kind: 'side' }, { api: 'gemini' }),
    request({ kind: 'otherwise' }, { api: 'gemini' }),
    request({ kind: 'direct', status: 404 }, { api: undefined, method: 'GET', path: '/api/hello?x=1' }),
    request({ kind: 'direct', status: 200 }),
  ];
  const script = { turns: [{ say: 'one', times: 2 }, { say: 'two' }] };
  expect(report(script, requests)).toEqual([
    'Rehearsal: 7 requests, 3 turns played, 0 left',
    '  4 by anthropic, 2 by gemini',
    '  1 request answered by "otherwise"',
    '  1 request without tools, such as for a title, answered beside the script',
    '  Faults played: 2 × status 529, 1 × cut event',
    '  Refused: GET /api/hello (404)',
  ]);
});

test('remarks come last', () => {
  expect(report({ turns: [] }, [], ['Network: shut off'])).toEqual([
    'Rehearsal: the command asked no model',
    'Network: shut off',
  ]);
});
