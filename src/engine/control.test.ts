import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { pendingControl, sendCommand, waitFor, wantedOf } from './control.ts';

const NEVER = new AbortController().signal;
const wait = (loop: string, until: number | 'now' | 'command', consumed: string | null = null, signal = NEVER) =>
  waitFor({ until, consumed }, { loop, signal });

describe('what people said', () => {
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

  test('is pending until it was consumed', () => {
    const loop = testFolder();
    sendCommand(loop, 'pause');
    const first = pendingControl(loop, null);
    expect(first?.wanted).toBe('pause');
    expect(pendingControl(loop, first?.upTo ?? null)).toBeNull();
    sendCommand(loop, 'resume');
    expect(pendingControl(loop, first?.upTo ?? null)).toMatchObject({ wanted: 'run' });
  });

  test('survives a line that its writer did not finish', () => {
    const loop = testFolder();
    sendCommand(loop, 'pause');
    appendFileSync(join(loop, 'control/commands.jsonl'), '{"id":"x","comm');
    sendCommand(loop, 'resume');
    expect(wantedOf(loop)).toBe('run');
  });

  test('to a loop of an older release is still heard', () => {
    const loop = testFolder();
    mkdirSync(join(loop, 'orders'));
    writeFileSync(join(loop, 'orders/order'), 'pause\n');
    expect(wantedOf(loop)).toBe('pause');
    sendCommand(loop, 'resume');
    expect(wantedOf(loop)).toBe('run');
  });
});

describe('a wait', () => {
  test('of no length consumes what was said', async () => {
    const loop = testFolder();
    expect(await wait(loop, 'now')).toEqual({ kind: 'waited' });
    sendCommand(loop, 'pause');
    const upTo = pendingControl(loop, null)?.upTo;
    expect(await wait(loop, 'now')).toEqual({ kind: 'waited', command: 'pause', consumed: upTo });
    expect(await wait(loop, 'now', upTo)).toEqual({ kind: 'waited' });
  });

  test('that a pause and its end come before goes on, and both are done with', async () => {
    const loop = testFolder();
    sendCommand(loop, 'pause');
    sendCommand(loop, 'resume');
    expect(await wait(loop, 'now')).toEqual({ kind: 'waited', consumed: pendingControl(loop, null)?.upTo });
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
