/** `ralph logs` of a transcript larger than memory: it is read in parts, and only as far as the reader goes. */
import { closeSync, openSync, truncateSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { DONE, makeScene, type Scene } from '../support/scene.ts';

const MB = 1024 * 1024;
const LINE = `${'x'.repeat(127)}\n`;

let scene: Scene;

beforeEach(async () => {
  scene = makeScene({ play: DONE });
  await scene.run();
});

const transcript = (): string =>
  join(scene.state, 'ralph/loops', basename(scene.loops()[0] ?? ''), 'runs/1-work-1.out');

function writeTranscript(megabytes: number): void {
  const file = openSync(transcript(), 'w');
  const part = LINE.repeat(MB / LINE.length);
  for (let written = 0; written < megabytes; written++) writeSync(file, part);
  closeSync(file);
}

test('a large transcript takes no more memory than a short one', async () => {
  const megabytes = 96;
  writeTranscript(megabytes);
  // Measured when nearly everything has been read, while ralph still runs.
  const nearly = (megabytes - 1) * MB;
  const { code, stdout } = await scene.shell(
    `mkfifo seen.fifo; ralph logs >seen.fifo & pid=$!
     { head -c ${nearly} >/dev/null; grep VmHWM "/proc/$pid/status"; wc -c; } <seen.fifo; wait $pid`,
  );
  expect(code).toBe(0);
  const [peak = '', rest = ''] = stdout.split('\n');
  expect(Number(/(\d+) kB/.exec(peak)?.[1]) / 1024).toBeLessThan(160);
  expect(Number(rest)).toBeGreaterThan(MB - 1);
});

/** Too large to read within a test's timeout; most of it is a hole, which takes no disk space. */
const ENDLESS = 64 * 1024 * MB;

describe('of an endless transcript', () => {
  beforeEach(() => {
    writeTranscript(2);
    truncateSync(transcript(), ENDLESS);
  });

  test.each(['ralph logs', 'ralph logs --iteration 1'])('%s ends when its reader goes away', async (line) => {
    const { stdout, stderr } = await scene.shell(`{ ${line}; echo "exit $?" >&2; } | head -n 3`);
    expect(stdout).toContain(LINE);
    expect(stderr).toBe('exit 0\n');
  });

  test('a signal ends it', async () => {
    const logs = scene.ralph(['logs']);
    await logs.says(LINE);
    logs.signal('SIGINT');
    expect(await logs.exited).toMatchObject({ code: 0 });
  });
});

test('ralph logs -f ends when its reader goes away', async () => {
  // Only a write reveals that the reader has gone, so the agent prints until the test has seen enough.
  const gated = makeScene({ play: `until [ -e "$SCENE/over" ]; do echo line; sleep 0.05; done; ${DONE}` });
  const ralph = gated.ralph(['run', '-p', 'Do it.']);
  await ralph.says('── 1/10');
  expect((await gated.shell('ralph logs -f | head -n 1')).stdout).toContain('1/10');
  gated.write('over', '');
  expect((await ralph.exited).code).toBe(0);
});
