import { assert, integer, property, string } from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { maskFor } from '../../core/text/mask.ts';
import type { LivePhase, LiveView } from './live-status.ts';
import { heartbeatLine, statusLine } from './status-text.ts';

/** In local time. */
const NOW = new Date(2026, 10, 17, 7, 41, 30).getTime();
const SECRET = 'very-secret-9d8f7a';
const mask = maskFor({ MY_TOKEN: SECRET });

const run = (more: Partial<Extract<LivePhase, { is: 'run' }>> = {}): LivePhase => ({
  is: 'run',
  name: 'work',
  since: NOW - 64_000,
  lastSign: NOW - 12_000,
  tool: 'Bash npm run build',
  ...more,
});
const view = (phase: LivePhase, more: Partial<LiveView> = {}): LiveView => ({
  iteration: 2,
  limit: 10,
  phase,
  cost: { usd: 0.31, isAtLeast: false },
  tokens: 59_000,
  ...more,
});
const at80 = (phase: LivePhase, more?: Partial<LiveView>): string => statusLine(view(phase, more), NOW, 80, mask);

describe('the status line', () => {
  test('shows iteration, phase, time, silence, cost, tokens and tool', () => {
    expect(at80(run())).toBe(' ● 2/10 · work · 1m 04s · quiet 12s · $0.31 · 59K tokens · Bash npm run build');
  });

  test('leaves out unknown values, and silence if there is none', () => {
    const phase = run({ lastSign: NOW - 2999, tool: '' });
    expect(at80(phase, { limit: null, cost: null, tokens: null })).toBe(' ● 2 · work · 1m 04s');
    expect(at80(phase, { cost: { usd: 0.2, isAtLeast: true } })).toContain('· $0.20+ ·');
  });

  test.each<[LivePhase, string]>([
    [{ is: 'step', name: 'check', since: NOW - 3_725_000, detail: 'npm test' }, ' ● 2/10 · check · 1h 02m · npm test'],
    [{ is: 'wait', until: NOW + 42_000 }, ' ◐ 2/10 · waiting, 42s left'],
    [{ is: 'wait', until: NOW + 3 * 3_600_000 }, ' ◐ 2/10 · waiting until 10:41'],
    [{ is: 'wait', until: NOW + 24 * 3_600_000 }, ' ◐ 2/10 · waiting until Wed 07:41'],
    [{ is: 'paused', question: null, since: NOW }, ' ◐ 2/10 · paused · 0s'],
    [{ is: 'paused', question: 'which one?', since: NOW }, ' ◐ 2/10 · needs you · 0s · which one?'],
  ])('of %o', (phase, line) => {
    expect(at80(phase, { cost: null, tokens: null })).toBe(line);
  });

  test('gives up tokens, then cost, then the silence to show what is being done', () => {
    const shown = (columns: number): string => statusLine(view(run()), NOW, columns, mask);
    expect(shown(66)).toBe(' ● 2/10 · work · 1m 04s · quiet 12s · $0.31 · Bash npm run build');
    expect(shown(55)).toBe(' ● 2/10 · work · 1m 04s · quiet 12s · Bash npm run bu…');
    expect(shown(44)).toBe(' ● 2/10 · work · 1m 04s · Bash npm run bui…');
    expect(shown(12)).toBe(' ● 2/10 · …');
  });

  test('shows no key, and obeys nothing in the input of a tool', () => {
    const tool = `Bash \u001b[2J\u001b]0;title\u0007echo\n\t${SECRET}\u202e \u009b31mred`;
    expect(at80(run({ tool }), { cost: null, tokens: null })).toMatch(/· Bash echo \*\*\* (31m)?red$/);
  });

  test('never fills the last column, whatever the tool is called', () => {
    assert(
      property(string({ unit: 'grapheme' }), integer({ min: 2, max: 200 }), (tool, columns) => {
        const line = statusLine(view(run({ tool: `${tool}漢字👨‍👩‍👧é` })), NOW, columns, mask);
        expect(stringWidth(line)).toBeLessThan(columns);
        for (const control of ['\n', '\r', '\u001b']) expect(line).not.toContain(control);
      }),
    );
  });
});

test('a heartbeat shows the same in one line of a log, with the time', () => {
  const phase = run({ since: NOW - 250_000, lastSign: NOW - 35_000 });
  expect(heartbeatLine(view(phase, { cost: { usd: 0.62, isAtLeast: false }, tokens: null }), NOW)).toBe(
    '[07:41] 2/10 work, 4m 10s, quiet 35s, $0.62',
  );
});
