import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { timelineIn } from '../../test/support/loops/timeline.ts';
import { readJournal } from '../state/journal.ts';
import { columnsOf } from '../stream/columns.ts';
import { showLines } from './show-lines.ts';
import type { Timeline } from './timeline/timeline.ts';

const JOURNALS = join(import.meta.dirname, '../../test/fixtures/journals');
const shown = {
  name: 'da88',
  place: '~/demo',
  clock: (at: number) => new Date(at).toISOString().slice(0, 16).replace('T', ' '),
};
const read = (name: string): Timeline => timelineIn(readJournal(join(JOURNALS, name)).records);
const text = (timeline: Timeline): string[] => showLines(timeline, shown).map((line) => line.text);

test('the time line of a loop whose first DONE was rejected', () => {
  const timeline = read('v4/run-rejected.jsonl');
  const [first, second] = timeline.iterations;
  if (first === undefined || second === undefined) throw new Error('it has two iterations');
  const iterations = [
    { ...first, agentMs: 85_000, checksMs: 15_000, workedMs: 100_000, waitedMs: 0 },
    { ...second, agentMs: 80_000, checksMs: 12_000, workedMs: 92_000, waitedMs: 0 },
  ];
  const totals = { ...timeline.totals, workedMs: 192_000, agentMs: 165_000, checksMs: 27_000, waitedMs: 0 };
  expect(text({ ...timeline, iterations, totals })).toEqual([
    'da88 · run · ~/demo · claude · started 2026-11-17 04:11, ended 04:11',
    'fix the failing tests',
    '',
    '04:11  1  █████████████████▒▒▒   1m 40s    $0.21  DONE rejected',
    '          ./check.sh ✗ exit 1 (0.0s) · node --check greet.js ✓',
    '04:11  2  ████████████████▒▒     1m 32s    $0.42  done → da88f1c',
    '          ./check.sh ✓ · node --check greet.js ✓',
    '          █ agent  ▒ checks',
    'total  2 iterations, 3m 12s (agent 2m 45s, checks 27s), $0.63, 174K tokens in,',
    '       3K out, 2 tool calls',
    'ended  Done in 2 iterations',
  ]);
});

test('every loop kind has one, and none is wider than 80 columns', () => {
  for (const version of ['v2', 'v4']) {
    for (const name of readdirSync(join(JOURNALS, version)).filter((file) => file.endsWith('.jsonl'))) {
      const timeline = read(join(version, name));
      const lines = text(timeline);
      expect(lines.filter((line) => columnsOf(line) > 80)).toEqual([]);
      for (const { outcome } of timeline.iterations) expect(lines.join('\n')).toContain(outcome.words);
    }
  }
});

test('what failed says why below its row, and an ending its reason', () => {
  const lines = text(read('v2/task-ended.jsonl')).join('\n');
  expect(lines).toContain('\n          exit 1: boom: cannot do that\n');
  expect(lines).toMatch(/\nended {2}Stopped at the limit of 1 iteration$/);
  expect(text(read('v2/run-ended.jsonl')).join('\n')).toContain('push ✗ git push: exit 128: ');
});

test('of a check with a long name the verdict stays', () => {
  const timeline = read('v4/run-rejected.jsonl');
  const iterations = timeline.iterations.map((iteration) => ({
    ...iteration,
    checks: iteration.checks.map((check) => ({ ...check, label: 'x'.repeat(300) })),
  }));
  const checks = text({ ...timeline, iterations }).filter((line) => line.includes('xxx'));
  expect(checks.map((line) => line.split('…')[1])).toEqual([' ✗ exit 1 (0.0s)', ' ✓', ' ✓', ' ✓']);
  expect(checks.map(columnsOf)).toEqual([80, 80, 80, 80]);
});

test('a loop that is not over has no ending, and an agent’s words no escape sequence', () => {
  const timeline = read('v2/session-unfinished.jsonl');
  const lines = text({ ...timeline, task: '\u001b[2Jclear', agent: 'a\nb' });
  expect(lines.join('\n')).not.toContain('ended');
  expect(lines.slice(0, 2)).toEqual([expect.stringContaining(' · session · ~/demo · a b'), 'clear']);
});

test('a bar is never longer than its place, and what took any time is seen', () => {
  const timeline = read('v4/run-rejected.jsonl');
  const iterations = [
    { agentMs: 1, checksMs: 1_000_000 },
    { agentMs: 1_000_000, checksMs: 1 },
  ].flatMap((times, index) => {
    const iteration = timeline.iterations[index];
    return iteration === undefined ? [] : [{ ...iteration, ...times }];
  });
  const bars = text({ ...timeline, iterations }).flatMap((line) => /[█▒]{2,}/.exec(line)?.[0] ?? []);
  expect(bars).toEqual([`█${'▒'.repeat(19)}`, `${'█'.repeat(19)}▒`]);
});

test('no line is wider than a narrower terminal', () => {
  for (const version of ['v2', 'v4']) {
    for (const name of readdirSync(join(JOURNALS, version)).filter((file) => file.endsWith('.jsonl'))) {
      const lines = showLines(read(`${version}/${name}`), { ...shown, width: 40 }).map((line) => line.text);
      expect({ name, wide: lines.filter((line) => columnsOf(line) > 40) }).toEqual({ name, wide: [] });
    }
  }
});
