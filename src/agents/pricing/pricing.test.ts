import { describe, expect, test } from 'vitest';
import type { AgentEvent, CallUsage } from '../../core/events.ts';
import type { AgentParser } from '../profile.ts';
import { priceOfCall, priceOfCalls } from './price-list.ts';
import { loadPrices, pricedCalls, pricedParser, unpricedParser } from './pricing.ts';

const MILLION = 1_000_000;
const sonnet = (inputTokens: number, outputTokens: number, more: CallUsage = {}): CallUsage => ({
  model: 'claude-sonnet-5',
  inputTokens,
  outputTokens,
  ...more,
});
const prices = await loadPrices();

describe('a price', () => {
  test('has the entry that it was taken from', () => {
    expect(priceOfCall(sonnet(MILLION, 0))).toEqual({ usd: 2, entry: 'anthropic/claude-sonnet-5' });
    expect(priceOfCall(sonnet(0, MILLION))?.usd).toBe(10);
  });

  test.each(['no-such-model', 'scripted', 'auto', '', '../../x'])('of %j is unknown, not zero', (model) => {
    expect(priceOfCall(sonnet(10, 10, { model }))).toBeNull();
  });

  test('is unknown without figures', () => {
    expect(priceOfCall({ model: 'gpt-5.5' })).toBeNull();
    expect(priceOfCall({ inputTokens: 1, outputTokens: 1 })).toBeNull();
  });

  test('is lower for what a cache spared, and higher for what it took in', () => {
    expect(priceOfCall(sonnet(MILLION, 0, { cacheReadTokens: MILLION }))?.usd).toBeCloseTo(0.2);
    expect(priceOfCall(sonnet(MILLION, 0, { cacheWriteTokens: MILLION }))?.usd).toBeCloseTo(2.5);
    const half = { cacheReadTokens: MILLION / 2, cacheWriteTokens: MILLION / 4 };
    expect(priceOfCall(sonnet(MILLION, 0, half))?.usd).toBeCloseTo(0.1 + 0.625 + 0.5);
  });

  test('can be told for figures that cannot be: more was cached than was read', () => {
    expect(priceOfCall(sonnet(100, 0, { cacheReadTokens: 900, cacheWriteTokens: 900 }))?.usd).toBeCloseTo(0.00002);
  });

  test('of a long prompt may be higher; many calls are not taken for one', () => {
    const long = { model: 'gpt-5.5', inputTokens: MILLION, outputTokens: 0 };
    expect(priceOfCall(long)?.usd).toBe(10);
    expect(priceOfCalls(long)?.usd).toBeCloseTo(5);
    expect(priceOfCalls({ ...long, inputTokens: 10 })?.usd).toBeCloseTo(0.00005);
  });

  test.each([
    ['anthropic/claude-sonnet-5', 'anthropic/claude-sonnet-5'],
    ['my-proxy/claude-sonnet-5', 'anthropic/claude-sonnet-5'],
    ['openrouter/anthropic/claude-sonnet-4.5', 'openrouter/anthropic/claude-sonnet-4.5'],
    ['claude-sonnet-5[1m]', 'anthropic/claude-sonnet-5'],
    ['claude-sonnet-4-5-20250929', 'anthropic/claude-sonnet-4-5'],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'aws/regional.anthropic.claude-sonnet-4-5-20250929-v1:0'],
  ])('is found for %s', (model, entry) => {
    expect(priceOfCall(sonnet(1, 1, { model }))?.entry).toBe(entry);
  });
});

/** A parser that emits these events, one per line. */
function telling(...events: readonly AgentEvent[]): AgentParser {
  return { hasStructure: true, parse: (line) => [events[Number(line)] ?? { type: 'unknown', raw: line }] };
}
const read = (parser: AgentParser, count: number): AgentEvent[] =>
  Array.from({ length: count }, (_, line) => parser.parse(String(line))).flat();
const result = (usage: CallUsage, byModel?: readonly CallUsage[]): AgentEvent => ({
  type: 'result',
  isError: false,
  text: '',
  ...usage,
  ...(byModel === undefined ? {} : { byModel }),
});
const call = (id: string, usage: CallUsage): AgentEvent => ({ type: 'usage', id, ...usage });
const ESTIMATED = { costSource: 'estimated', pricedAs: ['anthropic/claude-sonnet-5'] };

describe('the cost of a run', () => {
  const priced = (...events: AgentEvent[]) =>
    read(pricedParser(telling(...events), { prices, model: undefined }), events.length);

  test('is what the agent reports, if it does', () => {
    expect(priced(call('a', sonnet(1, 1, { costUsd: 3 })), result(sonnet(1, 1, { costUsd: 7 })))).toMatchObject([
      { costUsd: 3, costSource: 'reported' },
      { costUsd: 7, costSource: 'reported' },
    ]);
  });

  test('is the sum of its calls, each counted once with what it said last', () => {
    const [, , last] = priced(
      call('a', sonnet(10, 1)),
      call('a', sonnet(MILLION, 0)),
      result({ inputTokens: MILLION, outputTokens: 0 }),
    );
    expect(last).toMatchObject({ costUsd: 2, model: 'claude-sonnet-5', ...ESTIMATED });
  });

  test('is that of its account, where its calls do not tell everything', () => {
    expect(priced(call('a', sonnet(10, 1)), result(sonnet(MILLION, 0))).at(-1)).toMatchObject({
      costUsd: 2,
      ...ESTIMATED,
    });
  });

  test('is that of all its models together, and unknown where one of them is', () => {
    const other = { model: 'claude-haiku-4-5', inputTokens: MILLION, outputTokens: 0 };
    const total = { inputTokens: 2 * MILLION, outputTokens: 0 };
    const [both] = priced(result(total, [sonnet(MILLION, 0), other]));
    expect(both).toMatchObject({ costUsd: 3, pricedAs: ['anthropic/claude-sonnet-5', 'anthropic/claude-haiku-4-5'] });
    expect(priced(result(total, [sonnet(MILLION, 0), { ...other, model: 'mine' }]))[0]).not.toHaveProperty('costUsd');
  });

  test('is worked out with the model of its flags, where its output names none', () => {
    const parser = pricedParser(telling(result({ inputTokens: MILLION, outputTokens: 0 })), {
      prices,
      model: 'claude-sonnet-5',
    });
    expect(read(parser, 1)).toMatchObject([{ costUsd: 2, model: 'claude-sonnet-5' }]);
  });

  test('is unknown as long as there is no list of prices', () => {
    const parser = pricedParser(telling(result(sonnet(1, 1))), { prices: null, model: undefined });
    expect(read(parser, 1)[0]).not.toHaveProperty('costUsd');
    expect(pricedCalls([sonnet(MILLION, 0)], { prices, model: undefined })).toMatchObject([{ costUsd: 2 }]);
  });
});

test('without prices, no dollars are left of what an agent reports', () => {
  const told = result(sonnet(1, 1, { costUsd: 7 }), [sonnet(1, 1, { costUsd: 7 })]);
  const parser = unpricedParser(telling(call('a', sonnet(1, 1, { costUsd: 3 })), told));
  expect(JSON.stringify(read(parser, 2))).not.toContain('costUsd');
});
