/**
 * The order of events in the driver, with a journal that logs every call: nothing outward before its reason is on disk.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { firstRecord } from '../../test/support/loops/play.ts';
import { checked, published, STARTED, WAITED, worked } from '../../test/support/loops/results.ts';
import type { Action } from '../core/action.ts';
import { loopMachine } from '../core/machine/machine.ts';
import type { Recorded, Result } from '../core/record.ts';
import type { Go as CoreGo, LoopRules } from '../core/rules.ts';
import { journalPath, statusPath } from '../state/paths.ts';
import { drive } from './drive.ts';
import type { Perform } from './performers/perform.ts';

const NEVER = new AbortController().signal;
type TinySteps = { readonly x: { readonly given: null; readonly gave: null } };
type TinyRules = LoopRules<null, TinySteps>;
type Go = CoreGo<keyof TinySteps>;
const DONE: Go = { to: 'end', ending: { kind: 'done' } };

/** A run, then what the test says. */
function rulesWith(after: Go, then: Go = DONE, isOutward = true): TinyRules {
  const on = { data: null, go: then };
  return {
    loopKind: 'tiny',
    begin: () => null,
    takeInputs: () => null,
    limit: () => 3,
    backoffUnit: () => 1,
    agent: () => ({ command: 'agent', flags: [], mode: 'stream' }),
    prompt: () => '',
    listen: () => ({ tag: 't', multiline: false }),
    afterRun: () => ({ data: null, go: after }),
    checks: {
      spec: (_state, index) => ({
        kind: 'command',
        given: { command: 'check' },
        index,
        log: 'log',
        keepChars: 100,
        timeoutMs: null,
      }),
      after: () => on,
    },
    publishing: {
      spec: (_state, index) => ({ index, command: 'git', task: 'commit', message: 'm', stage: 'tracked' }),
      after: () => on,
    },
    steps: { x: { ...(isOutward ? { outward: true } : {}), given: () => null, after: () => on } },
  };
}

const RESULTS: Readonly<Record<Exclude<Action['do'], 'end'>, Result>> = {
  'read-inputs': { kind: 'inputs', digest: 'd', inputs: null },
  start: STARTED,
  await: worked(),
  check: checked(0, true),
  publish: published(0),
  step: { kind: 'stepped', what: 'x', gave: null },
  wait: WAITED,
};

interface Disk {
  /** Called at every sync, awaited or not; a rejection is a failing disk. */
  sync?: (number: number) => Promise<void>;
}

/** Drives a loop to its end, and returns what happened in which order. */
async function timeline(rules: TinyRules, { sync = async () => undefined }: Disk = {}) {
  const tiny = loopMachine(rules);
  const folder = testFolder();
  writeFileSync(journalPath(folder), '');
  const seen: string[] = [];
  let syncs = 0;
  const journal = {
    append({ result }: Recorded) {
      seen.push(`append ${result.kind}`);
      return Buffer.alloc(0);
    },
    async sync() {
      const number = ++syncs;
      seen.push(`sync ${number} begins`);
      await sync(number);
      seen.push(`sync ${number} is through`);
    },
    syncNow: () => void seen.push('sync now'),
    bytes: () => 0,
    mask: (text: string) => text,
    close: () => undefined,
  };
  const perform: Perform = async (action) => {
    seen.push(action.do);
    if (action.do === 'end') throw new Error('not for a performer');
    // Long enough for anything that was deferred.
    if (action.do === 'check' || action.do === 'step') for (let turn = 0; turn < 3; turn++) await turnOfTheLoop();
    return { result: RESULTS[action.do], attempt: 1 };
  };
  const state = tiny.begin(firstRecord('tiny'));
  const loop = { folder, createdAt: 0, journal, machine: tiny, state, close: () => undefined };
  const driving = drive(tiny, loop, perform, {
    emit: (event) => {
      if (event.type === 'record' && event.record.result.kind === 'ended') seen.push('the end is shown');
    },
    stop: NEVER,
    cancel: NEVER,
  });
  return { seen, driving, folder };
}

