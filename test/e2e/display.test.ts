/** How an agent's work is shown: the seed's formatter and its options, fed with a stream like that of `claude`. */
import { describe, expect, test } from 'vitest';
import { makeScene, type Scene } from '../support/scene.ts';
import { openTerminal } from '../support/terminal/terminal.ts';

const ESCAPE = '\u001b';

const assistant = (block: object): object => ({ type: 'assistant', message: { content: [block] } });
const says = (text: string): object => assistant({ type: 'text', text });
const calls = (id: string, name: string, input: object): object => assistant({ type: 'tool_use', id, name, input });
const returns = (id: string, content: unknown, is_error = false): object => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: id, content, is_error }] },
});
const TODO = calls('todo', 'TodoWrite', {
  todos: [
    { content: 'Read the file', status: 'completed' },
    { content: 'Edit the code', status: 'in_progress' },
    { content: 'Run tests', status: 'pending' },
  ],
});
const RESULT = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'x',
  total_cost_usd: 5.76,
  duration_ms: 367_000,
  // Claude Code counts tokens read from the cache separately.
  usage: { input_tokens: 350_000, output_tokens: 45_000, cache_read_input_tokens: 850_000 },
};
/** The seed's example: one file read, a todo list, and a summary of 58 tool calls, of which 4 failed. */
const FILE = `package main\n${'x'.repeat(28)}${'\nabcdefghijklmnopqrstuvwxyz'.repeat(42)}\n${'y'.repeat(57)}\n`;
const SEED_STREAM = [
  { type: 'system', subtype: 'init', session_id: 's' },
  says('Working.'),
  calls('read', 'Read', { file_path: '/path/to/file.go' }),
  returns('read', FILE),
  TODO,
  returns('todo', 'Todos have been modified'),
];
const MORE = Array.from({ length: 57 }, (_, at) => [
  calls(`t${at}`, 'Bash', { command: `step ${at}` }),
  returns(`t${at}`, at < 4 ? 'no' : '', at < 4),
]).flat();

interface Shown {
  readonly stream: readonly object[];
  readonly display?: object;
  readonly env?: Readonly<Record<string, string>>;
}

