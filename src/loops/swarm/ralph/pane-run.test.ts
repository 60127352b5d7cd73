import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../test/support/folder.ts';
import { startProblem } from './pane-run.ts';

test('a directory that was removed is reported as that: tmux would start the agent in another one', () => {
  const gone = join(testFolder(), 'gone');
  expect(startProblem('sh', process.env, gone)).toBe(`cannot work in ${gone}: there is no such directory`);
});
