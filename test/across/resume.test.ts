/** `ralph resume` continues loops of `ralph run`; for any other kind it names the command that does, and that works. */
import { expect, test } from 'vitest';
import { AT_WORK, KINDS } from './bench.ts';

test.each(['stories', 'tasks', 'swarm'] as const)('ralph resume names what continues a loop of %s', async (kind) => {
  const bench = KINDS[kind](AT_WORK);
  const loop = bench.begin();
  await bench.started(1);
  loop.signal('SIGINT');
  await loop.says(bench.signalled);
  loop.signal('SIGINT');
  expect(await loop.exited).toMatchObject({ code: 130 });
  const { code, stderr } = await bench.type('ralph resume');
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(/^error: no unfinished loop of ralph run in .*\nhint: .*To continue it, run: .*\n$/),
  });
  const [, command = ''] = /To continue it, run: (.*)\n/.exec(stderr) ?? [];
  expect(await bench.type(command)).toMatchObject({ code: 0, stderr: expect.not.stringContaining('error:') });
});
