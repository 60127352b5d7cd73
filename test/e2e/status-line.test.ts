/** What a running loop shows: in a terminal a status line that is redrawn in place, elsewhere a heartbeat. */
import { describe, expect, test } from 'vitest';
import { nodeProgram } from '../support/programs/node-program.ts';
import { DONE, makeScene, type Scene, type SceneOptions } from '../support/scene.ts';
import { openTerminal, type Terminal } from '../support/terminal/terminal.ts';

const SIZE = { columns: 80, rows: 24 };
const ESCAPE = '\u001b';
const SILENT = `at_gate; ${DONE}`;

function opened(options: SceneOptions, line = 'ralph run -p x -m 1'): { scene: Scene; terminal: Terminal } {
  const scene = makeScene(options);
  return { scene, terminal: openTerminal(scene, line, SIZE) };
}

/** The status lines on a screen; there must never be more than one. */
const statusIn = (screen: string): string[] => screen.split('\n').filter((line) => line.includes('● '));

describe('in a terminal', () => {
  test('a silent agent has a status line, which is gone at the end', async () => {
    const { scene, terminal } = opened({ play: SILENT });
    await terminal.shows('quiet ');
    expect(statusIn(terminal.screen())).toEqual([expect.stringMatching(/^ ● 1\/1 · work · \d+s · quiet \d+s$/)]);
    expect(terminal.screen().split('\n').at(-1)).toContain('●');
    // tmux sometimes resets the colours first.
    expect(terminal.colors()).toMatch(new RegExp(`${ESCAPE}\\[(?:0;)?2m[^●\\n]{0,12} ● 1/1`));
    scene.openGate();
    const { code, screen } = await terminal.ended();
    expect(code).toBe(0);
    expect(screen).not.toContain('●');
    expect(screen).toContain('<response>DONE</response>');
  });

  test('the status line shows the tool, the tokens, and the check that runs', async () => {
    const tool = { type: 'tool_use', id: 't', name: 'Bash', input: { command: `npm run ${ESCAPE}[2Jbuild` } };
    const message = { id: 'm', content: [tool], usage: { input_tokens: 58_000, output_tokens: 1000 } };
    const { scene, terminal } = opened({
      agent: 'claude',
      play: `printf '%s\\n' "$CALL"; at_gate; claude_result done`,
      settings: { guardrails: [{ command: 'read x <"$SCENE/gate"', failAction: 'APPEND' }] },
      env: { CALL: JSON.stringify({ type: 'assistant', message }), IS_SANDBOX: '1' },
    });
    await terminal.shows('· 59K tokens · Bash npm run build');
    scene.openGate();
    await terminal.shows('· $0.50 · 59K tokens · read x <"$SCENE/gate"');
    expect(statusIn(terminal.screen())).toEqual([expect.stringMatching(/^ ● 1\/1 · check · /)]);
    scene.openGate();
    await terminal.ended();
  });

  test('what the agent prints stays complete and in order above the status line', async () => {
    const print = 'echo "line $i ends here"; echo "warning $i" >&2; [ $((i % 30)) -gt 0 ] || sleep 0.3';
    const { scene, terminal } = opened({ play: `for i in $(seq 300); do ${print}; done; at_gate; ${DONE}` });
    const isShown = (history: string): boolean =>
      ['line 300 ends', 'warning 300\n', '● 1/1'].every((text) => history.includes(text));
    await terminal.until(() => isShown(terminal.history()));
    const shown = terminal.history().split('\n');
    expect(shown.filter((line) => line.startsWith('line'))).toEqual(
      Array.from({ length: 300 }, (_, at) => `line ${at + 1} ends here`),
    );
    expect(shown.filter((line) => /^warning \d/.test(line))).toHaveLength(300);
    expect(shown.filter((line) => line.includes('●'))).toHaveLength(1);
    scene.openGate();
    await terminal.ended();
    expect(terminal.history()).not.toContain('●');
  });

  test('the status line fits after every change of the width, and leaves nothing behind', async () => {
    const { scene, terminal } = opened({ play: SILENT });
    await terminal.shows('quiet ');
    const before = terminal.history().split('\n').length;
    for (const columns of [30, 12, 60, 20, 80]) {
      terminal.resize(columns);
      // A line that the terminal wrapped appears here as one line that is too long.
      const isWhole = (last = ''): boolean =>
        last.length < columns && last.startsWith(columns < 20 ? ' ● ' : ' ● 1/1 · work · ');
      await terminal.until((screen) => isWhole(screen.split('\n').at(-1)));
    }
    expect(statusIn(terminal.history())).toHaveLength(1);
    expect(terminal.history().split('\n')).toHaveLength(before);
    scene.openGate();
    expect((await terminal.ended()).screen).not.toContain('●');
  });

  test('the status line has no colour with NO_COLOR', async () => {
    const { scene, terminal } = opened({ play: SILENT, env: { NO_COLOR: '1' } });
    await terminal.shows('● 1/1 · work');
    expect(terminal.colors()).not.toContain(ESCAPE);
    scene.openGate();
    await terminal.ended();
  });

  test('the status line is drawn when stdout is redirected, and is not in that output', async () => {
    const { scene, terminal } = opened({ play: `echo begin; ${SILENT}` }, 'ralph run -p x -m 1 >"$SCENE/out"');
    await terminal.shows('● 1/1 · work');
    scene.openGate();
    const { screen } = await terminal.ended();
    expect(screen).not.toContain('●');
    expect(scene.read('out')).toBe('begin\n<response>DONE</response>\n');
  });

  test.each([
    ['TERM=dumb', 'TERM=dumb ralph run -p x -m 1'],
    ['--quiet', 'ralph run -p x -m 1 --quiet'],
    ['--json', 'ralph run -p x -m 1 --json'],
  ])('there is no status line with %s', async (_why, line) => {
    const { terminal } = opened(
      { play: `sleep 1; ${DONE}`, env: { NO_COLOR: '1' } },
      `${line} 2>&1 | tee "$SCENE/all"`,
    );
    await terminal.ended();
    const { terminal: real, scene } = opened({ play: `sleep 1; ${DONE}` }, `script -qec '${line}' "$SCENE/typescript"`);
    await real.ended();
    expect(scene.read('typescript')).not.toContain('\u001b[?7l');
    expect(scene.read('typescript')).not.toContain('●');
  });

  test('a terminal that is stopped does not stop the loop', async () => {
    const { scene, terminal } = opened({ play: 'at_gate; sleep 2.5' });
    await terminal.shows('● 1/1 · work');
    terminal.press('C-s');
    scene.openGate();
    await scene.journalSays('"kind":"ran"');
    terminal.press('C-q');
    expect((await terminal.ended()).screen).not.toContain('●');
  });

  test('Ctrl-Z leaves a clean line, a background loop draws no status line, and fg brings it back', async () => {
    const { scene, terminal } = opened({ play: SILENT }, "env PS1='$ ' bash --norc -i");
    await terminal.asks('$');
    terminal.type('ralph run -p x -m 1');
    await terminal.shows('● 1/1 · work');
    terminal.press('C-z');
    await terminal.until((screen) => screen.includes('Stopped') && screen.endsWith('\n$'));
    expect(terminal.screen()).not.toContain('●');
    terminal.type('bg');
    await terminal.shows('ralph run -p x -m 1 &');
    // Longer than the interval at which the line is redrawn.
    terminal.type('sleep 2; echo slept');
    await terminal.shows('\nslept');
    expect(terminal.screen()).not.toContain('●');
    terminal.type('fg');
    await terminal.shows('● 1/1 · work');
    scene.openGate();
    await terminal.until((screen) => screen.includes('✓ Done') && screen.endsWith('\n$'));
    expect(terminal.screen()).not.toContain('●');
    terminal.type('exit');
    await terminal.ended();
  });

  test('the status line is removed before an uncaught error is printed', async () => {
    // Our programs print an uncaught error in the same way.
    const program = await nodeProgram(`
      process.once('uncaughtException', ({ message }) => {
        process.stderr.write(message + '\\n');
        process.exit(70);
      });
      import { openStatusLine } from './src/cli/terminal/status-line.ts';
      openStatusLine({ stderr: process.stderr, color: false, text: () => ' ● 1/1 · work' + ' '.repeat(60) + '●' });
      import { createReadStream } from 'node:fs';
      createReadStream(process.env.SCENE + '/gate').once('data', () => {
        throw new Error('nothing catches this');
      });`);
    const { scene, terminal } = opened({ play: '' }, `${process.execPath} ${program}`);
    await terminal.shows('● 1/1 · work');
    scene.openGate();
    const { code, screen } = await terminal.ended();
    expect(code).toBe(70);
    expect(screen).toContain('nothing catches this');
    expect(screen).not.toContain('●');
  });
});

describe('a heartbeat', () => {
  const env = { RALPH_HEARTBEAT_MS: '50' };
  const BEAT = /^\[\d\d:\d\d\] 1\/1 work, \d+s$/m;

  test('says where the loop is when stderr is not a terminal', async () => {
    const { scene, terminal } = opened({ play: SILENT, env }, 'ralph run -p x -m 1 2>"$SCENE/err"');
    await scene.logged('at gate 1/work/1');
    while (!BEAT.test(scene.read('err'))) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(terminal.screen()).not.toContain('●');
    scene.openGate();
    await terminal.ended();
    expect(scene.read('err')).not.toContain(ESCAPE);
  });

  test.each(['--quiet', '--json'])('is not printed with %s', async (flag) => {
    const { stderr } = await makeScene({ play: `sleep 1; ${DONE}`, env }).run('-m', '1', flag);
    expect(stderr).not.toMatch(BEAT);
    expect(stderr).toContain('✓ Done');
  });
});
