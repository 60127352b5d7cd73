/**
 * The time that a message on the bus costs, against the same bytes appended with a bare open, write and close, without
 * a lock, an id or a look at the bytes before. And the last 20 messages of a bus of 1 GB against those of 1 MB. The
 * large bus is a hole in the file, except for its last megabyte, which is the small bus.
 */
import { appendFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from '../bundle.mjs';
import { compare, takeTurns } from '../measure.mjs';

const MESSAGES = 1000;
const TAILS = 200;
const TAIL = 20;
const SMALL_BYTES = 2 ** 20;
const LARGE_BYTES = 2 ** 30;
const TAIL_AT_MOST = 1.2;
const DRAFT = {
  type: 'PROGRESS',
  projectId: 'my-project',
  taskId: 'task-20260220-153045-my-feature',
  runId: '20260220-1530450000-67946-1',
  body: 'A finding in a few lines of text.\n'.repeat(8),
};

export async function measureBus({ workspace, rounds }) {
  const folder = join(workspace.output, 'bus');
  mkdirSync(folder);
  const { appendMessage, readTail } = await bundle(folder, [
    'src/bus/append.ts',
    'src/bus/read.ts',
    'src/state/lock.ts',
  ]);
  const messages = workspace.scaled(MESSAGES);
  const [path, small, large] = ['bus.md', 'small.md', 'large.md'].map((name) => join(folder, name));
  await appendMessage(path, DRAFT);
  const entry = readFileSync(path);
  const append = () => {
    rmSync(path, { force: true });
    return microsecondsOf(messages, () => appendMessage(path, DRAFT));
  };
  const floor = () => {
    rmSync(path, { force: true });
    return microsecondsOf(messages, () => appendFileSync(path, entry));
  };
  await writeBuses({ small, large, appendMessage });
  const tail = (bus) => () =>
    microsecondsOf(workspace.scaled(TAILS), () => {
      if (readTail(bus, TAIL).messages.length !== TAIL) throw new Error(`${bus} lacks messages`);
    });

  const figures = await takeTurns(rounds, {
    'bare append': floor,
    message: append,
    small: tail(small),
    large: tail(large),
  });
  rmSync(folder, { recursive: true });
  const bare = { name: 'bare append', figures: figures['bare append'] };
  return [
    compare({ name: 'a message of a long-lived writer', unit: 'µs', figures: figures.message, floor: bare }),
    compare({
      name: `the last ${TAIL} of a bus of 1 GB`,
      unit: 'µs',
      figures: figures.large,
      floor: { name: 'of 1 MB', figures: figures.small },
      atMost: TAIL_AT_MOST,
    }),
  ];
}

async function writeBuses({ small, large, appendMessage }) {
  let bytes = 0;
  for (; bytes < SMALL_BYTES; bytes += 500) await appendMessage(small, DRAFT);
  writeFileSync(large, '');
  const end = readFileSync(small);
  truncateSync(large, LARGE_BYTES - end.length);
  appendFileSync(large, Buffer.concat([Buffer.from('\n\n'), end]));
}

async function microsecondsOf(times, act) {
  const begin = performance.now();
  for (let time = 0; time < times; time++) await act();
  return ((performance.now() - begin) / times) * 1000;
}
