import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { readableLoop } from '../../../test/support/loops/stored-loop.ts';
import { timelineIn } from '../../../test/support/loops/timeline.ts';
import { readJournal } from '../../state/journal.ts';
import { columnsOf } from '../../stream/columns.ts';
import { conditionOf } from '../../views/loop-condition.ts';
import type { Detail, LoopItem, Snapshot } from '../data.ts';
import { layoutOf } from '../layout.ts';
import { paletteOf } from '../palette.ts';
import { firstState, TABS, type UiState } from '../state.ts';
import { frameOf } from './frame.ts';

const NOW = Date.parse('2026-11-17T07:41:00Z');
const clock = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ');
const drawing = { now: NOW, cwd: '/work', clock, paint: paletteOf('none') };
const JOURNAL = join(import.meta.dirname, '../../../test/fixtures/journals/v4/run-rejected.jsonl');

function item(given: Parameters<typeof readableLoop>[0] = {}, more: Partial<LoopItem> = {}): LoopItem {
  const loop = readableLoop({ createdAt: NOW - 60_000, updatedAt: NOW, ...given });
  return {
    loop,
    short: loop.id.slice(-8, -4),
    successor: null,
    condition: conditionOf(loop, clock),
    activity: null,
    bars: [],
    task: null,
    ...more,
  };
}

const detailOf = (id: string, given: Partial<Detail> = {}): Detail => ({
  id,
  stream: { lines: [{ text: '⏺ Bash(npm test)' }, { text: 'It works.' }], isCut: false },
  timeline: timelineIn(readJournal(JOURNAL).records),
  lastEnded: 2,
  panels: new Map(),
  ...given,
});

function snapshotOf(items: readonly LoopItem[], detail: Detail | null = null): Snapshot {
  return { items, older: 0, unreadable: [], detail };
}

function linesOf(snapshot: Snapshot, given: Partial<UiState> = {}): string[] {
  const size = given.size ?? { columns: 100, rows: 30 };
  const state = { ...firstState(size), selected: snapshot.items[0]?.loop.id ?? null, ...given };
  return frameOf(state, snapshot, drawing).lines.map((line) => stripVTControlCharacters(line).trimEnd());
}

const asking = item({
  id: '20261117-070000-0000p7cd',
  loopKind: 'stories',
  cwd: '/home/me/shop',
  phase: { at: 'wait', until: 'command', then: 'same-iteration', asks: 'which database should the tests use?' },
});
const working = item(
  {
    id: '20261117-070000-0000k3x9',
    cwd: '/home/me/demo',
    iterations: 2,
    phase: { at: 'await', purpose: 'work', handle: { runner: 'direct', name: 'x' } },
  },
  { activity: { text: 'Bash npm run build', changedAt: NOW - 12_000 }, bars: [{ ms: 5, mark: 'failed', since: null }] },
);

test('a row says what a loop is, where it stands and what it does', () => {
  const [head, titles, first, second] = linesOf(snapshotOf([asking, working]), { size: { columns: 160, rows: 30 } });
  expect(head).toContain('2 loops · 1 needs you · 1 working');
  expect(titles).toMatch(/LOOP +KIND +PROJECT +AGENT +STATE +ITER +HISTORY +TIME +QUIET +COST +TOKENS +LAST/);
  expect(first).toMatch(/^▸! 0000 +stories +shop +claude +needs you .*which database should the test…$/);
  expect(second).toMatch(/^ ● 0000 +run +demo +claude +working +2\/10 +✗ .* 12s +– +– +Bash npm run build$/);
});

