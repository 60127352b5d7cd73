/** An agent that cannot go on without a person says so: the loop ends with its question, and goes on with the answer. */
import { expect, test } from 'vitest';
import { DONE, makeScene } from '../support/scene.ts';

const ASKS = 'echo "<response>BLOCKED: which database should the tests use?</response>"';

test('the question is shown, answered by a command, and the answer stands in the next prompt', async () => {
  const scene = makeScene({ play: `case "$prompt" in *SQLite*) ${DONE} ;; *) ${ASKS} ;; esac` });
  const { code, stderr } = await scene.ralph(['run', 'Make the tests pass.']).exited;
  expect(code).toBe(5);
  expect(stderr).toContain('! Blocked after 1 iteration');
  expect(stderr).toContain('which database should the tests use?');
  const short = scene.loops()[0]?.slice(-8, -4);
  expect(stderr).toContain(`ralph answer ${short} "…"`);
  expect((await scene.shell('ralph ls')).stdout).toMatch(/! .* needs you .* which database/);
  expect((await scene.shell('ralph answer "Use SQLite."')).code).toBe(0);
  expect((await scene.shell('ralph resume')).code).toBe(0);
  expect(scene.promptOf('1/work/2')).toContain('Use SQLite.');
});

test('a prompt that is passed on unchanged does not ask for it, and the loop goes on', async () => {
  const scene = makeScene({ play: `[ $n -lt 2 ] && { ${ASKS}; exit; }; ${DONE}` });
  expect((await scene.run()).code).toBe(0);
  expect(scene.starts()).toHaveLength(2);
});
