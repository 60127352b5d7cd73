/** The three ways in which an agent says that it waits for a person and must not be restarted. */
import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { appendMessage } from '../../src/bus/append.ts';
import { taskFile } from '../../src/loops/tasks/folder/task-folder.ts';
import { DONE, PROJECT, TASK, taskLoopScene } from '../support/tasks/task-loop.ts';

/** As `ralph bus post` would write it. */
const entry = (run: string): string =>
  `printf -- '---\\nmsg_id: MSG-x\\nts: 2026-02-23T19:17:10Z\\ntype: wait_without_restart\\nproject_id: ${PROJECT}\\ntask_id: ${TASK}\\n%b---\\nfor an answer\\n\\n' "${run}" >>"$JRUN_MESSAGE_BUS"`;

const SIGNALS = {
  'exit 42': { play: 'exit 42', reason: 'the agent exited with code 42', exitCode: 42 },
  'the file': {
    play: 'touch "$TASK_FOLDER/WAIT_WITHOUT_RESTART"',
    reason: 'WAIT_WITHOUT_RESTART exists',
    exitCode: 0,
  },
  'a message of this run': { play: entry('run_id: $JRUN_ID\\n'), reason: 'for an answer', exitCode: 0 },
  'ralph bus post': {
    play: 'ralph bus post --type wait_without_restart --body "for an answer"',
    reason: 'for an answer',
    exitCode: 0,
  },
  'a message without a run': { play: entry(''), reason: 'for an answer', exitCode: 0 },
  'exit 42, with a question on its bus': {
    play: 'ralph bus post --type QUESTION --body "Which database?"; exit 42',
    reason: 'Which database?',
    exitCode: 42,
  },
  'a message behind a question': {
    play: 'ralph bus post --type QUESTION --body "Which database?"; ralph bus post --type wait_without_restart --body "Waiting."',
    reason: 'Which database?',
    exitCode: 0,
  },
  'the file, with a failure': {
    play: 'touch "$TASK_FOLDER/WAIT_WITHOUT_RESTART"; exit 3',
    reason: 'WAIT_WITHOUT_RESTART exists',
    exitCode: 3,
  },
};

describe.each(Object.entries(SIGNALS))('%s', (_name, { play, reason, exitCode }) => {
  test('stops the loop without a restart: exit 0, the run is `stopped`, and the next start clears the signal', async () => {
    const scene = taskLoopScene({ play: `[ -e "$SCENE/answer" ] && { ${DONE}; exit 0; }; ${play}` });
    const { code, stderr } = await scene.runTask();
    expect(code).toBe(0);
    expect(stderr).toContain('Wait-without-restart signal detected\n');
    expect(stderr).toMatch(/\n! The agent waits for you after 1 iteration · \d+s · cost unknown\n/);
    expect(stderr).toContain(`\n  Reason: ${reason}\n`);
    expect(stderr).toContain(`\n  ralph task resume --project ${PROJECT} --task ${TASK} --answer "…"\n`);
    expect(scene.said('INFO')).toContain(`task waits and is not restarted: ${reason}`);
    expect(scene.runs()).toMatchObject([{ status: 'stopped', exitCode }]);
    expect(scene.said('RUN_CRASH', 'WARNING', 'ERROR')).toEqual([]);
    expect(scene.starts()).toHaveLength(1);
    scene.write('answer', '');
    expect(await scene.resume()).toMatchObject({ code: 0 });
    expect(scene.starts()).toHaveLength(2);
    expect(existsSync(taskFile.waitWithoutRestart(scene.task))).toBe(false);
  });

  test('with DONE, the task is done', async () => {
    const scene = taskLoopScene({ play: `${DONE}; ${play}` });
    const { code, stderr } = await scene.runTask();
    expect(code).toBe(0);
    expect(stderr).not.toContain('Wait-without-restart');
    expect(scene.said('INFO')).toContain('task completed (DONE marker present, no active children)');
  });
});

test('a message that was there before the run does not count', async () => {
  const scene = taskLoopScene({ play: `[ "$n" = 2 ] && ${DONE}; true` });
  const draft = { type: 'wait_without_restart', projectId: PROJECT, taskId: TASK, body: 'old' };
  await appendMessage(taskFile.bus(scene.task), draft);
  expect(await scene.runTask()).toMatchObject({ code: 0 });
  expect(scene.starts()).toHaveLength(2);
});

