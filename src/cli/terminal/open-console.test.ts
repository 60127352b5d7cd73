import { expect, test } from 'vitest';
import { stateRoot } from '../../state/paths.ts';
import type { TerminalOptions } from '../terminal.ts';
import { openConsole } from './open-console.ts';

const REFUSAL =
  'refused to write /home/ada/notes/precious.txt (to allow it: --allow-write /home/ada/notes/precious.txt)';

test('a refusal of the sandbox fits the terminal, beside the prefix of its loop kind, and stands out', () => {
  expect(shownOf({ isTTY: true, columns: 80 })).toEqual([
    '\u001b[33mSandbox: refused to write /home/ada/notes/precious.txt (to allow it:\u001b[39m',
    '\u001b[33m  --allow-write /home/ada/notes/precious.txt)\u001b[39m',
  ]);
});

test('if stderr is not a terminal, a refusal is one plain line', () => {
  expect(shownOf({ isTTY: false })).toEqual([`Sandbox: ${REFUSAL}`]);
});

function shownOf(stream: { isTTY: boolean; columns?: number }): string[] {
  const written: string[] = [];
  const sink = { ...stream, write: (text: string) => void written.push(text) } as object as NodeJS.WriteStream;
  const options: TerminalOptions = {
    stdout: sink,
    stderr: sink,
    mask: (text) => text,
    color: stream.isTTY,
    stderrColor: stream.isTTY,
    verbosity: 'quiet',
    isDumb: false,
    heartbeatMs: 60_000,
    root: stateRoot({ HOME: '/nowhere' }),
  };
  openConsole(options, '--allow-write').showProgress({ type: 'refusal', text: REFUSAL });
  return written.join('').trimEnd().split('\n');
}
