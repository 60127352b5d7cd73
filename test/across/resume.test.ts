/** `ralph resume` continues a loop of any kind. */
import { expect, test } from 'vitest';
import type { Exited } from '../support/programs/program.ts';
import { AT_WORK, type Bench, KIND_NAMES, KINDS, leftLongAgo } from './bench.ts';

test.each(KIND_NAMES)('ralph resume continues an interrupted loop of %s', async (kind) => {
  const bench = KINDS[kind](AT_WORK);
  expect(await interrupted(bench)).toMatchObject({ code: 130 });
  expect(await bench.type('ralph resume')).toMatchObject({ code: 0, stderr: expect.not.stringContaining('error:') });
  expect((await bench.type('ralph ls')).stdout).toMatch(/^✓ /m);
  expect(await bench.type('ralph resume')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('error: there is no unfinished loop in '),
  });
});

test.each(['run', 'stories', 'tasks'] as const)(
  'the night during which a loop of %s was interrupted does not count as working time',
  async (kind) => {
    const bench = KINDS[kind](AT_WORK);
    await interrupted(bench);
    leftLongAgo(bench);
    const { code, stdout, stderr } = await bench.resume().exited;
    expect({ code, said: `${stdout}${stderr}` }).toEqual({
      code: 0,
      said: expect.stringMatching(/^(\[ralph\] )?✓ Done in .* · \d+s · /m),
    });
  },
);

async function interrupted(bench: Bench): Promise<Exited> {
  const loop = bench.begin();
  await bench.atWork();
  loop.signal('SIGINT');
  await loop.says(bench.signalled);
  loop.signal('SIGINT');
  return loop.exited;
}
