import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Fault } from '../outcome.ts';
import { afterFault, jitterOf, OUTAGE_BUDGET, type Outage, type OutagePolicy } from './outage.ts';

const HOUR = 3_600_000;
const NOW = 1_700_000_000_000;
const OUTAGE: Outage = { id: 'loop-1', at: NOW, faultsInARow: 1, usedMs: 0, notAfter: null };
const POLICY: OutagePolicy = { waits: true, budgetMs: OUTAGE_BUDGET, unitMs: 1000 };
const limit = (resetAt: number | null): Fault => ({ kind: 'limit', reason: 'no more', resetAt });
const DOWN: Fault = { kind: 'infrastructure', reason: 'overloaded' };

describe('a usage limit', () => {
  test('with a reset is waited out at no charge, plus some seconds that differ from loop to loop', () => {
    const after = afterFault(limit(NOW + HOUR), OUTAGE, POLICY);
    const jitter = jitterOf(OUTAGE.id);
    expect(after).toEqual({
      is: 'wait',
      until: NOW + HOUR + jitter,
      chargedMs: jitter,
      for: { kind: 'limit', reason: 'no more' },
    });
    expect(jitter).toBeGreaterThanOrEqual(5000);
    expect(jitter).toBeLessThanOrEqual(60_000);
    expect(jitterOf('loop-2')).not.toBe(jitter);
  });

  test('without a reset is retried after a minute, two, four … at most half an hour', () => {
    const waits = [1, 2, 3, 6, 20].map((faultsInARow) => {
      const after = afterFault(limit(null), { ...OUTAGE, faultsInARow }, POLICY);
      return after.is === 'wait' ? (after.until - NOW) / 60_000 : null;
    });
    expect(waits).toEqual([1, 2, 4, 30, 30]);
  });

  test('whose reset has passed, again and again, is not retried every second', () => {
    const after = afterFault(limit(NOW - HOUR), { ...OUTAGE, faultsInARow: 3 }, POLICY);
    expect(after).toMatchObject({ is: 'wait', until: NOW + 4 * 60_000, chargedMs: 4 * 60_000 });
  });

  test('ends the loop if it must not wait, or if the reset comes too late', () => {
    const ending = { kind: 'usage-limit', reason: 'no more', resetAt: NOW + HOUR };
    expect(afterFault(limit(NOW + HOUR), OUTAGE, { ...POLICY, waits: false })).toEqual({ is: 'end', ending });
    expect(afterFault(limit(NOW + HOUR), { ...OUTAGE, notAfter: NOW + HOUR }, POLICY)).toEqual({ is: 'end', ending });
  });
});

describe('an outage', () => {
  test('is followed by longer and longer waits, which are all charged to the budget', () => {
    expect(afterFault(DOWN, { ...OUTAGE, faultsInARow: 4 }, POLICY)).toEqual({
      is: 'wait',
      until: NOW + 8000,
      chargedMs: 8000,
      for: { kind: 'infrastructure', reason: 'overloaded' },
    });
  });

  test('ends the loop when the budget is used up, and says so', () => {
    const after = afterFault(DOWN, { ...OUTAGE, faultsInARow: 9, usedMs: OUTAGE_BUDGET - 1000 }, POLICY);
    const reason = 'overloaded; the outage budget of 6h is used up';
    expect(after).toEqual({ is: 'end', ending: { kind: 'infrastructure', reason } });
  });

  test('of another kind is named in the ending', () => {
    const after = afterFault({ kind: 'hang', reason: 'silent' }, OUTAGE, { ...POLICY, budgetMs: 0 });
    expect(after).toMatchObject({ ending: { reason: expect.stringMatching(/^hang: silent; the outage budget/) } });
  });
});

test('whatever is reported, the loop waits for a future time, is charged no more than it waits, and ends within its budget', () => {
  const resets = fc.option(fc.integer({ min: -10 * HOUR, max: 100 * HOUR }), { nil: null });
  fc.assert(
    fc.property(fc.array(resets, { minLength: 1, maxLength: 60 }), fc.string(), (offsets, id) => {
      let [at, usedMs] = [NOW, 0];
      for (const [index, offset] of offsets.entries()) {
        const outage = { ...OUTAGE, id, at, usedMs, faultsInARow: index + 1 };
        const after = afterFault(limit(offset === null ? null : at + offset), outage, POLICY);
        if (after.is === 'end') return;
        expect(after.until).toBeGreaterThan(at);
        expect(after.chargedMs).toBeGreaterThanOrEqual(0);
        expect(after.chargedMs).toBeLessThanOrEqual(after.until - at);
        [at, usedMs] = [after.until, usedMs + after.chargedMs];
        expect(usedMs).toBeLessThanOrEqual(POLICY.budgetMs);
      }
    }),
  );
});