test('at 80 columns the states of loops that stand still are whole', () => {
  const limit = item({ ending: { kind: 'iteration-limit', limit: 10 }, supervisor: null, iterations: 10 });
  const condition = { is: 'waiting', words: 'limit until 07:41' } as const;
  const waiting = item({ id: '20261117-070000-0000a1a1', loopKind: 'stories' }, { condition });
  const died = item({ id: '20261117-070000-0000d1d1', supervisor: null });
  const [, titles, ...rows] = linesOf(snapshotOf([limit, waiting, died]), { size: { columns: 80, rows: 24 } });
  expect(titles).toMatch(/LOOP +KIND +PROJECT +STATE +ITER +TIME +COST +LAST/);
  expect(rows[0]).toContain(' reached its limit 10/10 ');
  expect(rows[1]).toContain(' stories  work       limit until 07:41 ');
  expect(rows[2]).toContain(' supervisor died ');
});

test('the screen of every size is full, and no line is wider than it', () => {
  const wide = item(
    { id: '20261117-070000-000000w1', cwd: `/home/me/${'日本語'.repeat(20)}` },
    { task: '漢字'.repeat(80) },
  );
  const detail = detailOf(wide.loop.id, { stream: { lines: [{ text: '👩‍👩‍👧 é 日本'.repeat(40) }], isCut: true } });
  for (const size of [
    { columns: 40, rows: 10 },
    { columns: 80, rows: 24 },
    { columns: 100, rows: 30 },
    { columns: 200, rows: 60 },
    { columns: 300, rows: 100 },
  ])
    for (const at of ['list', 'loop'] as const)
      for (const tab of TABS) {
        const { lines } = frameOf(
          { ...firstState(size), selected: wide.loop.id, at, tab },
          snapshotOf([wide, working], detail),
          drawing,
        );
        expect(lines).toHaveLength(size.rows);
        for (const line of lines) expect(columnsOf(stripVTControlCharacters(line))).toBeLessThanOrEqual(size.columns);
      }
});

