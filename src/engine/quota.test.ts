/** Usage windows that one loop passes to another, through the files of a state folder. */
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { EPOCH, record } from '../../test/support/loops/play.ts';
import { STARTED } from '../../test/support/loops/results.ts';
import { begun, INPUTS, type State, working } from '../../test/support/loops/tiny-machine.ts';
import type { LoopTerms } from '../core/budget/terms.ts';
import type { Result } from '../core/record.ts';
import { alwaysReady } from '../process/follow.ts';
import type { StateRoot } from '../state/paths.ts';
import { readQuotas, writeQuota } from '../state/quota-file.ts';
import type { Perform } from './performers/perform.ts';
import { quotaSharing } from './quota.ts';

const WINDOWS = [{ name: 'five_hour', used: 0.9, resetsAt: EPOCH + 60_000 }];
const RAN = {
  kind: 'ran',
  outcome: { kind: 'worked' },
  said: { tag: null, firstLine: null },
  transcript: { path: 'runs/x', bytes: 0 },
} as const satisfies Result;
const READ_INPUTS = { do: 'read-inputs', key: 'k', known: null, consumed: null } as const;
const AT = { signal: new AbortController().signal, ready: alwaysReady, progress: () => undefined };

let root: StateRoot;
let shared: ReturnType<typeof quotaSharing>;

beforeEach(() => {
  root = { path: testFolder() };
  shared = quotaSharing(join(root.path, 'loops/one'), false);
});

/** The loop has recorded this; its agent is `work-agent`. */
function keep(seq: number, result: Result, state: State = working): void {
  shared.keep({ type: 'record', record: record(seq, 'k', result), state });
}

/** What the loop's next inputs say. */
async function newsWith(terms: LoopTerms, result: Result = INPUTS): Promise<Result> {
  const perform: Perform = async () => ({ result });
  return (await shared.withNews(perform, terms)(READ_INPUTS, AT)).result;
}

describe('usage that the agent of a loop reports', () => {
  test('is kept for others, with the time of its record', () => {
    keep(3, { ...RAN, quota: WINDOWS });
    expect(readQuotas(root)).toEqual([{ agent: 'work-agent', at: EPOCH + 3000, windows: WINDOWS }]);
  });

  test('is not kept if it reported nothing, or if no agent was started', () => {
    keep(3, STARTED);
    keep(4, RAN);
    keep(5, { ...RAN, quota: WINDOWS }, begun);
    expect(readQuotas(root)).toEqual([]);
  });

  test('is no news for the loop itself', async () => {
    keep(3, { ...RAN, quota: WINDOWS });
    expect(await newsWith({ reserve: 0.2 })).toEqual(INPUTS);
  });
});

describe('usage that agents of other loops reported', () => {
  const sample = { agent: 'other', at: EPOCH, windows: WINDOWS };

  test('comes with the inputs, each sample once and a newer one again', async () => {
    writeQuota(root, sample);
    expect(await newsWith({ reserve: 0.2 })).toEqual({ ...INPUTS, quota: [sample] });
    expect(await newsWith({ reserve: 0.2 })).toEqual(INPUTS);
    const newer = { ...sample, at: EPOCH + 1 };
    writeQuota(root, newer);
    expect(await newsWith({ reserve: 0.2 })).toEqual({ ...INPUTS, quota: [newer] });
  });

  test('comes only with the inputs, and stays news until then', async () => {
    writeQuota(root, sample);
    expect(await newsWith({ reserve: 0.2 }, STARTED)).toEqual(STARTED);
    expect(await newsWith({ reserve: 0.2 })).toEqual({ ...INPUTS, quota: [sample] });
  });

  test('is not read by a loop without a reserve', async () => {
    writeQuota(root, sample);
    expect(await newsWith({})).toEqual(INPUTS);
    expect(await newsWith({ reserve: 0 })).toEqual(INPUTS);
  });

  test('is ignored if a scripted model reported it', async () => {
    writeQuota(root, { ...sample, isRehearsal: true });
    expect(await newsWith({ reserve: 0.2 })).toEqual(INPUTS);
  });
});
