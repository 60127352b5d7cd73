import { once } from 'node:events';
import { appendFileSync, mkdirSync, renameSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import type { Action } from '../core/action.ts';
import {
  commandFor,
  commandWhileAsking,
  hasAnswer,
  heardBeforeWork,
  type Pending,
  pendingControl,
  readControl,
  sendCommand,
  voidEarlierCommands,
  wantedOf,
} from './control.ts';
import type { Perform } from './performers/perform.ts';
import { waitFor, withControl } from './wait.ts';

const NEVER = new AbortController().signal;
const wait = (loop: string, until: number | 'now' | 'command', consumed: string | null = null, signal = NEVER) =>
  waitFor({ until, consumed }, { loop, signal });

const pendingOf = (loop: string, consumed: string | null): Pending => {
  const pending = pendingControl(loop, consumed);
  if (pending === null) throw new Error('nothing is pending');
  return pending;
};
const awaiting = (purpose: string): Action => ({
  do: 'await',
  key: `1/${purpose}/1/await`,
  run: { loop: 'l', iteration: 1, purpose, try: 1 },
  agent: { command: 'agent', flags: [], mode: 'stream' },
  handle: { runner: 'direct', name: 'run' },
  listen: { tag: 'response', multiline: false },
  limits: { timeMs: null, idleMs: null },
});

describe('what people send', () => {
  test('is kept in order; the last word counts, but a stop is not taken back', () => {
    const loop = testFolder();
    expect(wantedOf(loop)).toBe('run');
    sendCommand(loop, 'pause');
    expect(wantedOf(loop)).toBe('pause');
    sendCommand(loop, 'resume');
    expect(wantedOf(loop)).toBe('run');
    sendCommand(loop, 'stop');
    sendCommand(loop, 'resume');
    expect(wantedOf(loop)).toBe('stop');
  });

  test('is in the queue once if it is sent again with the same id', () => {
    const loop = testFolder();
    for (const id of ['one', 'one', 'two', 'one']) sendCommand(loop, { command: 'tell', text: id }, id);
    expect(readControl(loop).map(({ id }) => id)).toEqual(['one', 'two']);
  });

  test('is pending until it is consumed', () => {
    const loop = testFolder();
    sendCommand(loop, 'pause');
    const first = pendingControl(loop, null);
    expect(first?.wanted).toBe('pause');
    expect(pendingControl(loop, first?.consumed ?? null)).toBeNull();
    sendCommand(loop, 'resume');
    expect(pendingControl(loop, first?.consumed ?? null)).toMatchObject({ wanted: 'run' });
  });

  test('before a loop was continued does not count, except for messages', () => {
    const loop = testFolder();
    voidEarlierCommands(loop);
    expect(wantedOf(loop)).toBe('run');
    expect(pendingControl(loop, null)).toBeNull();
    sendCommand(loop, { command: 'stop', now: true });
    sendCommand(loop, { command: 'tell', text: 'use tabs' });
    sendCommand(loop, 'pause');
    voidEarlierCommands(loop);
    expect(wantedOf(loop)).toBe('run');
    expect(pendingOf(loop, null)).toMatchObject({ wanted: 'run', isUrgent: false, told: [{ text: 'use tabs' }] });
    sendCommand(loop, 'pause');
    expect(wantedOf(loop)).toBe('pause');
    expect(heardBeforeWork(loop, null).told).toEqual([{ as: 'tell', text: 'use tabs' }]);
  });

  test('survives a line that its writer did not finish', () => {
    const loop = testFolder();
    sendCommand(loop, 'pause');
    appendFileSync(join(loop, 'control/commands.jsonl'), '{"id":"x","comm');
    sendCommand(loop, 'resume');
    expect(wantedOf(loop)).toBe('run');
  });

  test('to a loop of an older release still works', () => {
    const loop = testFolder();
    mkdirSync(join(loop, 'orders'));
    writeFileSync(join(loop, 'orders/order'), 'pause\n');
    expect(wantedOf(loop)).toBe('pause');
    sendCommand(loop, 'resume');
    expect(wantedOf(loop)).toBe('run');
  });
});

describe('a message for the agent', () => {
  const TELL = { command: 'tell', text: 'use tabs' } as const;

  test('is read with the inputs, unless a command for the loop itself comes before it', () => {
    const loop = testFolder();
    expect(heardBeforeWork(loop, null)).toEqual({});
    const first = sendCommand(loop, TELL);
    sendCommand(loop, 'pause');
    sendCommand(loop, { command: 'answer', text: 'PostgreSQL' });
    expect(heardBeforeWork(loop, null)).toEqual({ consumed: first, told: [{ as: 'tell', text: 'use tabs' }] });
    expect(heardBeforeWork(loop, first)).toEqual({});
  });

  test('does not wake a paused loop, and is read with the command that does', async () => {
    const loop = testFolder();
    const paused = sendCommand(loop, 'pause');
    sendCommand(loop, TELL);
    expect(commandFor(pendingOf(loop, paused), true)).toBeUndefined();
    const waiting = wait(loop, 'command', paused);
    const resumed = sendCommand(loop, 'resume');
    const told = [{ as: 'tell', text: 'use tabs' }];
    expect(await waiting).toEqual({ kind: 'waited', command: 'resume', consumed: resumed, told });
  });

  test('is not a command of another form', () => {
    const loop = testFolder();
    sendCommand(loop, TELL);
    appendFileSync(join(loop, 'control/commands.jsonl'), '{"id":"x","command":"tell"}\n{"id":"y","command":"rm"}\n');
    expect(pendingOf(loop, null).told).toEqual([{ as: 'tell', text: 'use tabs' }]);
  });
});

describe('a command that cannot wait', () => {
  test('is urgent until it is taken back or consumed', () => {
    const loop = testFolder();
    sendCommand(loop, 'pause');
    expect(pendingOf(loop, null).isUrgent).toBe(false);
    const urgent = sendCommand(loop, { command: 'pause', now: true });
    expect(pendingOf(loop, null).isUrgent).toBe(true);
    expect(pendingControl(loop, urgent)).toBeNull();
    sendCommand(loop, 'resume');
    expect(pendingOf(loop, null).isUrgent).toBe(false);
  });

  test.each<[string, Action]>([
    ['the work', awaiting('work')],
    ['the run that writes a commit message', awaiting('message')],
    ['a check', { do: 'check', key: '1/check/0', check: CHECK }],
    ['a step that nothing outside sees', { do: 'step', key: '1/s/1', what: 's', given: null, outward: false }],
  ])('cuts off %s, as an interruption by a command', async (_what, action) => {
    const { loop, steered } = steeredUntilAborted();
    const performed = steered.perform(action, AROUND);
    sendCommand(loop, { command: 'stop', now: true });
    expect((await performed).result).toEqual({ kind: 'interrupted', reason: 'cut off', byCommand: true });
  });

  test('does not cut off a step that is visible outside, nor anything once it is consumed', async () => {
    const { loop, steered } = steeredUntilAborted();
    const leave = new AbortController();
    const outward = { do: 'step', key: '1/s/1', what: 's', given: null, outward: true } as const;
    const performed = steered.perform(outward, { ...AROUND, signal: leave.signal });
    sendCommand(loop, { command: 'stop', now: true });
    // The same command cuts off the agent's work, so it has been read.
    await steered.perform(awaiting('work'), AROUND);
    leave.abort();
    expect((await performed).result).toEqual({ kind: 'interrupted', reason: 'cut off' });
  });

  test('that came before a check keeps it from starting', async () => {
    const { loop, steered, begun } = steeredUntilAborted();
    sendCommand(loop, { command: 'pause', now: true });
    const { result } = await steered.perform({ do: 'check', key: '1/check/0', check: CHECK }, AROUND);
    expect(result).toMatchObject({ kind: 'interrupted', byCommand: true });
    expect(begun).toEqual([]);
  });

  test('is not the cause if a signal ended the action', async () => {
    const { steered } = steeredUntilAborted();
    const performed = steered.perform(awaiting('work'), { ...AROUND, signal: AbortSignal.abort() });
    expect((await performed).result).toEqual({ kind: 'interrupted', reason: 'cut off' });
  });
});

const CHECK = { kind: 'command', given: { command: 'x' }, index: 0, log: 'l', keepChars: 1, timeoutMs: null } as const;
const AROUND = { signal: NEVER, ready: () => null, progress: () => undefined };

/** Every action goes on until it is aborted. */
function steeredUntilAborted() {
  const loop = testFolder();
  const begun: Action['do'][] = [];
  const perform: Perform = (action, { signal }) =>
    new Promise((resolve) => {
      begun.push(action.do);
      const over = () => resolve({ result: { kind: 'interrupted', reason: 'cut off' } });
      signal.addEventListener('abort', over);
      if (signal.aborted) over();
    });
  const steered = withControl(perform, loop, null);
  onTestFinished(() => steered.close());
  return { loop, steered, begun };
}

test.each([
  ['emptied', (folder: string) => mkdirSync(folder)],
  ['as it was', (folder: string) => renameSync(`${folder}.aside`, folder)],
])('a control folder that is removed during a pause and put back, %s, is watched again', async (_how, putBack) => {
  const loop = testFolder();
  const folder = join(loop, 'control');
  const waiting = wait(loop, 'command');
  // Each change must be seen before the next one is made.
  for (const change of [() => renameSync(folder, `${folder}.aside`), () => putBack(folder)]) {
    const watching = watch(loop);
    const seen = once(watching, 'change');
    change();
    await seen;
    watching.close();
  }
  sendCommand(loop, 'resume');
  expect(await waiting).toMatchObject({ kind: 'waited', command: 'resume' });
});

describe('a wait', () => {
  test('of no length consumes what was sent', async () => {
    const loop = testFolder();
    expect(await wait(loop, 'now')).toEqual({ kind: 'waited' });
    sendCommand(loop, 'pause');
    const upTo = pendingControl(loop, null)?.consumed;
    expect(await wait(loop, 'now')).toEqual({ kind: 'waited', command: 'pause', consumed: upTo });
    expect(await wait(loop, 'now', upTo)).toEqual({ kind: 'waited' });
  });

  test('does not stop for a pause that has ended, and both commands are consumed', async () => {
    const loop = testFolder();
    sendCommand(loop, 'pause');
    sendCommand(loop, 'resume');
    expect(await wait(loop, 'now')).toEqual({ kind: 'waited', consumed: pendingControl(loop, null)?.consumed });
  });

  test('for a command ends when one comes', async () => {
    const loop = testFolder();
    const waiting = wait(loop, 'command');
    sendCommand(loop, 'resume');
    expect(await waiting).toMatchObject({ kind: 'waited', command: 'resume' });
  });

  test('of some time ends by itself, by a command, or by the signal', async () => {
    const loop = testFolder();
    expect(await wait(loop, 500)).toEqual({ kind: 'waited' });
    const waiting = wait(loop, Date.now() + 1e6);
    sendCommand(loop, 'stop');
    expect(await waiting).toMatchObject({ kind: 'waited', command: 'stop' });
    const signal = AbortSignal.abort();
    expect(await wait(testFolder(), Date.now() + 1e6, null, signal)).toMatchObject({ kind: 'interrupted' });
  });
});

describe('a wait for an answer', () => {
  const asking = (loop: string) =>
    waitFor({ until: 'command', consumed: null, isAsking: true }, { loop, signal: NEVER });

  test('is ended by an answer, which brings along earlier messages', async () => {
    const loop = testFolder();
    sendCommand(loop, { command: 'tell', text: 'Be quick.' });
    sendCommand(loop, { command: 'answer', text: 'Files.' });
    const told = [
      { as: 'tell', text: 'Be quick.' },
      { as: 'answer', text: 'Files.' },
    ];
    expect(await asking(loop)).toEqual({ kind: 'waited', consumed: expect.any(String), told });
  });

  test('is ended by resume and stop; a pause is obeyed once there is an answer', async () => {
    for (const command of ['resume', 'stop'] as const) {
      const loop = testFolder();
      sendCommand(loop, command);
      expect(await asking(loop)).toMatchObject({ kind: 'waited', command });
    }
    const loop = testFolder();
    sendCommand(loop, 'pause');
    expect(commandWhileAsking(pendingOf(loop, null))).toBeUndefined();
    sendCommand(loop, { command: 'answer', text: 'Files.' });
    expect(await asking(loop)).toMatchObject({ kind: 'waited', command: 'pause' });
  });

  test('is not ended by a message, nor by a new supervisor', () => {
    const loop = testFolder();
    sendCommand(loop, { command: 'tell', text: 'Be quick.' });
    voidEarlierCommands(loop);
    const pending = pendingOf(loop, null);
    expect([hasAnswer(pending), commandWhileAsking(pending)]).toEqual([false, undefined]);
  });
});
