import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { paneServer } from '../../test/support/panes.ts';
import type { Control } from './control.ts';
import { hashOf, lastLines, lookAt, type ScreenWatch, stabilityFrom, watchScreen } from './screen.ts';

const UNIT = 10;

function stableFor(startedAt: number, samples: readonly { at: number; hash: string }[]): number | undefined {
  const see = stabilityFrom(startedAt);
  return samples.map(({ at, hash }) => see(at, hash)).at(-1);
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

/** Resolves when the look says so, or when the pane is gone. */
function watched(
  control: Control,
  pane: string,
  isEnough: (look: { captured: string; stableFor: number }) => boolean,
  startedAt = Date.now(),
): Promise<'enough' | 'gone'> {
  const over = new AbortController();
  const watch = { control, pane, every: UNIT, startedAt, signal: over.signal } satisfies Partial<ScreenWatch>;
  return new Promise((resolve) => {
    const onLook = (look: { captured: string; stableFor: number }): void => {
      if (!isEnough(look)) return;
      over.abort();
      resolve('enough');
    };
    void watchScreen({ ...watch, onLook, onGone: () => resolve('gone') });
  });
}

test('a screen that stands still is stable after the timeout, one that changes is not', async () => {
  const server = paneServer();
  const busy = server.pane('one', 'sh', '-c', 'i=0; while :; do echo $i; i=$((i+1)); sleep 0.005; done');
  const still = server.pane('two', 'sh', '-c', 'echo ready; exec cat');
  const control = server.control();
  let [longest, isOver] = [0, false];
  const changing = watched(control, busy, ({ stableFor: ms }) => {
    longest = Math.max(longest, ms);
    return isOver;
  });
  const began = Date.now();
  await watched(control, still, ({ stableFor: ms }) => ms >= 30 * UNIT);
  isOver = true;
  await changing;
  expect(Date.now() - began).toBeGreaterThanOrEqual(30 * UNIT);
  expect(longest).toBeLessThan(30 * UNIT);
});

test('what is typed begins the time anew', async () => {
  const server = paneServer();
  const pane = server.pane('one', 'cat');
  const control = server.control();
  const times: number[] = [];
  let typed = false;
  await watched(control, pane, ({ captured, stableFor: ms }) => {
    times.push(ms);
    if (!typed && ms >= 5 * UNIT) {
      typed = true;
      void control.send(['send-keys', '-t', pane, '-l', 'hello']);
    }
    return captured.includes('hello');
  });
  expect(times.at(-1)).toBe(0);
  expect(Math.max(...times)).toBeGreaterThanOrEqual(5 * UNIT);
});

test('the clock runs from the start of the agent that the caller names', async () => {
  const server = paneServer();
  const pane = server.pane('one', 'cat');
  const isStable = ({ stableFor: ms }: { stableFor: number }): boolean => ms >= 60_000;
  expect(await watched(server.control(), pane, isStable, Date.now() - 60_000)).toBe('enough');
});

test('the end of a pane is told, and so is the end of the server', async () => {
  const server = paneServer();
  server.pane('one', 'cat');
  const [first, second] = [server.pane('two', 'cat'), server.pane('three', 'cat')];
  const control = server.control();
  // tmux 3.3a can fall over when a client attaches while a session ends.
  await control.send(['display-message', '-p', 'attached']);
  const gone = [first, second].map((pane) => watched(control, pane, () => false));
  server.tmux('kill-session', '-t', 'two');
  expect(await gone[0]).toBe('gone');
  await server.kill();
  expect(await gone[1]).toBe('gone');
});

test('a look tells the title, too', async () => {
  const server = paneServer();
  const pane = server.pane('one', 'cat');
  const control = server.control();
  await control.send(['select-pane', '-t', pane, '-T', '◇  Ready (work)   ']);
  expect(await lookAt(control, pane)).toEqual({ screen: '', title: '◇  Ready (work)' });
});

test('a look goes on when somebody detaches the connection meanwhile', async () => {
  const server = paneServer();
  const pane = server.pane('one', 'cat');
  const control = server.control();
  await lookAt(control, pane);
  server.tmux('detach-client', '-s', 'one');
  expect(await lookAt(control, pane)).toMatchObject({ screen: '' });
});
