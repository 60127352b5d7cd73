import { expect, test } from 'vitest';
import { paneServer } from '../../test/support/panes.ts';
import { processesOf } from '../../test/support/processes.ts';
import { lookAt } from './screen-look.ts';
import { type ScreenWatch, watchScreens } from './screen-watch.ts';

const UNIT = 10;

/** Resolves when the pane's screen was the same for the timeout, or when the pane is gone. */
function untilStable(
  watch: ScreenWatch,
  pane: string,
  { timeout, startedAt }: { timeout: number; startedAt?: number },
): Promise<'stable' | 'gone'> {
  return new Promise((resolve) => {
    const stop = watch.watch(pane, {
      ...(startedAt !== undefined && { startedAt }),
      onLook: ({ stableFor }) => {
        if (stableFor < timeout) return;
        stop();
        resolve('stable');
      },
      onGone: () => resolve('gone'),
    });
  });
}

test('a screen that stands still is stable after the timeout, one that changes is not', async () => {
  const server = paneServer();
  const busy = server.pane('busy', 'sh', '-c', 'i=0; while :; do echo $i; i=$((i+1)); sleep 0.005; done');
  const still = server.pane('still', 'sh', '-c', 'echo ready; exec cat');
  const watch = watchScreens({ control: server.control(), every: UNIT });
  const stable: string[] = [];
  let longest = 0;
  watch.watch(busy, {
    onLook: (look) => {
      longest = Math.max(longest, look.stableFor);
    },
    onGone: (why) => {
      throw why;
    },
  });
  const began = performance.now();
  stable.push(await untilStable(watch, still, { timeout: 30 * UNIT }));
  expect(performance.now() - began).toBeGreaterThanOrEqual(30 * UNIT);
  expect(stable).toEqual(['stable']);
  expect(longest).toBeLessThan(30 * UNIT);
  watch.close();
});

test('what is typed begins the time anew', async () => {
  const server = paneServer();
  const pane = server.pane('one', 'cat');
  const control = server.control();
  const watch = watchScreens({ control, every: UNIT });
  const times: number[] = [];
  await new Promise<void>((resolve) => {
    let typed = false;
    const stop = watch.watch(pane, {
      onLook: ({ captured, stableFor }) => {
        times.push(stableFor);
        if (!typed && stableFor >= 5 * UNIT) {
          typed = true;
          void control.send(['send-keys', '-t', pane, '-l', 'hello']);
        }
        if (captured.includes('hello')) {
          stop();
          resolve();
        }
      },
      onGone: (why) => {
        throw why;
      },
    });
  });
  expect(times.at(-1)).toBe(0);
  expect(Math.max(...times)).toBeGreaterThanOrEqual(5 * UNIT);
});

test('the clock runs from the start of the agent that the caller names', async () => {
  const server = paneServer();
  const pane = server.pane('one', 'cat');
  const watch = watchScreens({ control: server.control(), every: UNIT });
  const startedAt = performance.now() - 60_000;
  expect(await untilStable(watch, pane, { timeout: 60_000, startedAt })).toBe('stable');
});

test('a pane that ends is told apart from the others, and so is the end of the server', async () => {
  const server = paneServer();
  const [first, second] = [server.pane('one', 'cat'), server.pane('two', 'cat')];
  const watch = watchScreens({ control: server.control({ sessions: () => ['one', 'two'] }), every: UNIT });
  const gone = [first, second].map((pane) => untilStable(watch, pane, { timeout: 60_000 }));
  server.tmux('kill-session', '-t', 'one');
  expect(await gone[0]).toBe('gone');
  await server.kill();
  expect(await gone[1]).toBe('gone');
});

test('fifty panes are watched by one process', async () => {
  const server = paneServer();
  const panes = Array.from({ length: 50 }, (_, i) => server.pane(`s${i}`, 'sh', '-c', `echo pane ${i}; exec cat`));
  const control = server.control({ sessions: () => ['s0'] });
  const watch = watchScreens({ control, every: UNIT });
  const seen = await Promise.all(
    panes.map(
      (pane) =>
        new Promise<string>((resolve) => {
          const stop = watch.watch(pane, {
            onLook: ({ captured }) => {
              if (captured.trim() === '') return;
              stop();
              resolve(captured.trim());
            },
            onGone: (why) => {
              throw why;
            },
          });
        }),
    ),
  );
  expect(seen).toEqual(panes.map((_, i) => `pane ${i}`));
  expect(processesOf(server.folder).filter(({ command }) => command.includes('attach-session'))).toHaveLength(1);
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
