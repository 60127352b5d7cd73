/** `--on-blocked wait`: a task whose agent waits for a person keeps running, and restarts the agent with the answer. */
import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { taskFile } from '../../src/loops/tasks/folder/task-folder.ts';
import { DONE, MEANT, taskLoopScene, until } from '../support/tasks/task-loop.ts';

const WAIT = ['--on-blocked', 'wait'];
const TO_ANSWER = 'To answer, run: ralph answer';

const SIGNALS = {
  'exit 42, with a question': {
    play: 'ralph bus post --type QUESTION --body "Which database?"; exit 42',
    question: 'Which database?',
  },
  'the file': { play: 'touch "$TASK_FOLDER/WAIT_WITHOUT_RESTART"', question: 'WAIT_WITHOUT_RESTART exists' },
  'a message': {
    play: 'ralph bus post --type wait_without_restart --body "for a database"',
    question: 'for a database',
  },
};

/** The agent is done once its prompt names SQLite. */
const asking = (play: string) => taskLoopScene({ play: `case "$(cat)" in *SQLite*) ${DONE} ;; *) ${play} ;; esac` });

describe.each(Object.entries(SIGNALS))('%s', (_name, { play, question }) => {
  test('becomes a question, and the answer continues the same attempt', async () => {
    const scene = asking(play);
    const loop = scene.start(...WAIT);
    await loop.says(TO_ANSWER);
    expect((await scene.shell('ralph ls')).stdout).toContain('needs you');
    expect(scene.said('INFO')).toContain(`task waits for an answer: ${question}`);
    expect((await scene.shell('ralph answer "Use SQLite."')).stdout).toContain('continues with your answer');
    const { code, stderr } = await loop.exited;
    expect(code).toBe(0);
    expect(stderr).toContain(`The agent asks: ${question}`);
    expect(scene.starts()).toEqual(['agent 1/work/1', 'agent 1/work/2']);
    expect(scene.runs()).toMatchObject([{ status: 'stopped' }, { status: 'completed' }]);
    const prompt = scene.runText(1, 'prompt');
    expect(prompt).toContain('Continue working on the following:\n\nDo the work.');
    expect(prompt).toContain(`You waited: ${question}\nAnswer: Use SQLite.`);
    expect(scene.said('USER')).toEqual(['Use SQLite.']);
    expect(existsSync(taskFile.waitWithoutRestart(scene.task))).toBe(false);
  });
});

test('an answer is in every prompt that follows', async () => {
  const scene = taskLoopScene({
    play: `case "$(cat)" in *SQLite*) [ "$n" = 2 ] && ${DONE} ;; *) exit 42 ;; esac; true`,
  });
  const loop = scene.start(...WAIT);
  await loop.says(TO_ANSWER);
  await scene.shell('ralph answer "Use SQLite."');
  expect((await loop.exited).code).toBe(0);
  expect(scene.starts()).toEqual(['agent 1/work/1', 'agent 1/work/2', 'agent 2/work/1']);
  expect(scene.runText(2, 'prompt')).toContain('Answer: Use SQLite.');
});

test('ralph resume continues the task without an answer; a DONE file that appears meanwhile ends it', async () => {
  const scene = taskLoopScene({ play: 'exit 42' });
  const loop = scene.start(...WAIT);
  await loop.says(TO_ANSWER);
  expect((await scene.shell('ralph resume')).code).toBe(0);
  await until(() => scene.said('INFO').filter((body) => body.startsWith('task waits for an answer')).length === 2);
  expect(scene.starts()).toEqual(['agent 1/work/1', 'agent 1/work/2']);
  writeFileSync(taskFile.done(scene.task), '');
  expect((await scene.shell('ralph answer "Never mind."')).code).toBe(0);
  expect((await loop.exited).code).toBe(0);
  expect(scene.starts()).toHaveLength(2);
});

describe('a task whose supervisor died while it asked', () => {
  const killed = async () => {
    const scene = asking('exit 42');
    const loop = scene.start(...WAIT);
    await loop.says(TO_ANSWER);
    loop.signal('SIGKILL');
    await loop.exited;
    return scene;
  };

  test('asks again when it is resumed', async () => {
    const scene = await killed();
    const second = scene.ralph(['task', 'resume', ...MEANT]);
    await second.says(TO_ANSWER);
    await scene.shell('ralph answer "Use SQLite."');
    expect((await second.exited).code).toBe(0);
    expect(scene.starts()).toEqual(['agent 1/work/1', 'agent 1/work/2']);
  });

  test('can be answered by the resume itself', async () => {
    const scene = await killed();
    expect((await scene.resume('--answer', 'Use SQLite.')).code).toBe(0);
    expect(scene.starts()).toEqual(['agent 1/work/1', 'agent 1/work/2']);
    expect(scene.said('USER')).toEqual(['Use SQLite.']);
  });

  test('can be answered and continued by a new loop if something else changes', async () => {
    const scene = await killed();
    expect((await scene.resume('--answer', 'Use SQLite.', '--restart-delay', '5ms')).code).toBe(0);
    expect(scene.runText(1, 'prompt')).toContain('You waited: the agent exited with code 42\nAnswer: Use SQLite.');
  });
});
