/** What a task's run learns about those before it, and the plan that is asked for when they bring no progress. */
import { expect, test } from 'vitest';
import { taskLoopScene } from '../support/tasks/task-loop.ts';

const work = (n: number) => `agent ${n}/work/1`;

test('--on-stuck pivot: a planning run gives a plan for the next prompts; then the task ends as stuck', async () => {
  const play = `case $RALPH_KEY in */pivot/*) echo "<response>Look at the parser.</response>" ;; *) echo thinking ;; esac`;
  const scene = taskLoopScene({ play });
  const { code, stderr } = await scene.runTask('--on-stuck', 'pivot', '--restart-delay', '1ms');
  expect(code).toBe(7);
  expect(scene.starts()).toEqual([1, 2, 3].map(work).concat('agent 3/pivot/1', [4, 5, 6].map(work)));
  expect(stderr).toMatch(/! Stuck: the last 3 iterations changed nothing\. Asking the agent/);
  expect(stderr).toContain('    Look at the parser.\n');
  expect(stderr).not.toContain('Starting agent (attempt 3/100)\n\n! Stuck');
  expect(scene.said('INFO')).toContain('asking the agent for a different plan');
  // The planning run is not told how to say that the task is done.
  expect(scene.runText(3, 'prompt')).toMatch(/^An agent is working on the task below.*## The task\nDo the work\./s);
  expect(scene.runText(3, 'prompt')).not.toContain('DONE');
  expect(scene.runText(4, 'prompt')).toMatch(
    /Continue working on the following:\n\nDo the work\.\n\n## A different plan\n.*Look at the parser\./s,
  );
  expect(scene.runs()).toHaveLength(7);
});

test('--carry-notes puts the results of the last runs into the prompt', async () => {
  const scene = taskLoopScene({ play: 'echo "The parser is odd."' });
  await scene.runTask('--carry-notes', '-m', '2');
  expect(scene.runText(1, 'prompt')).toMatch(
    /Do the work\.\n\n## What the last iterations came to\n.*Iteration 1: .*The parser is odd\./s,
  );
});
