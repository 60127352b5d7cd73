/** `ralph task run --review-agent`: DONE counts only once another agent has approved the work. */
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { taskFile } from '../../src/loops/tasks/folder/task-folder.ts';
import { ROOT, type Scene } from '../support/scene.ts';
import { sandboxedTask } from '../support/tasks/sandboxed-task.ts';
import { DONE, PROJECT, TASK, type TaskLoopScene, taskLoopScene } from '../support/tasks/task-loop.ts';

/** The prompt is on stdin, and names the tag for the answer. */
const verdict = (words: string): string =>
  `tag=$(sed -n 's/^<\\(review-[0-9a-f]*\\)>APPROVED.*/\\1/p'); echo "<$tag>${words}</$tag>"`;
const APPROVED = verdict('APPROVED');

interface Parts {
  readonly work: string;
  readonly review: string;
}

const reviewed = (parts: Parts): TaskLoopScene => withCritic(taskLoopScene({ play: playOf(parts) }));
const playOf = ({ work, review }: Parts): string => `case \${0##*/} in agent) ${work} ;; *) ${review} ;; esac`;

function withCritic<Made extends Scene>(scene: Made): Made {
  symlinkSync(join(ROOT, 'test/fakes/play-agent.sh'), join(scene.folder, 'bin/critic'));
  return scene;
}

test('a DONE that is rejected is removed, the findings reach the agent, and the next one is reviewed again', async () => {
  const scene = reviewed({
    work: `echo $n >>work.txt; ${DONE}`,
    // Tasks that depend on this one must not begin yet.
    review: `[ -e "$TASK_FOLDER/DONE" ] && echo early >>"$SCENE/seen"
      if [ "$n" = 1 ]; then ${verdict('REJECTED: work.txt:2 is hard-coded.')}; else ${APPROVED}; fi`,
  });
  const { code, stderr } = await scene.runTask('--review-agent', 'critic');
  expect(code).toBe(0);
  expect(scene.starts()).toEqual(['agent 1/work/1', 'agent 1/review/1', 'agent 2/work/1', 'agent 2/review/1']);
  expect(existsSync(join(scene.folder, 'seen'))).toBe(false);
  expect(stderr).toContain(
    '✗ Rejected by critic (review 1 of 3). The findings go into the next prompt.\n    work.txt:2 is hard-coded.\n',
  );
  expect(stderr).toContain('✓ Approved by critic (review 2 of 3).\n');
  expect(stderr).toMatch(/It has a DONE file\. Reviewed by critic: approved in round 2;/);
  expect(scene.read(`.run-agent/runs/${PROJECT}/${TASK}/DONE`)).toBe('finished\n');
  const prompts = [0, 1, 2, 3].map((index) => scene.runText(index, 'prompt'));
  expect(prompts[1]).toMatch(/----- begin \w+\nDo the work\.\n----- end/);
  expect(prompts[1]).toContain(' begin\n+1\n');
  // The reviewer is not told how to end the task.
  expect(prompts[1]).not.toContain('When done, create');
  expect(prompts[2]).toMatch(
    /Continue working on the following:\n\nDo the work\.\n\n## Review\n.*\n\nwork\.txt:2 is hard-coded\./,
  );
  expect(prompts[3]).toContain(' begin\n+1\n+2\n');
  expect(scene.runs().map(({ agent }) => agent)).toEqual([scene.agent, 'critic', scene.agent, 'critic']);
  expect(scene.said('WARNING')).toEqual(['review 1 by critic: rejected\nwork.txt:2 is hard-coded.']);
  expect(scene.said('FACT')).toContain('review 2 by critic: approved');
  expect((await scene.shell('ralph show')).stdout).toContain('review by critic ✗ work.txt:2 is hard-coded.');
});

test('the same work is not reviewed again; so many rejections end the task as stuck, without DONE', async () => {
  const scene = reviewed({ work: DONE, review: verdict('REJECTED: Nothing was done.') });
  const { code, stderr } = await scene.runTask('--review-agent', 'critic', '--review-rounds', '2');
  expect(code).toBe(7);
  expect(scene.starts()).toEqual(['agent 1/work/1', 'agent 1/review/1', 'agent 2/work/1']);
  expect(stderr).toContain('nothing has changed since');
  expect(existsSync(taskFile.done(scene.task))).toBe(false);
  expect(scene.projectSaid()).toEqual([]);
  // Also in a resume. Another reviewer can judge it, and this one what has changed.
  const resumed = await scene.resume();
  expect(resumed).toMatchObject({ code: 7, stderr: expect.stringContaining('nothing has changed since') });
  expect(scene.starts().slice(3)).toEqual(['agent 1/work/1', 'agent 2/work/1']);
  expect(scene.runText(3, 'prompt')).toContain('\n\nNothing was done.');
  scene.write('play', `case \${0##*/} in agent) echo $n >>work.txt; ${DONE} ;; *) ${APPROVED} ;; esac`);
  expect((await scene.resume()).code).toBe(0);
  expect(scene.starts().slice(5)).toEqual(['agent 1/work/1', 'agent 1/review/1']);
});

