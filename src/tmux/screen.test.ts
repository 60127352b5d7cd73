import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashOf, lastLines, observe, type Sample, stabilityFrom, stableFor } from './screen.ts';

function stability(startedAt: number, samples: readonly Sample[]) {
  return samples.reduce(observe, stabilityFrom(startedAt));
}

test('only the last 20 lines count, and blank ones below the text are none of them', () => {
  const lines = Array.from({ length: 40 }, (_, i) => `line ${i}`);
  expect(lastLines(`${lines.join('\n')}\n\n  \n`)).toBe(lines.slice(20).join('\n'));
  expect(hashOf(lines.join('\n'))).toBe(hashOf(['other', ...lines.slice(20)].join('\n')));
});

test('colours do not change a screen, text does', () => {
  expect(hashOf('\u001b[31mred\u001b[0m')).toBe(hashOf('red   \n\n'));
  expect(hashOf('red')).not.toBe(hashOf('rea'));
  expect(hashOf('red')).toBe('bda9643ac6601722a28f238714274da4');
});

test('the time is from the start while nothing changes, and from the last change afterwards', () => {
  const seen = (...samples: [at: number, hash: string][]) =>
    stableFor(
      stability(
        100,
        samples.map(([at, hash]) => ({ at, hash })),
      ),
    );
  expect(seen()).toBe(0);
  expect(seen([160, 'a'])).toBe(60);
  expect(seen([160, 'a'], [180, 'a'])).toBe(80);
  expect(seen([160, 'a'], [180, 'b'])).toBe(0);
  expect(seen([160, 'a'], [180, 'b'], [200, 'b'], [230, 'b'])).toBe(50);
  expect(seen([160, 'a'], [180, 'b'], [200, 'a'])).toBe(0);
});

test('a screen is stable for exactly as long as the last samples are equal', () => {
  const hashes = fc.array(fc.constantFrom('a', 'b'), { minLength: 1 });
  fc.assert(
    fc.property(hashes, (list) => {
      const samples = list.map((hash, i) => ({ at: (i + 1) * 2000, hash }));
      const lastChange = list.findLastIndex((hash, i) => i > 0 && hash !== list[i - 1]);
      const since = lastChange < 0 ? 0 : (lastChange + 1) * 2000;
      expect(stableFor(stability(0, samples))).toBe(list.length * 2000 - since);
    }),
  );
});
