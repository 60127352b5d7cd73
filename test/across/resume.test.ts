/** `ralph resume` continues loops of `ralph run`; for any other kind it names the command that does, and that works. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Exited } from '../support/programs/program.ts';
import { AT_WORK, type Bench, KINDS } from './bench.ts';

test.each(['stories', 'tasks', 'swarm'] as const)('ralph resume names what continues a loop of %s', async (kind) => {
  const bench = KINDS[kind](AT_WORK);
  expect(await interrupted(bench)).toMatchObject({ code: 130 });
  const { code, stderr } = await bench.type('ralph resume');
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(/^error: no unfinished loop of ralph run in .*\nhint: .*To continue it, run: .*\n$/),
  });
  const [, command = ''] = /To continue it, run: (.*)\n/.exec(stderr) ?? [];
  expect(await bench.type(command)).toMatchObject({ code: 0, stderr: expect.not.stringContaining('error:') });
});

test.each(['run', 'stories', 'tasks'] as const)(
  'a loop of %s that was left overnight has not worked so long',
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

/** As if it had happened fourteen hours earlier. */
function leftLongAgo({ state }: Bench): void {
  const loops = join(state, 'ralph/loops');
  for (const id of readdirSync(loops)) {
    const journal = join(loops, id, 'journal.jsonl');
    const earlier = readFileSync(journal, 'utf8').replaceAll(
      /"at":(\d+)/g,
      (_, at) => `"at":${Number(at) - 50_400_000}`,
    );
    writeFileSync(journal, earlier);
  }
}
