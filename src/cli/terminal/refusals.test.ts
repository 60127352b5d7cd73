import { expect, test } from 'vitest';
import { describeRefusal } from '../../runners/sandbox/refusals.ts';
import { refusalTeller } from './refusals.ts';

const write = (target: string) => describeRefusal({ what: 'write', target, allow: target });
const connect = (target: string) => describeRefusal({ what: 'connect', target, allow: target });

function told(sumsUp: boolean, ...runs: readonly (readonly string[])[]): string[] {
  const lines: string[] = [];
  const { tell, sumUp } = refusalTeller(sumsUp, (line) => lines.push(line));
  for (const texts of runs) {
    for (const text of texts) tell(text);
    sumUp();
  }
  return lines;
}

test('the first refusal of a run is shown in full, the others as their number and what would allow them', () => {
  const [first, ...others] = ['/a', '/b', '/b', '/c'].map(write);
  expect(told(true, [first ?? '', ...others, connect('x.example')], [write('/d')])).toEqual([
    'refused to write /a (to allow it: --allow-write /a)',
    '4 more refusals (to allow them: --allow-write /b --allow-write /c --allow-host x.example)',
    'refused to write /d (to allow it: --allow-write /d)',
  ]);
});

test('of many flags, the first few are named', () => {
  const lines = told(
    true,
    [0, 1, 2, 3, 4].map((number) => write(`/${number}`)),
  );
  expect(lines[1]).toBe('4 more refusals (to allow them: --allow-write /1 --allow-write /2 --allow-write /3 …)');
});

test('in a log, every refusal is shown', () => {
  expect(told(false, [write('/a'), write('/b')])).toHaveLength(2);
});