/** Whatever will happen happens within this many turns: nothing here waits for the outside. */
async function until(seen: readonly string[], what: string): Promise<void> {
  for (let turn = 0; turn < 1000 && !seen.includes(what); turn++) await turnOfTheLoop();
  expect(seen).toContain(what);
}

/** What came between these two, without them. */
function between(seen: readonly string[], from: string, to: string): string[] {
  expect(seen).toContain(from);
  expect(seen).toContain(to);
  return seen.slice(seen.indexOf(from) + 1, seen.indexOf(to));
}

describe("an agent's outcome", () => {
  test('is being written to the disk during the next action, without a wait', async () => {
    let release = (): void => undefined;
    const slow = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { seen, driving } = await timeline(rulesWith({ to: 'check', index: 0 }), {
      sync: (number) => (number === 1 ? slow : Promise.resolve()),
    });
    await until(seen, 'append checked');
    expect(between(seen, 'append ran', 'append checked')).toEqual(['check', 'sync 1 begins']);
    release();
    await driving;
  });
});

const OUTWARD: readonly [what: string, rules: TinyRules, action: string][] = [
  ['a commit or a push', rulesWith({ to: 'publish', index: 0 }), 'publish'],
  ["a loop kind's own step outward", rulesWith({ to: 'step', what: 'x' }), 'step'],
  ['the record of the end', rulesWith(DONE), 'append ended'],
];

describe.each(OUTWARD)('%s', (_what, rules, action) => {
  test('comes after a sync that began after the last record and has finished', async () => {
    const { seen, driving } = await timeline(rules);
    await driving;
    expect(between(seen, 'append ran', action)).toEqual(['sync 1 begins', 'sync 1 is through']);
  });

  test('waits for a slow disk', async () => {
    let release = (): void => undefined;
    const slow = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { seen, driving } = await timeline(rules, { sync: () => slow });
    await until(seen, 'sync 1 begins');
    for (let turn = 0; turn < 10; turn++) await turnOfTheLoop();
    expect(seen.at(-1)).toBe('sync 1 begins');
    release();
    await driving;
    expect(seen).toContain(action);
  });

  test('is not done if the disk fails', async () => {
    const { seen, driving } = await timeline(rules, { sync: () => Promise.reject(new Error('EIO')) });
    await expect(driving).rejects.toThrow('EIO');
    expect(seen).not.toContain(action);
  });
});

test('a step that is not visible outside waits for no sync', async () => {
  const { seen, driving } = await timeline(rulesWith({ to: 'step', what: 'x' }, DONE, false));
  await driving;
  expect(between(seen, 'append ran', 'step')).toEqual([]);
});

test('the record of a publish is on the disk before the end is', async () => {
  const { seen, driving } = await timeline(rulesWith({ to: 'publish', index: 0 }));
  await driving;
  expect(between(seen, 'append published', 'append ended')).toEqual(['sync 2 begins', 'sync 2 is through']);
});

test('the end is on the disk, with its folder, before it is shown', async () => {
  const { seen, driving, folder } = await timeline(rulesWith(DONE));
  await expect(driving).resolves.toEqual({ kind: 'ended', ending: { kind: 'done' } });
  expect(between(seen, 'append ended', 'the end is shown')).toEqual(['sync now']);
  expect(existsSync(statusPath(folder))).toBe(true);
  expect(readFileSync(statusPath(folder), 'utf8')).toContain('"kind":"done"');
});

test('a disk that failed once and recovered still blocks what is visible outside: what was lost is lost', async () => {
  const { seen, driving } = await timeline(rulesWith({ to: 'check', index: 0 }, { to: 'publish', index: 0 }), {
    sync: (number) => (number === 1 ? Promise.reject(new Error('EIO')) : Promise.resolve()),
  });
  await expect(driving).rejects.toThrow('EIO');
  expect(seen).not.toContain('publish');
});
