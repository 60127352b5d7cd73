/** What the keys do. Pure. */
import { cutToColumns } from '../../stream/columns.ts';
import type { Palette } from '../palette.ts';
import type { Tab } from '../state.ts';

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
  ['q  Ctrl-C', 'quit. Loops go on'],
  ['Ctrl-Z', 'put it in the background of your shell'],
];

const MARKS = '! needs you  ● working  ◐ waits  ✗ left or failed  ✓ done';
const BARS = 'Bars are iterations: height is time, colour is outcome.';

/** `tabs`: of the chosen loop. */
export function helpLines(tabs: readonly Tab[], width: number, paint: Palette): string[] {
  const rows = keysFor(tabs).map(
    ([keys, what]) => ` ${paint('bold', keys.padEnd(14))} ${cutToColumns(what, width - 17)}`,
  );
  const rest = [MARKS, BARS, 'To select text with the mouse, hold Shift.'];
  return [
    ` ${paint('bold', 'ralph top')}`,
    ...rows,
    ...rest.map((line) => ` ${paint('dim', cutToColumns(line, width - 2))}`),
  ];
}
