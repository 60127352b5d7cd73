/** A loop whose iterations make no progress says so; on request it asks for a different plan, or ends. */
import { describe, expect, test } from 'vitest';
import { DONE, makeScene } from '../support/scene.ts';

const TASK = 'Make the tests pass.';

describe('a loop that changes nothing', () => {
  test('asks the agent for a different plan, puts it into the next prompts, and then ends as stuck', async () => {
    const scene = makeScene({
      play: `case $RALPH_KEY in */pivot/*) echo "<response>Look at the parser.
Then rewrite it.</response>" ;; *) echo "I am thinking about it." ;; esac`,
    });
    const { code, stderr } = await scene.ralph(['run', TASK, '--check', 'echo "1 test failed"; false']).exited;
    expect(stderr).toMatch(
      /! Stuck: the last 3 iterations changed nothing\. Asking the agent once for a\s+different plan/,
    );
    expect(stderr).toContain('    Look at the parser.\n    Then rewrite it.\n');
    expect(code).toBe(7);
    expect(stderr).toContain('✗ Stuck after 6 iterations');
    expect(stderr).toContain('The last 3 iterations changed nothing, even after a different plan was made.');
    expect(stderr).toMatch(/ralph tell \w+ "…" +say what could help/);
    const work = (n: number) => `agent ${n}/work/1`;
    expect(scene.starts()).toEqual([1, 2, 3].map(work).concat('agent 3/pivot/1', [4, 5, 6].map(work)));
    const asked = scene.promptOf('3/pivot/1');
    expect(asked).toMatch(/the last 3 iterations changed nothing.*## The task\nMake the tests pass\./s);
    expect(asked).toMatch(/Iteration 3: .* failed \(exit 1\)\.\nThe agent's last words: I am thinking about it\./);
    expect(asked).toContain('1 test failed');
    expect(scene.promptOf('3/work/1')).not.toContain('parser');
    expect(scene.promptOf('4/work/1')).toMatch(/Make the tests pass\.\n\n## A different plan\n.*Look at the parser\./s);
    expect((await scene.shell('ralph ls')).stdout).toMatch(/✗ .* stuck .* The last 3 iterations changed nothing/);
    expect((await scene.shell('ralph report')).stdout).toContain('Stuck after 6 iterations');
    const story = (await scene.shell('ralph show')).stdout;
    expect(story).toContain('Stuck after 6 iterations');
    expect(story).toMatch(/ {2}3 {2}█.*\n.*\n +stuck: the agent was asked for a different plan\n.* {2}4 {2}█/);
  });

  test('continues once there is progress, and the plan is no longer in the prompt', async () => {
    const scene = makeScene({
      play: `case $RALPH_KEY in
        */pivot/*) echo "<response>Write the file.</response>" ;;
        4/*) echo 4 >>work.txt ;;
        5/*) echo 5 >>work.txt; ${DONE} ;;
      esac`,
    });
    const check = 'grep -q 5 work.txt || { wc -l <work.txt; false; }';
    expect((await scene.ralph(['run', TASK, '--check', check]).exited).code).toBe(0);
    expect(scene.promptOf('4/work/1')).toContain('Write the file.');
    expect(scene.promptOf('5/work/1')).not.toContain('Write the file.');
  });

  test('only causes a warning with a prompt of -p', async () => {
    const scene = makeScene({ play: 'true' });
    const { code, stderr } = await scene.run('-m', '5');
    expect(code).toBe(1);
    expect(stderr.match(/no progress/g)).toHaveLength(1);
    expect(stderr).toContain('warning: no progress: the last 3 iterations changed nothing');
    expect(scene.starts()).toHaveLength(5);
  });

  test('ends at once with --on-stuck end; ralph resume continues with the next iteration', async () => {
    const scene = makeScene({ play: `if [ $n -gt 3 ]; then ${DONE}; fi` });
    const { code, stderr } = await scene.run('--on-stuck', 'end');
    expect([code, scene.starts().length]).toEqual([7, 3]);
    expect(stderr).toContain('The last 3 iterations changed nothing.');
    expect((await scene.shell('ralph resume')).code).toBe(0);
    expect(scene.starts().at(-1)).toBe('agent 4/work/1');
  });
});

test('a loop that undoes and redoes the same changes is stuck', async () => {
  const scene = makeScene({ play: 'if [ -f b ]; then rm b; else echo b >b; fi' });
  const { code, stderr } = await scene.run('--on-stuck', 'end');
  expect(code).toBe(7);
  expect(stderr).toContain('The last 3 iterations undid and redid the same changes.');
  expect(scene.starts()).toHaveLength(4);
});

test('a loop is stuck if a check fails in the same way five times, even if files and timings change', async () => {
  const scene = makeScene({ play: 'echo $n >>work.txt' });
  const check = 'echo "npm error Missing script: test ($(wc -l <work.txt).$$s)"; echo "/tmp/x-$$.log"; false';
  const { code, stderr } = await scene.run('--on-stuck', 'end', '--check', check);
  expect(code).toBe(7);
  expect(stderr).toContain('The last 5 iterations failed with the same output: ');
  expect(scene.starts()).toHaveLength(5);
});

test('a loop whose checks fail in another way each time continues', async () => {
  const scene = makeScene({ play: 'echo $n >>work.txt' });
  const { code } = await scene.run(
    '--on-stuck',
    'end',
    '-m',
    '7',
    '--check',
    'echo "$(wc -l <work.txt) tests failed"; false',
  );
  expect(code).toBe(1);
  expect(scene.starts()).toHaveLength(7);
});

test('a pivot that changes files causes a warning', async () => {
  const scene = makeScene({ play: 'case $RALPH_KEY in */pivot/*) echo x >new.txt; echo plan ;; esac' });
  const { stderr } = await scene.run('--on-stuck', 'pivot', '-m', '4');
  expect(stderr).toContain('warning: that run has changed files, although it was asked not to');
  expect(scene.promptOf('4/work/1')).toMatch(/## A different plan\n.*\n\nplan$/);
});
