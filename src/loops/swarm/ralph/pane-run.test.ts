import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../test/support/folder.ts';
import { startProblem } from './pane-run.ts';

test('a removed directory is reported as such, because tmux would start the agent in another one', () => {
  const gone = join(testFolder(), 'gone');
  expect(startProblem('sh', process.env, gone)).toBe(`cannot work in ${gone}: there is no such directory`);
});
