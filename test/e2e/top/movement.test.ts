/** The keys and mouse events that navigate in `ralph top`, as a terminal sends them. */
import { expect, test } from 'vitest';
import { DONE, makeScene } from '../../support/scene.ts';
import { openTerminal } from '../../support/terminal/terminal.ts';

const [WHEEL_UP, WHEEL_DOWN] = ['\u001b[<64;5;3M', '\u001b[<65;5;3M'];
const click = (row: number): string => `\u001b[<0;5;${row}M\u001b[<0;5;${row}m`;

test('keys and the mouse select a loop', async () => {
  const scene = makeScene({ play: DONE });
  for (const name of ['one', 'two', 'three']) expect((await scene.run('-p', `${name} of them`)).code).toBe(0);
  const terminal = openTerminal(scene, 'ralph top', { columns: 120, rows: 30 });
  const chosen = (name: string) => terminal.until((screen) => new RegExp(`^▸✓ .* ${name} of them$`, 'm').test(screen));
  await chosen('three');
  for (const [key, name] of [
    ['Down', 'two'],
    ['j', 'one'],
    ['k', 'two'],
    ['Up', 'three'],
    ['G', 'one'],
    ['g', 'three'],
    ['End', 'one'],
    ['Home', 'three'],
    ['NPage', 'one'],
    ['PPage', 'three'],
  ] as const) {
    terminal.press(key);
    await chosen(name);
  }
  terminal.send(WHEEL_DOWN);
  await chosen('two');
  terminal.send(WHEEL_UP);
  await chosen('three');
  terminal.send(click(5));
  await chosen('one');
  terminal.press('/');
  terminal.type('of them');
  await terminal.shows('(Esc clears)');
  await chosen('one');
  terminal.press('N');
  await chosen('two');
  terminal.press('n');
  await chosen('one');
  terminal.press('q');
  expect((await terminal.ended()).code).toBe(0);
});

test('in an open loop, they scroll, search, follow, and switch tabs and iterations', async () => {
  const scene = makeScene({
    play: `echo "line $n" >>work.txt; i=1; while [ $i -le 100 ]; do echo "row $n.$i"; i=$((i + 1)); done; case $n in 1) ;; *) ${DONE} ;; esac`,
  });
  expect((await scene.run()).code).toBe(0);
  const terminal = openTerminal(scene, 'ralph top', { columns: 120, rows: 30 });
  await terminal.shows('row 2.100');
  terminal.press('Enter');
  await terminal.shows('Esc back');
  const sees = (row: string) => terminal.until((screen) => screen.split('\n').includes(` ${row}`));
  const isGone = (row: string) => terminal.until((screen) => !screen.split('\n').includes(` ${row}`));
  await sees('row 2.100');
  terminal.press('PPage');
  await isGone('row 2.100');
  terminal.press('NPage');
  await sees('row 2.100');
  terminal.press('g');
  await sees('row 1.1');
  const hasRule = (screen: string): boolean => screen.includes('── 1/10 ──');
  expect(hasRule(terminal.screen())).toBe(true);
  terminal.press('j');
  await terminal.until((screen) => !hasRule(screen));
  terminal.press('k');
  await terminal.until(hasRule);
  terminal.send(WHEEL_DOWN);
  await isGone('row 1.1');
  terminal.send(WHEEL_UP);
  await sees('row 1.1');
  terminal.press('f');
  await sees('row 2.100');
  terminal.press('g');
  await sees('row 1.1');
  terminal.press('G');
  await sees('row 2.100');

  terminal.press('/');
  await terminal.shows('search:');
  terminal.type('.77');
  await sees('row 1.77');
  terminal.press('n');
  await sees('row 2.77');
  terminal.press('N');
  await sees('row 1.77');

  terminal.press('d');
  await terminal.until((screen) => screen.includes('iteration 2 ') && screen.includes('+line 2'));
  terminal.press('[');
  await terminal.until((screen) => screen.includes('iteration 1 ') && screen.includes('+line 1'));
  terminal.press(']');
  await terminal.until((screen) => screen.includes('iteration 2 ') && screen.includes('+line 2'));
  terminal.press('Right');
  await terminal.shows('No commits are recorded.');
  terminal.press('Left');
  await terminal.shows('+line 2');
  terminal.press('BTab');
  await terminal.shows('This loop has no checks.');
  terminal.press('q');
  expect((await terminal.ended()).code).toBe(0);
});
