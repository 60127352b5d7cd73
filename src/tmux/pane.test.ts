import { setTimeout as sleep } from 'node:timers/promises';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { paneServer } from '../../test/support/terminal/panes.ts';
import { lastLines, type Pane, stabilityFrom, watchScreen } from './pane.ts';

const UNIT = 10;

function stableFor(startedAt: number, samples: readonly { at: number; hash: string }[]): number | undefined {
  const see = stabilityFrom(startedAt);
  return samples.map(({ at, hash }) => see(at, hash)).at(-1);
}

test('only the last 20 lines count, and blank ones below the text are none of them', () => {
  const lines = Array.from({ length: 40 }, (_, i) => `line ${i}`);
  expect(lastLines(`${lines.join('\n')}\n\n  \n`)).toBe(lines.slice(20).join('\n'));
  expect(lastLines(lines.join('\n'))).toBe(lastLines(['other', ...lines.slice(20)].join('\n')));
});

test('colours do not change a screen, text does', () => {
  expect(lastLines('\u001b[31mred\u001b[0m')).toBe(lastLines('red   \n\n'));
  expect(lastLines('red')).not.toBe(lastLines('rea'));
});

test('the time is from the start while nothing changes, and from the last change afterwards', () => {
  const seen = (...samples: [at: number, hash: string][]) =>
    stableFor(
      100,
      samples.map(([at, hash]) => ({ at, hash })),
    );
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
      expect(stableFor(0, samples)).toBe(list.length * 2000 - since);
    }),
  );
});

/** Resolves when `isEnough` says so. */
function watched(
  pane: Pane,
  isEnough: (look: { captured: string; stableFor: number }) => boolean,
  { startedAt = Date.now(), printed = () => performance.now() } = {},
): Promise<void> {
  const { signal } = new AbortController();
  return watchScreen({ capture: pane.capture, printed, every: UNIT, startedAt, signal, isEnough });
}

test('a screen that stands still is stable after the timeout, one that changes is not', async () => {
  const server = paneServer();
  const busy = server.at(server.pane('one', 'sh', '-c', 'i=0; while :; do echo $i; i=$((i+1)); sleep 0.005; done'));
  const still = server.at(server.pane('two', 'sh', '-c', 'echo ready; exec cat'));
  let [longest, isOver] = [0, false];
  const changing = watched(busy, ({ stableFor: ms }) => {
    longest = Math.max(longest, ms);
    return isOver;
  });
  const began = Date.now();
  await watched(still, ({ stableFor: ms }) => ms >= 30 * UNIT);
  isOver = true;
  await changing;
  expect(Date.now() - began).toBeGreaterThanOrEqual(30 * UNIT);
  expect(longest).toBeLessThan(30 * UNIT);
});

test('what is typed restarts the time', async () => {
  const server = paneServer();
  const pane = server.at(server.pane('one', 'cat'));
  const times: number[] = [];
  let typed = false;
  await watched(pane, ({ captured, stableFor: ms }) => {
    times.push(ms);
    if (!typed && ms >= 5 * UNIT) {
      typed = true;
      void pane.type('hello');
    }
    return captured.includes('hello');
  });
  expect(times.at(-1)).toBe(0);
  expect(Math.max(...times)).toBeGreaterThanOrEqual(5 * UNIT);
});

test('the clock runs from the start of the agent that the caller names', async () => {
  const server = paneServer();
  const pane = server.at(server.pane('one', 'cat'));
  const isStable = ({ stableFor: ms }: { stableFor: number }): boolean => ms >= 60_000;
  await expect(watched(pane, isStable, { startedAt: Date.now() - 60_000 })).resolves.toBeUndefined();
});

test('a pane that has printed nothing since the last look is not looked at again', async () => {
  const server = paneServer();
  const pane = server.at(server.pane('one', 'cat'));
  let [captures, printed, looks] = [0, 0, 0];
  const counted = { ...pane, capture: () => pane.capture().finally(() => captures++) };
  const isEnough = ({ stableFor: ms }: { stableFor: number }): boolean => {
    looks++;
    if (looks === 5) printed = 1;
    return ms >= 10 * UNIT && looks >= 10;
  };
  await watched(counted, isEnough, { printed: () => printed });
  expect(captures).toBe(2);
});

test('a pane that is gone ends no watch: the end of its agent is seen elsewhere', async () => {
  const server = paneServer();
  const pane = server.at(server.pane('one', 'cat'));
  server.pane('two', 'cat');
  let refused = 0;
  const over = new AbortController();
  const capture = (): Promise<string> =>
    pane.capture().catch((error: unknown) => {
      refused++;
      if (refused === 3) over.abort();
      throw error;
    });
  const isEnough = (): boolean => {
    server.tmux('kill-session', '-t', 'one');
    return false;
  };
  const watch = { capture, printed: () => performance.now(), every: UNIT, startedAt: 0, signal: over.signal, isEnough };
  await watchScreen(watch);
  expect(refused).toBe(3);
});

test('a look tells the title, too', async () => {
  const server = paneServer();
  const id = server.pane('one', 'sh', '-c', 'echo; echo " two "; exec cat');
  const pane = server.at(id);
  server.tmux('select-pane', '-t', id, '-T', '◇  Ready (work)   ');
  while ((await pane.look()).screen === '') await sleep(UNIT);
  expect(await pane.look()).toEqual({ screen: '\n two', title: '◇  Ready (work)' });
});
