/** `ralph top` takes over a real terminal, and restores it however it exits. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { processesOf } from '../../support/programs/processes.ts';
import { DONE, makeScene, type Scene } from '../../support/scene.ts';
import { openTerminal, type Terminal } from '../../support/terminal/terminal.ts';

const TAKEN = { isAlternate: true, hasCursor: false, hasMouse: true, wraps: false };
const GIVEN_BACK = { isAlternate: false, hasCursor: true, hasMouse: false, wraps: true };
/** Prints the input modes of the terminal. */
const MODES = `stty -a | grep -o -- '-*icanon\\|-*echo \\|-*isig' | tr -d '\\n'`;
const COOKED = 'isigicanonecho';

/** Writes the pid of `ralph top` to a file; prints its exit code and the terminal's modes after it. */
function openTop(scene: Scene, size = { columns: 100, rows: 30 }, before = ''): Terminal {
  const line = `${before}echo "before the screen"; sh -c 'echo $$ >"$HOME/pid"; exec ralph top'; echo "code $?"; ${MODES}`;
  return openTerminal(scene, line, size);
}

async function pidOf(scene: Scene): Promise<number> {
  const file = join(scene.env.HOME ?? '', 'pid');
  while (!existsSync(file) || readFileSync(file, 'utf8').trim() === '') await sleep(20);
  return Number(readFileSync(file, 'utf8'));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function begun(scene: Scene): Promise<Terminal> {
  const terminal = openTop(scene);
  await terminal.shows('ralph top   1 loop');
  expect(terminal.modes()).toEqual(TAKEN);
  return terminal;
}

async function finished(): Promise<Scene> {
  const scene = makeScene({ play: DONE });
  expect((await scene.run()).code).toBe(0);
  return scene;
}

async function isRestored(terminal: Terminal, code: number): Promise<string> {
  const { screen } = await terminal.ended();
  expect(screen).toContain(`code ${code}`);
  // The previous content is back, and nothing of the full screen is left.
  expect(screen).toMatch(/^before the screen$/m);
  expect(screen).not.toContain('ralph top   1 loop');
  expect(terminal.modes()).toEqual(GIVEN_BACK);
  terminal.pasteMarked('pasted');
  while (!terminal.screen().includes('pasted')) await sleep(20);
  expect(terminal.screen()).toMatch(/\npasted$/);
  return screen;
}

/** A pager script, whose own child processes must be terminated, too. */
function writePager(scene: Scene, lines: string): string {
  const pager = join(scene.folder, 'pager');
  writeFileSync(pager, `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
  return `export PAGER='${pager}'; `;
}

const pagersIn = ({ folder }: Scene): string[] =>
  processesOf(folder).flatMap(({ command }) => (/^(?:less|sleep|\/bin\/sh .*pager)/.test(command) ? command : []));

describe('the terminal is restored', () => {
  test('after q', async () => {
    const terminal = await begun(await finished());
    terminal.press('q');
    expect(await isRestored(terminal, 0)).toContain(COOKED);
  });

  test('after Ctrl-C, which is a key there', async () => {
    const terminal = await begun(await finished());
    terminal.press('C-c');
    expect(await isRestored(terminal, 0)).toContain(COOKED);
  });

  test.each(['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGABRT', 'SIGALRM', 'SIGUSR2'] as const)(
    'after %s',
    async (signal) => {
      const scene = await finished();
      const terminal = await begun(scene);
      process.kill(await pidOf(scene), signal);
      expect(await isRestored(terminal, 130)).toContain(COOKED);
    },
  );

  test('after a crash, with the error on the normal screen', async () => {
    const scene = await finished();
    scene.write('crash.cjs', `process.on('SIGURG', () => setTimeout(() => { throw new Error('a bug'); }));`);
    const options = `export NODE_OPTIONS='--require ${join(scene.folder, 'crash.cjs')}'; `;
    const terminal = openTop(scene, { columns: 100, rows: 30 }, options);
    await terminal.shows('ralph top   1 loop');
    process.kill(await pidOf(scene), 'SIGURG');
    const screen = await isRestored(terminal, 70);
    expect(screen).toContain(COOKED);
    expect(screen).toContain('a bug');
  });

  test('after a signal while a pager is open, which is terminated, too', async () => {
    const scene = await finished();
    const terminal = openTop(scene, { columns: 100, rows: 30 }, writePager(scene, 'less "$@"'));
    await terminal.shows('q quit');
    terminal.press('o');
    await terminal.shows('(END)');
    expect(pagersIn(scene)).not.toEqual([]);
    process.kill(await pidOf(scene), 'SIGTERM');
    expect(await isRestored(terminal, 130)).toContain(COOKED);
    expect(pagersIn(scene)).toEqual([]);
  });

  test('after a signal while a program that ignores SIGTERM uses it', async () => {
    const scene = await finished();
    const taken = String.raw`printf '\033[?1049h\033[?1000h\033[?25l\033[?7l\033[?2004hin the pager'`;
    const stubborn = `trap '' TERM\nstty raw -echo </dev/tty\n${taken}\nsleep 1000`;
    const terminal = openTop(scene, { columns: 100, rows: 30 }, writePager(scene, stubborn));
    await terminal.shows('q quit');
    terminal.press('o');
    await terminal.shows('in the pager');
    process.kill(await pidOf(scene), 'SIGTERM');
    expect(await isRestored(terminal, 130)).toContain(COOKED);
    expect(pagersIn(scene)).toEqual([]);
  });

  test('unless its window is closed, which ends the program', async () => {
    const scene = await finished();
    const terminal = await begun(scene);
    const pid = await pidOf(scene);
    terminal.close();
    while (isAlive(pid)) await sleep(20);
    expect(isAlive(pid)).toBe(false);
  });
});

test('Ctrl-Z suspends ralph top, and fg draws it again', async () => {
  const scene = await finished();
  const terminal = openTerminal(scene, 'PS1="> " bash --norc --noprofile -i', { columns: 100, rows: 30 });
  await terminal.asks('>');
  terminal.type('ralph top');
  await terminal.shows('ralph top   1 loop');
  terminal.press('C-z');
  await terminal.shows('Stopped');
  expect(terminal.modes()).toEqual(GIVEN_BACK);
  terminal.type(MODES);
  await terminal.shows(COOKED);
  terminal.type('clear; fg');
  await terminal.until((screen) => screen.includes('ralph top   1 loop') && screen.includes('q quit'));
  expect(terminal.modes()).toEqual(TAKEN);
  terminal.press('q');
  await terminal.asks('>');
  expect(terminal.modes()).toEqual(GIVEN_BACK);
  terminal.type('exit');
  await terminal.ended();
});

test('Ctrl-Z has no effect if there is no shell that could continue it', async () => {
  const terminal = await begun(await finished());
  terminal.press('C-z');
  await terminal.until((screen) => !screen.includes('ralph top   1 loop'));
  await terminal.until((screen) => screen.includes('ralph top   1 loop') && screen.includes('q quit'));
  expect(terminal.modes()).toEqual(TAKEN);
  terminal.press('q');
  expect(await isRestored(terminal, 0)).toContain(COOKED);
});

test('a resized window is redrawn; one that is too small says so', async () => {
  const terminal = await begun(await finished());
  terminal.resize(300, 100);
  await terminal.until((screen) => screen.split('\n').length === 100 && /LOOP +KIND +PROJECT +AGENT/.test(screen));
  terminal.resize(80, 24);
  await terminal.until((screen) => screen.split('\n').length === 24 && screen.includes('q quit'));
  terminal.resize(30, 8);
  await terminal.shows('ralph top needs 40×10,');
  expect(terminal.screen()).not.toContain('q quit');
  terminal.resize(80, 24);
  await terminal.shows('q quit');
  terminal.press('q');
  expect((await terminal.ended()).code).toBe(0);
});

test.each([
  ['NO_COLOR=1', false, false],
  ['COLORTERM=', true, false],
  ['COLORTERM=truecolor', true, true],
])('colours: %s', async (variable, hasColor, isTrueColor) => {
  const scene = await finished();
  const terminal = openTerminal(scene, `export ${variable}; ralph top`, { columns: 100, rows: 30 });
  await terminal.until((screen) => /✓ .* done .*█/.test(screen));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with Esc.
  expect(/\u001b\[(?:\d;)*3[0-7]m|38;2;/.test(terminal.colors())).toBe(hasColor);
  expect(terminal.colors().includes('38;2;')).toBe(isTrueColor);
  terminal.press('q');
  expect((await terminal.ended()).code).toBe(0);
});

describe('without a suitable terminal, ralph top says what to do', () => {
  test('if stdout is a pipe', async () => {
    const scene = makeScene({ play: DONE });
    const { code, stdout, stderr } = await scene.ralph(['top']).exited;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^error: ralph top needs a terminal that it can draw on\nhint: .*ralph ls.*\n$/);
  });

  test('if the terminal is dumb', async () => {
    const scene = makeScene({ play: DONE });
    const { code, screen } = await openTerminal(scene, 'TERM=dumb ralph top').ended();
    expect(code).toBe(2);
    expect(screen).toContain('error: ralph top needs a terminal');
  });
});

test('escape sequences in names, prompts and output have no effect', async () => {
  const esc = '\\033';
  const evil = `printf '${esc}]0;owned${esc}\\\\${esc}[2J${esc}[H${esc}[31mred ${esc}]52;c;b3duZWQ=\\007 \\302\\2335n end \\342\\200\\256 abc'; echo`;
  const scene = makeScene({ play: `${evil}; ${DONE}` });
  writeFileSync(
    join(scene.work, 'PROMPT.md'),
    'Do \u001b]0;owned\u0007\u001b[2Jwork 日本語 e\u0301\u0301\u202e now.\n',
  );
  const name = '\u001b]0;owned\u0007x\u001b[2J';
  const line = `mkdir "$(printf '${name.replaceAll('\u001b', esc).replaceAll('\u0007', '\\007')}')" && cd ./*x* && git init -q . && cp -r ../.ralph . && ralph run -f ../PROMPT.md -m 2`;
  await scene.shell(line);
  const before = 'tmux set -g allow-passthrough on; ';
  const terminal = openTop(scene, { columns: 120, rows: 30 }, before);
  await terminal.until((screen) => screen.includes('ralph top   1 loop') && screen.includes('red'));
  for (const key of ['Enter', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab']) {
    terminal.press(key);
    await terminal.shows('run ·');
    const screen = terminal.screen();
    // The full screen is intact: number of lines, tabs, last line.
    expect(screen.split('\n')).toHaveLength(30);
    expect(screen).toMatch(/ stream .* time line /);
    expect(screen.split('\n').at(-1)).toContain('q quit');
    expect(terminal.modes()).toEqual(TAKEN);
  }
  expect(terminal.title()).not.toContain('owned');
  terminal.press('q');
  expect((await terminal.ended()).screen).toContain(COOKED);
});
