/** A mistyped command is told as such, also where a default command would have taken it for its own argument. */
import { expect, test } from 'vitest';
import { makeScene } from '../../support/scene.ts';

test.each([
  [['storys'], 'storys', 'Did you mean stories?'],
  [['task', 'lst'], 'lst', 'Did you mean list?'],
  [['stories', 'pasue'], 'pasue', 'Did you mean pause?'],
  [['task', 'entirely-else'], 'entirely-else', 'ralph task --help'],
])('ralph %j', async (args, word, hint) => {
  const scene = makeScene({ play: 'echo' });
  const { code, stdout, stderr } = await scene.ralph(args).exited;
  expect({ code, stdout, stderr }).toEqual({
    code: 2,
    stdout: '',
    stderr: `error: unknown command '${word}'\nhint: ${hint}\n`,
  });
  expect(scene.starts()).toEqual([]);
});
