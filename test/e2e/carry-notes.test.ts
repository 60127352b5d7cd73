/** `--carry-notes`: each agent starts without memory, so its prompt sums up the last iterations. */
import { expect, test } from 'vitest';
import { DONE, makeScene } from '../support/scene.ts';

test('failures and last words of iterations come after the task and before the latest failure', async () => {
  const scene = makeScene({
    play: `case $n in
      1) echo "Looking around."; echo 1 >>work.txt; printf 'I tried the \\033[31mparser.\\n' ;;
      2) echo 2 >>work.txt; exit 3 ;;
      3) echo 3 >>work.txt; ${DONE} ;;
      4) echo 4 >>work.txt; ${DONE} ;;
    esac`,
  });
  const { code } = await scene.run('--carry-notes', '--check', 'grep -q 4 work.txt || { echo no four; false; }');
  expect(code).toBe(0);
  expect(scene.promptOf('1/work/1')).toBe('Do the work.');
  const last = scene.promptOf('4/work/1');
  expect(last).toMatch(
    /^Do the work\.\n\n## What the last iterations came to\n.*Iteration 3.*Iteration 2.*Iteration 1.*Guardrail "/s,
  );
  expect(last).toMatch(/Iteration 3: the agent said that it is done; grep .* failed \(exit 1\)\./);
  expect(last).toContain('Iteration 2: the agent failed (exit 3');
  expect(last).toContain("The agent's last words: Looking around. I tried the \uFFFD[31mparser.");
});

test('without the flag, the prompt has no notes', async () => {
  const scene = makeScene({ play: `if [ $n = 2 ]; then ${DONE}; else echo one >>work.txt; fi` });
  await scene.run();
  expect(scene.promptOf('2/work/1')).toBe('Do the work.');
});