test('approved work is not reviewed again when the task is resumed, unless the files or TASK.md have changed', async () => {
  const scene = reviewed({ work: `echo $n >>work.txt; ${DONE}`, review: APPROVED });
  expect((await scene.runTask('--review-agent', 'critic')).code).toBe(0);
  const before = scene.starts().length;
  const same = await scene.resume();
  expect(same).toMatchObject({ code: 0, stderr: expect.stringContaining('approved in round 1') });
  expect(scene.starts()).toHaveLength(before);
  expect(existsSync(taskFile.done(scene.task))).toBe(true);
  scene.write('work/work.txt', 'changed since');
  expect((await scene.resume()).code).toBe(0);
  expect(scene.starts().slice(before)).toEqual(['agent 1/review/1']);
  writeFileSync(taskFile.prompt(scene.task), 'Do more.\n');
  expect((await scene.resume()).code).toBe(0);
  expect(scene.starts().slice(before)).toEqual(['agent 1/review/1', 'agent 1/review/1']);
});

test('a DONE that exists before the first run is reviewed, too', async () => {
  const scene = reviewed({ work: 'false', review: APPROVED });
  writeFileSync(taskFile.done(scene.task), '');
  expect((await scene.runTask('--review-agent', 'critic')).code).toBe(0);
  expect(scene.starts()).toEqual(['agent 1/review/1']);
  expect(scene.runText(0, 'prompt')).toMatch(/Do the work\.[\s\S]*The diff is not known/);
});

test('a reviewer without a verdict blocks the task; a review that was cut off is done again by the next supervisor', async () => {
  const silent = reviewed({ work: DONE, review: 'cat >/dev/null; echo "I do not know."' });
  const { code, stderr } = await silent.runTask('--review-agent', 'critic');
  expect(code).toBe(5);
  expect(stderr).toContain('Fatal error: The reviewer, critic, gave no verdict 2 times in a row');
  expect(existsSync(taskFile.done(silent.task))).toBe(false);

  const killed = reviewed({ work: DONE, review: `at_gate; ${APPROVED}` });
  const running = killed.start('--review-agent', 'critic');
  await killed.logged('at gate 1/review/1');
  running.signal('SIGKILL');
  await running.exited;
  const resumed = killed.ralph(['task', 'resume', '--project', PROJECT, '--task', TASK]);
  await killed.logged('at gate 1/review/2');
  killed.openGate();
  expect((await resumed.exited).code).toBe(0);
  expect(existsSync(taskFile.done(killed.task))).toBe(true);
  expect(killed.starts().filter((line) => line.includes('work'))).toEqual(['agent 1/work/1']);
});

test('a review that is not possible is refused before anything is created', async () => {
  const scene = reviewed({ work: DONE, review: APPROVED });
  const missing = await scene.runTask('--review-agent', 'no-such-agent');
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('agent command not found: no-such-agent') });
  const inside = await scene.shell(
    'ralph task run --project p --prompt x --agent agent --root . --review-agent critic',
  );
  expect(inside).toMatchObject({ code: 2, stderr: expect.stringContaining('the tasks lie in the work tree') });
  const dry = await scene.runTask('--review-agent', 'critic', '--dry-run');
  expect(dry.stdout).toContain('What is called done is reviewed by: critic');
  await scene.shell('rm -rf .git');
  const { code, stderr } = await scene.runTask('--review-agent', 'critic');
  expect([code, stderr]).toEqual([2, expect.stringContaining('--review-agent needs a git repository')]);
  expect(scene.starts()).toEqual([]);
});

test('a reviewer in the sandbox can write to its output and the folder of the task, but not to the work tree', async () => {
  const review = `
    echo mine >>work.txt; mkdir mine
    echo seen >"$TASK_FOLDER/seen"; echo looked >"$RUN_FOLDER/output.md"
    ${APPROVED}`;
  const scene = withCritic(sandboxedTask({ play: playOf({ work: `echo more >>work.txt; ${DONE}`, review }) }));
  const { code, stderr } = await scene.sandboxed('--review-agent', 'critic');
  expect(stderr).toContain('✓ Approved by critic (review 1 of 3).\n');
  expect(code).toBe(0);
  expect(scene.read('work/work.txt')).toBe('begin\nmore\n');
  expect(existsSync(join(scene.work, 'mine'))).toBe(false);
  expect(scene.inTask('seen')).toBe('seen\n');
  expect(scene.runText(1, 'output')).toBe('looked\n');
});
