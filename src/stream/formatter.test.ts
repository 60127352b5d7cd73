import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../core/events.ts';
import { DEFAULT_FORMAT, eventFormatter, type FormatOptions } from './formatter.ts';

const RESULT: AgentEvent = {
  type: 'result',
  isError: false,
  text: 'All finished.',
  costUsd: 5.76,
  inputTokens: 1_200_000,
  outputTokens: 45_000,
  cacheReadTokens: 850_000,
  durationMs: 367_000,
};

function show(events: readonly AgentEvent[], options: Partial<FormatOptions> = {}): string {
  const format = eventFormatter({ ...DEFAULT_FORMAT, ...options });
  return events
    .flatMap((event) => format(event) ?? [])
    .map((text) => `${text}\n`)
    .join('');
}

function tool(name: string, input: string, output: string, isError = false): AgentEvent[] {
  const id = `${name}-${input}`;
  return [
    { type: 'tool-start', id, name, input },
    { type: 'tool-end', id, output, isError },
  ];
}

const TODO: AgentEvent = {
  type: 'todo',
  items: [
    { text: 'Read the file', status: 'completed' },
    { text: 'Edit the code', status: 'active' },
    { text: 'Run tests', status: 'pending' },
  ],
};

describe('the lines of seed 001', () => {
  test('a tool and its result', () => {
    const output = `package main\n${'x\n'.repeat(43)}${'y'.repeat(1134)}`;
    const [first, second, third] = show(tool('Read', '/path/to/file.go', output)).split('\n');
    expect([first, second, third]).toEqual([
      '⏺ Read(/path/to/file.go)',
      `✅ Result ← Read (45 lines, ${output.length} chars)`,
      '  ⎿  package main',
    ]);
  });

  test('a list of things to do', () => {
    expect(show([TODO]).trim().split('\n')).toEqual([
      '📋 Todo List',
      '  ✅ Read the file',
      '  🔄 Edit the code ← ACTIVE',
      '  ⏸️ Run tests',
      '  📊 Progress: 1/3 (33%)',
    ]);
  });

  test('the closing account, with the tools and errors that were seen', () => {
    const tools = Array.from({ length: 58 }, (_, index) => tool('Bash', String(index), '', index < 4)).flat();
    expect(
      show([...tools, RESULT])
        .split('\n')
        .at(-2),
    ).toBe('✅ Complete (cost: $5.76, tokens: 1.2M in (850K cached) / 45K out, tools: 58, errors: 4, time: 6m7s)');
  });

  test('in plain markers where emoji are not wanted', () => {
    const shown = show([...tool('Read', 'a', 'ok'), ...tool('Bash', 'b', 'no', true), TODO, RESULT], { emoji: false });
    expect(shown.split('\n').filter(Boolean)).toEqual([
      '> Read(a)',
      '[OK] Result ← Read (1 line, 2 chars)',
      '  |  ok',
      '> Bash(b)',
      '[ERR] Error ← Bash (1 line, 2 chars)',
      '  |  no',
      'Todo List',
      '  [x] Read the file',
      '  [>] Edit the code ← ACTIVE',
      '  [ ] Run tests',
      '  Progress: 1/3 (33%)',
      '[OK] Complete (cost: $5.76, tokens: 1.2M in (850K cached) / 45K out, tools: 2, errors: 1, time: 6m7s)',
    ]);
  });
});