test('a message of another run does not count', async () => {
  const scene = taskLoopScene({
    play: `${entry('run_id: 20260220-1530450000-4711-1\\n')}; [ "$n" = 2 ] && ${DONE}; true`,
  });
  expect(await scene.runTask()).toMatchObject({ code: 0 });
  expect(scene.starts()).toHaveLength(2);
});

describe('said during the restart delay', () => {
  const message = { type: 'wait_without_restart', projectId: PROJECT, taskId: TASK, body: 'for a key' };
  const saying = {
    'by the file': (task: string) => writeFileSync(taskFile.waitWithoutRestart(task), ''),
    'by a message': (task: string) => appendMessage(taskFile.bus(task), message),
  };
  test.each(Object.entries(saying))('%s, it counts before the next run', async (_how, say) => {
    const scene = taskLoopScene({ play: 'exit 3' });
    const loop = scene.start('--restart-delay', '2s');
    await loop.says('restarting (attempt 2/100)');
    await say(scene.task);
    expect(await loop.exited).toMatchObject({ code: 0 });
    expect(scene.starts()).toHaveLength(1);
    // The resume clears the signal.
    expect(await scene.resume('--max-restarts', '1', '--restart-delay', '1ms')).toMatchObject({ code: 1 });
    expect(scene.starts()).toHaveLength(2);
  });
});

test('a resume has as many restarts as the task had, and passes on the answers so far', async () => {
  const scene = taskLoopScene({ play: 'ralph bus post --type wait_without_restart --body "Which database?"' });
  await scene.runTask('--max-restarts', '7');
  const { stderr } = await scene.resume('--answer', ' Use PostgreSQL. ');
  expect(stderr).toContain('Starting agent (attempt 1/7)');
  expect(scene.said('USER')).toEqual(['Use PostgreSQL.']);
  const answered = 'You waited: Which database?\nAnswer: Use PostgreSQL.';
  expect(scene.runText(1, 'prompt')).toContain(`Do the work.\n\n## Answers\n`);
  expect(scene.runText(1, 'prompt')).toContain(answered);
  await scene.resume('--answer', 'Version 17.');
  expect(scene.runText(2, 'prompt')).toContain(`${answered}\n\nYou waited: Which database?\nAnswer: Version 17.\n`);
  await scene.resume();
  expect(scene.runText(3, 'prompt')).toContain(`${answered}\n\n`);
  expect(await scene.resume('--answer', ' ')).toMatchObject({ code: 2 });
});

test('a file that was left from before is removed at the start', async () => {
  const scene = taskLoopScene({ play: `[ "$n" = 2 ] && ${DONE}; true` });
  writeFileSync(taskFile.waitWithoutRestart(scene.task), '');
  expect(await scene.runTask()).toMatchObject({ code: 0 });
  expect(scene.starts()).toHaveLength(2);
});

test('a question is listed as such, and as answered once it is, until the task is continued', async () => {
  const ask = 'ralph bus post --type QUESTION --body "Which database?"; exit 42';
  const scene = taskLoopScene({ play: `[ -e "$SCENE/asked" ] && { ${DONE}; exit 0; }; touch "$SCENE/asked"; ${ask}` });
  await scene.runTask();
  const list = async (...flags: string[]): Promise<string> => (await scene.ralph(['ls', ...flags]).exited).stdout;
  const status = async (): Promise<string> => (await scene.ralph(['status']).exited).stdout;
  expect(await list()).toMatch(/^! .* needs you .* Which database\?$/m);
  expect(await status()).toContain('  reason      Which database?\n');
  expect((await scene.ralph(['answer', 'PostgreSQL']).exited).stdout).toContain('Saved: ');
  expect(await list()).toMatch(/^◐ (\w+) .* answered .* ralph resume \1(?: · .*)?$/m);
  expect(JSON.parse(await list('--json'))).toMatchObject([
    { state: { is: 'waiting', words: 'answered' }, messages: [{ as: 'answer', text: 'PostgreSQL' }] },
  ]);
  expect(await status()).toContain('  next prompt answer: PostgreSQL\n');
  expect(await status()).toMatch(/^ {2}ralph resume \w+ +continue with the answer$/m);
  expect(await scene.ralph(['resume']).exited).toMatchObject({ code: 0 });
  expect(scene.runText(1, 'prompt')).toContain('You waited: Which database?\nAnswer: PostgreSQL');
  expect(await list()).toMatch(/^✓ .* done /m);
  expect(await list('--all')).not.toContain('answered');
});
