/** What the keys do. Pure. */
import { type Palette, paletteOf } from '../palette.ts';
import type { Size, Tab } from '../state.ts';
import { wrapped } from '../text.ts';

const keysFor = (tabs: readonly Tab[]): readonly (readonly [keys: string, what: string])[] => [
  ['↑ ↓  j k', 'choose a loop; in a loop: scroll'],
  ['PgUp PgDn g G', 'by pages; to the beginning, to the end'],
  ['Enter  Esc', 'open the loop; back'],
  [`Tab ← →  1-${tabs.length}`, tabs.join(', ')],
  ['/  n N', 'filter the list; in a loop: search; next, previous'],
  ['f', 'follow what the agent prints'],
  ['d  [ ]', 'what an iteration changed; the previous, next one'],
  ['o', 'read the whole log, or that of a check, in $PAGER'],
  ['p  r', 'pause after this iteration; resume'],
  ['s', 'stop after this iteration (asks first)'],
  ['t  a', 'tell the agent something; answer what it asks'],
  ['A', "attach to the agent's tmux pane; detach to come back"],
  ['q  Ctrl-C', 'quit; loops keep running'],
  ['Ctrl-Z', 'put it in the background of your shell'],
];

const MARKS = '! needs you  ● working  ◐ waits  ✗ left or failed  ✓ done';
const BARS = 'Bars are iterations: height is time, colour is outcome.';

/** `tabs`: those of the selected loop. */
export function helpLines(tabs: readonly Tab[], width: number, paint: Palette): string[] {
  const rows = keysFor(tabs).flatMap(([keys, what]) =>
    wrapped(what, width - WIDEST_KEYS - 3).map(
      (line, index) => ` ${paint('bold', (index === 0 ? keys : '').padEnd(WIDEST_KEYS))} ${line}`,
    ),
  );
  const rest = [MARKS, BARS, 'To select text with the mouse, hold Shift.'];
  return [
    ` ${paint('bold', 'ralph top')}`,
    ...rows,
    ...rest.flatMap((line) => wrapped(line, width - 2)).map((line) => ` ${paint('dim', line)}`),
  ];
}

const WIDEST_KEYS = 14;

/** How far the help can be scrolled; 0 if all of it fits. */
export function lastHelpTop({ columns, rows }: Size, tabs: readonly Tab[]): number {
  return Math.max(0, helpLines(tabs, columns, PLAIN).length - (rows - 1));
}

const PLAIN = paletteOf('none');