test('what a terminal would obey in a name, a prompt or an output is not written to it', () => {
  const evil = '\u001b]0;owned\u0007\u001b[2J\u001b[31m\u009b5n\u202e\u0007red';
  const loop = item(
    { id: '20261117-070000-000000e1', cwd: `/home/me/${evil}`, about: { limit: 3, agent: evil, name: evil } },
    { task: evil, activity: { text: evil, changedAt: NOW } },
  );
  const panel = { lines: [{ text: evil }], problem: null };
  const panels = new Map(['diff all', 'stories', 'bus'].map((name) => [name, panel]));
  const detail = detailOf(loop.loop.id, { stream: { lines: [{ text: evil }], isCut: false }, panels });
  for (const at of ['list', 'loop'] as const)
    for (const tab of TABS)
      for (const mode of [
        { is: 'normal' },
        { is: 'say', as: 'tell', id: loop.loop.id, text: evil, behind: 0 },
      ] as const) {
        const state = { ...firstState({ columns: 120, rows: 40 }), selected: loop.loop.id, at, tab, mode };
        const text = frameOf(
          { ...state, notice: { text: evil, isError: true } },
          snapshotOf([loop], detail),
          drawing,
        ).lines.join('\n');
        // biome-ignore lint/suspicious/noControlCharactersInRegex: only our own colours are removed.
        const others = text.replaceAll(/\u001b\[(?:1|2|7|22|27)m/g, '');
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not come through.
        expect(others).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
        expect(others).toContain('red');
      }
});

describe('colours', () => {
  const colorsIn = (depth: 'none' | '16' | 'true'): string[] => {
    const state = { ...firstState({ columns: 120, rows: 40 }), selected: working.loop.id };
    const { lines } = frameOf(state, snapshotOf([asking, working], detailOf(working.loop.id)), {
      ...drawing,
      paint: paletteOf(depth),
    });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with Esc.
    return [...lines.join('').matchAll(/\u001b\[([34][^m]*)m/g)].map(([, code = '']) => code);
  };

  test('none of them without colours', () => {
    expect(colorsIn('none')).toEqual([]);
  });

  test('of the bars, also in the chosen row, whose other cells have none', () => {
    const row = (selected: string): string => {
      const state = { ...firstState({ columns: 120, rows: 40 }), selected };
      const { lines } = frameOf(state, snapshotOf([working]), { ...drawing, paint: paletteOf('16') });
      return lines[2] ?? '';
    };
    expect(row('another')).toContain('\u001b[31m█\u001b[39m');
    const chosen = row(working.loop.id).replaceAll('\u001b', 'ESC');
    expect(chosen).toMatch(/^ESC\[7m▸● .*ESC\[27mESC\[31m█ESC\[39m +ESC\[7m.*ESC\[27m$/);
    expect(chosen.match(/ESC\[[34]\d*m/g)).toEqual(['ESC[31m', 'ESC[39m']);
  });

  test('sixteen, or 24-bit', () => {
    expect(colorsIn('16')).toContain('33');
    expect(colorsIn('16').join(' ')).not.toContain(';2;');
    expect(colorsIn('true').join(' ')).toContain('38;2;');
  });
});

describe('the tabs of a loop', () => {
  const shown = (tab: UiState['tab'], given: Partial<UiState> = {}, detail: Partial<Detail> = {}): string =>
    linesOf(snapshotOf([working], detailOf(working.loop.id, detail)), { at: 'loop', tab, ...given }).join('\n');

  test('stream: what the console shows, and the question below it', () => {
    expect(shown('stream')).toContain(' ⏺ Bash(npm test)\n It works.');
    const lines = linesOf(snapshotOf([asking], detailOf(asking.loop.id)), { at: 'loop' });
    expect(lines.join('\n')).toContain('! which database should the tests use?');
  });

  test('checks: newest first, with the log of the chosen one', () => {
    const panels = new Map([
      ['log .ralph/guardrail_001_check_sh.log', { lines: [{ text: 'expected 3' }], problem: null }],
    ]);
    const text = shown('checks', { cursor: 3 }, { panels });
    expect(text).toMatch(
      /✓ +2 .*\n.*✓ +2 .*\n.*✓ +1 .*\n ▸ ✗ +1 .*exit 1.*\n {5}expected 3\n {5}\.ralph\/guardrail_001/,
    );
  });

  test('commits, costs and the time line come from the journal', () => {
    expect(shown('commits')).toContain('da88f1c');
    expect(shown('cost')).toMatch(/all +3 +\$0\.63/);
    expect(shown('time line')).toContain('DONE rejected');
  });

  test('costs and the time line say how long the running iteration has taken so far', () => {
    const { records } = readJournal(JOURNAL);
    const begun = records.findLastIndex(({ result }) => result.kind === 'started');
    const timeline = timelineIn(records.slice(0, begun + 1));
    const now = timeline.at + 95_000;
    const running = (tab: UiState['tab']): string => {
      const state = { ...firstState({ columns: 80, rows: 24 }), selected: working.loop.id, at: 'loop', tab } as const;
      const { lines } = frameOf(state, snapshotOf([working], detailOf(working.loop.id, { timeline })), {
        ...drawing,
        now,
      });
      return lines.map(stripVTControlCharacters).join('\n');
    };
    expect(running('cost')).toMatch(/\n +2 .* 1m 3\ds +\n/);
    expect(running('time line')).toMatch(/ 2 {2}[█▒]+ .* 1m 3\ds .*\n(?:.*\n)*.*agent 1m 3\ds/);
  });

  test('a loop without checks says whether one can still come', () => {
    const timeline = timelineIn(readJournal(JOURNAL).records.slice(0, 1));
    const without = (given: Parameters<typeof readableLoop>[0]): string => {
      const one = item(given);
      const detail = detailOf(one.loop.id, { timeline });
      return linesOf(snapshotOf([one], detail), { at: 'loop', tab: 'checks' }).join('\n');
    };
    expect(without({})).toContain(' No check has run yet.');
    expect(without({ ending: { kind: 'done' } })).toContain(' This loop has no checks.');
    expect(without({ ending: { kind: 'stopped' } })).toContain(' No check has run.\n');
  });

  test('a diff says of what it is, and which keys choose another', () => {
    expect(shown('diff')).toContain(' all changes    [ previous   ] next\n');
    expect(shown('diff', { iteration: 2 })).toContain(' iteration 2    [ previous   ] next\n');
  });

  test('the help names the tabs that the chosen loop has, and all of it fits on 24 rows of 80', () => {
    const mode = { is: 'help', top: 0 } as const;
    const help = (one: LoopItem): string =>
      linesOf(snapshotOf([one]), { mode, size: { columns: 80, rows: 24 } }).join('\n');
    expect(help(working)).toContain('1-6   stream, checks, diff, commits, cost, time line\n');
    expect(help(asking)).toContain('1-7   stream, checks, stories, diff, commits, cost, time line\n');
    expect(help(working)).toMatch(/Ctrl-C.*\n(?:.*\n)+.*hold Shift\.\n/);
    expect(help(asking)).not.toContain('…');
    expect(help(asking)).toMatch(/\n Any key goes back\.$/);
  });

  test('on the smallest screen the help is whole, and can be read to its end', () => {
    const size = { columns: 40, rows: 10 };
    const seen = Array.from({ length: 60 }, (_, top) =>
      linesOf(snapshotOf([asking]), { mode: { is: 'help', top }, size }),
    );
    const lines = [...(seen[0] ?? []).slice(0, -1), ...seen.slice(1).map((one) => one.at(-2) ?? '')];
    const text = lines.join('\n').replaceAll(/\n {16}/g, ' ');
    expect(text).toContain('\n p  r           pause after this iteration; resume\n');
    expect(text).toContain('\n d  [ ]         what an iteration changed; the previous, next one\n');
    expect(text).not.toContain('…');
    expect(seen.at(-1)?.slice(-2)).toEqual([' Shift.', ' ↑ ↓ scroll  any other key goes back']);
  });

  test('a diff that cannot be read says why', () => {
    const panels = new Map([['diff 2', { lines: [], problem: 'loop k3x9 has no snapshots' }]]);
    expect(shown('diff', { iteration: 2 }, { panels })).toContain('loop k3x9 has no snapshots');
    expect(shown('diff', { iteration: 1 }, { panels })).toContain('reading …');
  });
});

test('the last line offers the keys that act on the chosen loop', () => {
  const keysFor = (one: LoopItem): string | undefined => linesOf(snapshotOf([one])).at(-1);
  expect(keysFor(asking)).toBe(' Enter open  a answer  s stop  t tell  d diff  / filter  ? help  q quit');
  expect(keysFor(working)).toBe(' Enter open  p pause  s stop  t tell  d diff  / filter  ? help  q quit');
  const done = item({ ending: { kind: 'done' }, supervisor: null });
  expect(keysFor(done)).toBe(' Enter open  d diff  / filter  ? help  q quit');
  expect(linesOf(snapshotOf([])).at(-1)).toBe(' / filter  ? help  q quit');
});

test('a notice takes as many lines as it needs, up to four, and is broken between words', () => {
  const shown = (text: string, columns = 80): string[] =>
    linesOf(snapshotOf([working]), { size: { columns, rows: 24 }, notice: { text, isError: false } });
  const command = 'tmux -L ralph-04b1ed6a88d24f attach-session';
  const lines = shown(`You are inside tmux. In another terminal, run: ${command}`);
  expect(lines).toHaveLength(24);
  expect(lines.slice(-2)).toEqual([
    ' You are inside tmux. In another terminal, run: tmux -L ralph-04b1ed6a88d24f',
    ' attach-session',
  ]);
  const long = shown('word '.repeat(200), 40);
  expect(long).toHaveLength(24);
  expect(long.filter((line) => line.startsWith(' word'))).toHaveLength(4);
  expect(long.at(-1)).toMatch(/…$/);
});

test('a notice of several lines covers neither what is followed nor the chosen row', () => {
  const notice = { text: 'word '.repeat(30), isError: false };
  const lines = Array.from({ length: 50 }, (_, index) => ({ text: `line ${index}` }));
  const detail = detailOf(working.loop.id, { stream: { lines, isCut: false } });
  for (const at of ['list', 'loop'] as const) {
    const shown = linesOf(snapshotOf([asking, working], detail), {
      at,
      selected: working.loop.id,
      size: { columns: 80, rows: 24 },
      notice,
    });
    expect(shown.slice(-3)).toEqual([' line 49', expect.stringMatching(/^ word/), expect.stringMatching(/^ word/)]);
  }
  const layout = layoutOf({ ...firstState({ columns: 40, rows: 10 }), notice }, 9);
  expect(layout.list).toBe(4);
});

test('the cursor stands where something is typed, and what is there is in sight', () => {
  const shown = (text: string, behind: number) => {
    const mode = { is: 'say', as: 'tell', id: working.loop.id, text, behind } as const;
    const state = { ...firstState({ columns: 40, rows: 12 }), selected: working.loop.id, mode };
    const { lines, cursor } = frameOf(state, snapshotOf([working]), drawing);
    return [stripVTControlCharacters(lines.at(-1) ?? ''), cursor];
  };
  expect(shown('one two', 0)).toEqual([' tell 0000: one two', { row: 11, column: 19 }]);
  expect(shown('one two', 3)).toEqual([' tell 0000: one two', { row: 11, column: 16 }]);
  expect(shown(`${'a'.repeat(40)}b`, 0)).toEqual([` tell 0000: ${'a'.repeat(26)}b`, { row: 11, column: 39 }]);
  expect(shown(`b${'a'.repeat(40)}`, 41)).toEqual([` tell 0000: b${'a'.repeat(25)}…`, { row: 11, column: 12 }]);
});

test('a screen that is too small says how large it must be', () => {
  const lines = linesOf(snapshotOf([working]), { size: { columns: 30, rows: 8 } });
  expect(lines.join('\n')).toContain('ralph top needs 40×10,\nthis terminal is 30×8.');
});

test('an empty list says how to begin, and a filter that nothing matches how to go back', () => {
  expect(linesOf(snapshotOf([])).join('\n')).toContain('No loops. Start one in another terminal: ralph run "…"');
  expect(linesOf(snapshotOf([working]), { filter: 'zzz' }).join('\n')).toContain('No loop matches the filter.');
});

test('on the smallest screen the first line still says how many need you', () => {
  const [head] = linesOf(snapshotOf([asking, working]), { size: { columns: 40, rows: 10 } });
  expect(head).toBe(' ralph top  2 loops · 1 needs you… 07:41');
});

test('the title of a loop leaves out a cost that no agent has told', () => {
  const usage = { ...working.loop.usage, runs: 1, runsWithoutCost: 1, runsWithoutTokens: 1 };
  const [, figures] = linesOf(snapshotOf([{ ...working, loop: { ...working.loop, usage } }]), { at: 'loop' });
  expect(figures).toMatch(/^ claude · iteration 2\/10 · \S+ · quiet 12s · started /);
});

test('on the smallest screen a question has its answers, and what the list does not show is said at 80 columns', () => {
  const small = { columns: 40, rows: 10 };
  const asked = (question: string): string[] => {
    const mode = { is: 'confirm', what: 'stop', id: working.loop.id, question } as const;
    return linesOf(snapshotOf([working]), { size: small, mode });
  };
  expect(asked('Stop loop 0000 after this iteration?').slice(-2)).toEqual([
    ' Stop loop 0000 after this iteration?',
    ' y/n',
  ]);
  expect(asked('Loop 0000 has no supervisor. End its agent, if that is still at work?').slice(-2)).toEqual([
    ' Loop 0000 has no supervisor. End its',
    ' agent, if that is still at work? y/n',
  ]);
  const shown = linesOf({ ...snapshotOf([working]), older: 12 }, { size: { columns: 80, rows: 24 } }).at(-1);
  expect(shown).toMatch(/q quit {3}12 older: ralph top --all$/);
});
