/** A mistyped command is reported as one, even where a default command could have taken it as an argument. */
import { expect, test } from 'vitest';
import { makeScene } from '../../support/scene.ts';

test.each([
  ['ralph storys', 'there is no command storys; did you mean ralph stories?', 'ralph'],
  ['ralph task lst', 'there is no command lst; did you mean ralph task list?', 'ralph task'],
  ['ralph stories pasue', 'there is no command pasue; did you mean ralph stories pause?', 'ralph stories'],
  ['ralph task entirely-else', 'there is no command entirely-else', 'ralph task'],
  ['ralph list', 'there is no command list; did you mean ralph ls?', 'ralph'],
  ['ralph spawn', 'there is no command spawn; did you mean swarm spawn?', 'ralph'],
  ['ralph ls2', 'there is no command ls2; did you mean ralph ls?', 'ralph'],
  ['ralph fl', 'there is no command fl', 'ralph'],
])('%s', async (line, fact, see) => {
  const scene = makeScene({ play: 'echo' });
  const { code, stdout, stderr } = await scene.shell(line);
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: `error: ${fact}\nsee: ${see} --help\n` });
  expect(scene.starts()).toEqual([]);
});
