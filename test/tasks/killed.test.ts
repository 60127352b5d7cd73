/** The supervisor of a task dies by `kill -9` at every record and around every start, and is resumed: nothing is lost or doubled. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { taskFile } from '../../src/loops/tasks/folder/task-folder.ts';
import { processesOf } from '../support/processes.ts';
import { startProgram } from '../support/program.ts';
import { ROOT } from '../support/scene.ts';
import { sweep } from '../support/sweep.ts';
import { DONE, PROJECT, TASK, type TaskLoopScene, taskLoopScene } from '../support/task-loop.ts';

const PLAY = `[ "$n" = 2 ] && ${DONE}; echo "words of $RALPH_KEY"`;
/** Created; two runs with their inputs, start, end and look, and a wait between; children, the project told, the end. */
const RECORDS = 1 + 2 * 4 + 1 + 3;
/** The agents. */
const STARTS = 2;

const numbers = (upTo: number): number[] => Array.from({ length: upTo }, (_, index) => index + 1);
const moments = [
  ...numbers(RECORDS).flatMap((n) => [`before:${n}`, `after:${n}`, `torn:${n}`]),
  ...numbers(STARTS).flatMap((n) => [`before-spawn:${n}`, `after-spawn:${n}`]),
];

test('an unharmed loop has as many records as are killed at', async () => {
  const scene = taskLoopScene({ play: PLAY });
  expect(await scene.runTask()).toMatchObject({ code: 0 });
  expect(scene.journal()).toHaveLength(RECORDS);
  judge(scene);
});

test.each(sweep(moments, 9))('killed %s', async (moment) => {
  const scene = taskLoopScene({ play: PLAY });
  const args = ['task', 'run', '--project', PROJECT, '--task', TASK, '--agent', scene.agent, '--restart-delay', '10ms'];
  const argv = [
    process.execPath,
    '--require',
    join(ROOT, 'test/crash/kill-at.cjs'),
    join(ROOT, 'bin/ralph.cjs'),
  ] as const;
  const env = { ...scene.env, KILL_AT: moment };
  const killed = await startProgram([...argv, ...args], { cwd: scene.work, env }).exited;
  expect(killed.code).toBe('SIGKILL');
  const hasBegun = scene.loops().length > 0 && readFileSync(scene.journalFile(), 'utf8').includes('\n');
  const { code, stderr } = hasBegun ? await scene.resume() : await scene.runTask();
  expect({ code, stderr }).toMatchObject({ code: 0 });
  judge(scene);
});

/** From outside: what the agent, the folder, the buses and the process table say. */
function judge(scene: TaskLoopScene): void {
  const starts = scene.starts();
  expect(starts.filter((line, index) => starts.indexOf(line) !== index)).toEqual([]);
  expect(new Set(starts.map((line) => line.split('/')[0]))).toEqual(new Set(['agent 1', 'agent 2']));
  expect(existsSync(taskFile.done(scene.task))).toBe(true);
  expect(scene.projectSaid()).toHaveLength(1);
  expect(scene.runs().filter(({ endTime }) => endTime === null)).toEqual([]);
  for (const { runId } of scene.runs()) {
    const about = scene.messages().filter((message) => message.runId === runId);
    expect(about.filter(({ type }) => type === 'RUN_START').length).toBeLessThanOrEqual(1);
    expect(about.filter(({ type }) => type === 'RUN_STOP' || type === 'RUN_CRASH')).toHaveLength(1);
  }
  expect(processesOf(scene.folder)).toEqual([]);
}