function claudeScene({ stream, display, env = {} }: Shown): Scene {
  const settings = display === undefined ? {} : { display };
  const scene = makeScene({ agent: 'claude', play: 'cat "$SCENE/stream"', settings, env });
  scene.write('stream', stream.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return scene;
}

async function shown(what: Shown): Promise<string> {
  return (await claudeScene(what).run('-m', '1')).stdout;
}

describe('the seed’s Formatter section', () => {
  const COMPLETE = '(cost: $5.76, tokens: 1.2M in (850K cached) / 45K out, tools: 58, errors: 4, time: 6m7s)';

  test('is reproduced exactly, with emoji', async () => {
    expect(FILE).toHaveLength(1234);
    const lines = (await shown({ stream: [...SEED_STREAM, ...MORE, RESULT], display: { maxOutputLines: 1 } })).split(
      '\n',
    );
    expect(lines.slice(0, 12)).toEqual([
      'Working.',
      '⏺ Read(/path/to/file.go)',
      '✅ Result ← Read (45 lines, 1234 chars)',
      '  ⎿  package main',
      '  ⎿  ... 44 more lines',
      '',
      '📋 Todo List',
      '  ✅ Read the file',
      '  🔄 Edit the code ← ACTIVE',
      '  ⏸️ Run tests',
      '  📊 Progress: 1/3 (33%)',
      '',
    ]);
    expect(lines.slice(12, 15)).toEqual(['⏺ Bash(step 0)', '❌ Error ← Bash (1 line, 2 chars)', '  ⎿  no']);
    expect(lines.at(-2)).toBe(`✅ Complete ${COMPLETE}`);
  });

  test('is reproduced with text markers', async () => {
    const text = await shown({ stream: [...SEED_STREAM, ...MORE, RESULT], display: { emoji: false } });
    for (const line of [
      '> Read(/path/to/file.go)',
      '[OK] Result ← Read (45 lines, 1234 chars)',
      '  |  package main',
      '  [x] Read the file',
      '  [>] Edit the code ← ACTIVE',
      '  [ ] Run tests',
      '[ERR] Error ← Bash (1 line, 2 chars)',
      `[OK] Complete ${COMPLETE}`,
    ]) {
      expect(text.split('\n')).toContain(line);
    }
    expect(text).not.toMatch(/\p{Emoji_Presentation}|⏺|⎿|⏸/u);
  });

  test('an agent that reports success and then fails is shown as failed; without its time, ours is shown', async () => {
    const { duration_ms: _duration, ...bare } = RESULT;
    const scene = claudeScene({ stream: [says('x'), bare] });
    scene.write('play', `${scene.read('play')}; exit 3`);
    const { stdout, stderr } = await scene.run('-m', '1');
    expect(stdout).toMatch(/^x\n❌ Failed \(cost: \$5\.76, .*, time: \d+s\)\n$/);
    expect(stderr).toContain('\n✗ Agent failed (exit 3)\n');
  });

  test('a summary without cost or tokens shows the rest and "cost: unknown"; a failed one says so', async () => {
    const { total_cost_usd: _cost, usage: _usage, ...bare } = RESULT;
    expect(await shown({ stream: [says('x'), bare] })).toBe(
      'x\n✅ Complete (cost: unknown, tools: 0, errors: 0, time: 6m7s)\n',
    );
    const failed = await shown({ stream: [says('x'), { ...bare, is_error: true }] });
    expect(failed).toBe('x\n❌ Failed (cost: unknown, tools: 0, errors: 0, time: 6m7s)\n');
  });
});

describe('limits on the tool output that is shown', () => {
  const output = `${'a'.repeat(121)}\n${'b'.repeat(120)}\nc\nd\ne`;
  const stream = [
    calls('t', 'Bash', { command: 'x'.repeat(70) }),
    returns('t', [{ type: 'text', text: output }]),
    RESULT,
  ];

  test('by default, three lines of 120 characters and the number of further lines', async () => {
    expect((await shown({ stream })).split('\n').slice(0, 6)).toEqual([
      `⏺ Bash(${'x'.repeat(57)}...)`,
      '✅ Result ← Bash (5 lines, 248 chars)',
      `  ⎿  ${'a'.repeat(117)}...`,
      `      ${'b'.repeat(120)}`,
      '      c',
      '  ⎿  ... 2 more lines',
    ]);
  });

  test('maxOutputLines and maxOutputChars change them', async () => {
    const lines = (await shown({ stream, display: { maxOutputLines: 4, maxOutputChars: 10 } })).split('\n');
    expect(lines.slice(2, 7)).toEqual([
      '  ⎿  aaaaaaa...',
      '      bbbbbbb...',
      '      c',
      '      d',
      '  ⎿  ... 1 more line',
    ]);
  });

  test('a cut never splits a character', async () => {
    const emoji = [calls('t', 'Bash', {}), returns('t', '🙂'.repeat(20)), RESULT];
    const [, , line = ''] = (await shown({ stream: emoji, display: { maxOutputChars: 10 } })).split('\n');
    expect(line).toMatch(/^ {2}⎿ {2}🙂+\.\.\.$/u);
  });
});

describe('colour', () => {
  const stream = [
    says(`${ESCAPE}[31mred${ESCAPE}[0m`),
    calls('t', 'Bash', { command: `${ESCAPE}[5mls` }),
    returns('t', 'x'),
    RESULT,
  ];

  test('display.color true: our colours even in a pipe, and never those of the agent', async () => {
    const text = await shown({ stream, display: { color: true } });
    expect(text).toContain(`${ESCAPE}[36m⏺ Bash${ESCAPE}[39m(ls)\n`);
    expect(text).toContain(`${ESCAPE}[32m✅ Complete${ESCAPE}[39m (`);
    expect(text).toMatch(/^red\n/);
    for (const theirs of ['[31m', '[5m', '[0m']) expect(text).not.toContain(ESCAPE + theirs);
  });

  test('a pipe gets none by default', async () => {
    expect(await shown({ stream })).not.toContain(ESCAPE);
    expect(
      await shown({ stream, env: { FORCE_COLOR: '1', CLICOLOR_FORCE: '1' }, display: { color: false } }),
    ).not.toContain(ESCAPE);
  });

  test.each([
    ['by default', true, {}, undefined],
    ['with NO_COLOR', false, { NO_COLOR: '1' }, undefined],
    ['with display.color false', false, {}, { color: false }],
    ['with NO_COLOR, but display.color true', true, { NO_COLOR: '1' }, { color: true }],
  ])('at a terminal %s: %s', async (_what, isColored, env, display) => {
    const scene = claudeScene({ stream, env, ...(display === undefined ? {} : { display }) });
    const terminal = openTerminal(scene, 'ralph run -p x -m 1 | tee /dev/null; ralph run -p x -m 1');
    const { screen } = await terminal.ended();
    expect(screen.match(/⏺ Bash\(ls\)/g)).toHaveLength(2);
    const colored = terminal.colors().match(new RegExp(`${ESCAPE}\\[36m⏺ Bash`, 'g')) ?? [];
    const inPipe = display?.color === true ? 1 : 0;
    expect(colored).toHaveLength((isColored ? 1 : 0) + inPipe);
  });
});

test('display.timestamps: [HH:MM:SS] before each line, in local time', async () => {
  const scene = claudeScene({
    stream: [says('one\ntwo'), TODO, RESULT],
    display: { timestamps: true },
    env: { TZ: 'Asia/Kolkata' },
  });
  const before = Date.now();
  const { stdout } = await scene.run('-m', '1');
  const lines = stdout.split('\n').slice(0, -1);
  for (const line of lines) expect(line).toMatch(/^\[\d\d:\d\d:\d\d\]( |$)/);
  expect(lines.map((line) => line.slice(11)).slice(0, 4)).toEqual(['one', 'two', '', '📋 Todo List']);
  const possible = Array.from({ length: 30 }, (_, second) =>
    new Date(before + second * 1000).toLocaleTimeString('en-GB', { timeZone: 'Asia/Kolkata' }),
  );
  expect(possible).toContain(lines[0]?.slice(1, 9));
});