describe("a tool's output", () => {
  test('is shown by its first lines, each cut, with how many more there are', () => {
    const output = ['one', 'x'.repeat(200), 'three', 'four', 'five', ''].join('\n');
    expect(show(tool('Bash', 'ls', output)).split('\n')).toEqual([
      '⏺ Bash(ls)',
      `✅ Result ← Bash (5 lines, ${output.length} chars)`,
      '  ⎿  one',
      `      ${'x'.repeat(117)}...`,
      '      three',
      '  ⎿  ... 2 more lines',
      '',
    ]);
  });

  test('can be shown in fewer lines and characters', () => {
    const shown = show(tool('Bash', 'ls', 'abcdefghij\nb'), { maxOutputLines: 1, maxOutputChars: 8 });
    expect(shown.split('\n').slice(2)).toEqual(['  ⎿  abcde...', '  ⎿  ... 1 more line', '']);
  });

  test('is not shown when there is none, unless it failed', () => {
    expect(show(tool('Bash', 'true', ' \n'))).toBe('⏺ Bash(true)\n');
    expect(show(tool('Bash', 'false', '', true))).toContain('❌ Error ← Bash (1 line, 0 chars)\n');
  });

  test('is matched with its own tool when several run at once', () => {
    const [readStart, readEnd] = tool('Read', 'a', 'A') as [AgentEvent, AgentEvent];
    const [grepStart, grepEnd] = tool('Grep', 'b', 'B') as [AgentEvent, AgentEvent];
    const shown = show([readStart, grepStart, readEnd, grepEnd]);
    expect(shown.match(/← \w+/g)).toEqual(['← Read', '← Grep']);
  });

  test('of a tool whose start was never seen is shown all the same', () => {
    expect(show([{ type: 'tool-end', id: 'x', output: '7', isError: false }])).toContain('← tool (1 line, 1 char)');
  });
});

describe('the closing account', () => {
  const bare: AgentEvent = { type: 'result', isError: false, text: '' };

  test('calls unknown what the agent did not report, and never writes $0', () => {
    expect(show([bare])).toBe('✅ Complete (cost: unknown, tools: 0, errors: 0)\n');
    expect(show([{ ...bare, costUsd: 0, inputTokens: 5, outputTokens: 7 }])).toContain('(tokens: 5 in / 7 out, tools');
  });

  test.each([
    [999, '999'],
    [1000, '1K'],
    [45_499, '45K'],
    [1_000_000, '1.0M'],
    [1_249_999, '1.2M'],
  ])('shows %i tokens as %s', (tokens, text) => {
    expect(show([{ ...bare, inputTokens: tokens, outputTokens: 1 }])).toContain(`tokens: ${text} in / 1 out`);
  });

  test.each([
    [692, '1s'],
    [42_000, '42s'],
    [360_000, '6m'],
    [367_000, '6m7s'],
  ])('shows %i ms as %s', (durationMs, text) => {
    expect(show([{ ...bare, durationMs }])).toContain(`time: ${text})`);
  });

  test('has our own time where the agent gives none', () => {
    expect(show([bare], { elapsed: () => 61_400 })).toContain('time: 1m1s)');
    expect(show([{ ...bare, durationMs: 5000 }], { elapsed: () => 61_400 })).toContain('time: 5s)');
  });

  test('of a failed run says so', () => {
    expect(show([{ ...bare, isError: true }])).toBe('❌ Failed (cost: unknown, tools: 0, errors: 0)\n');
  });
});

describe('what an agent says', () => {
  test('is shown as it is, one line end behind it', () => {
    expect(show([{ type: 'text', text: 'Hello,\n  world.\n\n' }])).toBe('Hello,\n  world.\n');
  });

  test('never reaches the terminal as a command, wherever it says it', () => {
    const evil = '\u001b]0;gotcha\u0007\u001b[2Jx';
    const todo: AgentEvent = { type: 'todo', items: [{ text: evil, status: 'active' }] };
    const shown = show([{ type: 'text', text: evil }, ...tool(evil, evil, evil), todo, { type: 'unknown', raw: evil }]);
    expect(shown).not.toContain('\u001b');
    expect(shown).not.toContain('gotcha');
  });

  test('may be long: an input is cut at 80 characters and put on one line', () => {
    expect(show([{ type: 'tool-start', id: '1', name: 'Bash', input: `a\nb${'c'.repeat(100)}` }])).toBe(
      `⏺ Bash(a b${'c'.repeat(74)}...)\n`,
    );
  });

  test('outside of its structure is shown, structure without a name is not', () => {
    expect(show([{ type: 'unknown', raw: 'npm warn old' }])).toBe('npm warn old\n');
    expect(show([{ type: 'unknown', raw: '{"type":"new"}' }])).toBe('');
    expect(show([{ type: 'progress', text: 'init' }])).toBe('');
  });
});

test('every line begins with the time where that is wanted', () => {
  const clock = (): Date => new Date(2026, 10, 15, 7, 8, 9);
  expect(show([{ type: 'text', text: 'one\ntwo' }], { clock })).toBe('[07:08:09] one\n[07:08:09] two\n');
});
