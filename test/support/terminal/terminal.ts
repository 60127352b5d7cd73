/** A real terminal (a tmux server for the test) in which the built `ralph` runs in a scene; tests type and read. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { processesOf } from '../programs/processes.ts';
import type { Scene } from '../scene.ts';

/** Not shorter, because each look starts a program. */
const LOOK_EVERY_MS = 40;
/** A text that no program under test prints. */
const ENDED = '--exit-code:';
const MODE_FLAGS = '#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{wrap_flag}';

interface Modes {
  readonly isAlternate: boolean;
  readonly hasCursor: boolean;
  readonly hasMouse: boolean;
  /** Whether a line that is too long wraps into the next one. */
  readonly wraps: boolean;
}

export interface Terminal {
  /** The text on the screen, without blanks at line ends and empty lines at its end. */
  screen(): string;
  /** The same with the escape sequences that make its colours. */
  colors(): string;
  /** The screen, and what has scrolled off it. */
  history(): string;
  resize(columns: number, rows?: number): void;
  /** The terminal modes that programs have set and not reset. */
  modes(): Modes;
  /** The title that a program has given to the pane. */
  title(): string;
  /** Resolves when `look` returns true for the screen. */
  until(look: (screen: string) => boolean): Promise<void>;
  shows(text: string): Promise<void>;
  /** Resolves when the last line is this question with nothing after it. */
  asks(question: string): Promise<void>;
  type(line: string): void;
  /** Pastes text all at once, as from a clipboard. */
  paste(text: string): void;
  /** The same as a bracketed paste, if the program has asked for that. */
  pasteMarked(text: string): void;
  /** Presses a key by its name in tmux, such as `C-c`. */
  press(key: string): void;
  /** Sends bytes as a terminal does, such as those of its mouse. */
  send(bytes: string): void;
  /** Closes the terminal like a window: what runs in it gets SIGHUP, and no longer has a terminal. */
  close(): void;
  ended(): Promise<{ readonly code: number; readonly screen: string }>;
}

interface Size {
  readonly columns?: number;
  readonly rows?: number;
}

/** Runs a shell line in the scene's work tree. */
export function openTerminal(
  scene: Pick<Scene, 'folder' | 'work' | 'env'>,
  line: string,
  { columns = 150, rows = 60 }: Size = {},
): Terminal {
  const { TMUX: _, ...outer } = process.env;
  // Its own socket: a server that is ending keeps its socket for a moment, and would take a new terminal down with it.
  const socket = join(mkdtempSync(join(scene.folder, 'tmux-')), 'socket');
  const tmux = (...args: string[]): string =>
    execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      env: { ...outer, ...scene.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const size = ['-x', String(columns), '-y', String(rows)];
  // In the end the shell waits for a line of input, so that the screen stays.
  const command = `${line}; printf '\\n${ENDED}%s\\n' $?; read -r _`;
  tmux('-u', 'new-session', '-d', ...size, '-c', scene.work, command);
  const [server, shell] = tmux('display-message', '-p', '#{pid} #{pane_pid}').trim().split(' ').map(Number);
  let isClosed = false;
  const close = (): void => {
    if (!isClosed) tmux('kill-server');
    isClosed = true;
  };
  onTestFinished(async () => {
    close();
    const own = [server, shell];
    while (processesOf(scene.folder).some(({ pid }) => own.includes(pid))) await sleep(LOOK_EVERY_MS);
  });

  const captured = (...flags: string[]): string =>
    tmux('capture-pane', '-p', '-J', ...flags)
      .replaceAll(/[ \t]+$/gm, '')
      .trimEnd();
  const screen = (): string => captured();
  const until = async (look: (screen: string) => boolean): Promise<void> => {
    for (let now = screen(); !look(now); now = screen()) {
      if (now.includes(ENDED) && !look(now)) throw new Error(`it ended before that; the screen:\n${now}`);
      await sleep(LOOK_EVERY_MS);
    }
  };
  return {
    screen,
    colors: () => tmux('capture-pane', '-p', '-J', '-e'),
    history: () => captured('-S', '-'),
    resize: (to, rowsTo) => {
      tmux('resize-window', '-x', String(to), ...(rowsTo === undefined ? [] : ['-y', String(rowsTo)]));
    },
    modes() {
      const told = tmux('display-message', '-p', MODE_FLAGS).trim();
      const [isAlternate = false, hasCursor = false, hasMouse = false, wraps = false] = told
        .split(' ')
        .map((flag) => flag === '1');
      return { isAlternate, hasCursor, hasMouse, wraps };
    },
    title: () => tmux('display-message', '-p', '#{pane_title}').trim(),
    until,
    shows: (text) => until((now) => now.includes(text)),
    asks: (question) => until((now) => now.split('\n').at(-1) === question.trimEnd()),
    type: (text) => {
      if (text !== '') tmux('send-keys', '-l', '--', text);
      tmux('send-keys', 'Enter');
    },
    paste: (text) => {
      tmux('set-buffer', '--', text);
      tmux('paste-buffer');
    },
    pasteMarked: (text) => {
      tmux('set-buffer', '--', text);
      tmux('paste-buffer', '-p');
    },
    press: (key) => void tmux('send-keys', key),
    send: (bytes) => void tmux('send-keys', '-l', '--', bytes),
    close,
    async ended() {
      await until((now) => now.includes(ENDED));
      const [shown = '', code] = screen().split(ENDED);
      return { code: Number(code), screen: shown.trimEnd() };
    },
  };
}
