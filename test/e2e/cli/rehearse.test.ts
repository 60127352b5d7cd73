/** What a rehearsed loop says to type next stays in the rehearsal. */
import { expect, test } from 'vitest';
import { makeScene } from '../../support/scene.ts';

test('the next command of a rehearsed loop is rehearsed, too', async () => {
  const scene = makeScene({ play: 'true' });
  scene.write('work/note.yaml', 'turns:\n  - say: "Done"\n');
  const flags = ['-s', 'note.yaml', '--no-namespace'];
  const { stderr } = await scene.ralph(['rehearse', ...flags, '--', 'ralph', 'run', '-p', 'Do it.', '-m', '1']).exited;
  const name = scene.loops()[0]?.slice(-8, -4);
  expect(stderr).toContain(`  ralph rehearse -s note.yaml --no-namespace -- ralph resume ${name} -m 2`);
});
