/**
 * The supervisor of a task is killed with `kill -9` at every record and around every start, and the task is resumed:
 * nothing is lost or doubled.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { taskFile } from '../../src/loops/tasks/folder/task-folder.ts';
import { processesOf } from '../support/programs/processes.ts';
import { startProgram } from '../support/programs/program.ts';
import { ROOT } from '../support/scene.ts';
import { sweep } from '../support/sweep.ts';
import { DONE, PROJECT, TASK, type TaskLoopScene, taskLoopScene } from '../support/tasks/task-loop.ts';

const PLAY = `[ "$n" = 2 ] && ${DONE}; echo "words of $RALPH_KEY"`;
/**
 * Created; two runs with inputs, start, end and look each, and a wait between them; children, the
 * message to the project, the end.
 */
const RECORDS = 1 + 2 * 4 + 1 + 3;
/** Of agents. */
const STARTS = 2;

const numbers = (upTo: number): number[] => Array.from({ length: upTo }, (_, index) => index + 1);
const moments = [
  ...numbers(RECORDS).flatMap((n) => [`before:${n}`, `after:${n}`, `torn:${n}`]),
  ...numbers(STARTS).flatMap((n) => [`before-spawn:${n}`, `after-spawn:${n}`]),
];

test('an unharmed loop has as many records as the tests kill at', async () => {
  const scene = taskLoopScene({ play: PLAY });
  expect(await scene.runTask()).toMatchObject({ code: 0 });
  expect(scene.journal()).toHaveLength(RECORDS);
  judge(scene);
});

test.each(sweep(moments, 9))('killed %s', async (moment) => {
  const scene = await killedScene(PLAY, moment);
  const hasBegun = scene.loops().length > 0 && readFileSync(scene.journalFile(), 'utf8').includes('\n');
  const { code, stderr } = hasBegun ? await scene.resume() : await scene.runTask();
  expect({ code, stderr }).toMatchObject({ code: 0 });
  judge(scene);
});

const ahead = (scene: TaskLoopScene): string => join(dirname(scene.journalFile()), 'runs/last-run.json');
/** What still names the run: the record of its start, or the file of a release whose records had only the name. */
const LEFT: readonly (readonly [string, (scene: TaskLoopScene) => void])[] = [
  ['its records alone', (scene) => rmSync(ahead(scene))],
  [
    'what the release before left',
    (scene) => {
      const [kept, bare] = [/,"kept":\{[^}]*\}/g, readFileSync(scene.journalFile(), 'utf8')];
      expect(bare).toMatch(kept);
      writeFileSync(scene.journalFile(), bare.replaceAll(kept, ''));
    },
  ],
];

describe.each(LEFT)('by %s', (_what, leave) => {
  test.each(['after:3', 'after:4', 'after:6', 'after:8'])('a loop that was killed %s continues', async (moment) => {
    const scene = await killedScene(PLAY, moment);
    leave(scene);
    expect(await scene.resume()).toMatchObject({ code: 0 });
    judge(scene);
    expect(scene.runs().map(({ previousRunId }) => previousRunId)).toEqual([
      undefined,
      ...scene
        .runs()
        .map(({ runId }) => runId)
        .slice(0, -1),
    ]);
  });

  test('what a run said before its end was looked at still counts', async () => {
    const scene = await killedScene('ralph bus post --type wait_without_restart --body "for an answer"', 'after:4');
    leave(scene);
    const { code, stderr } = await scene.resume();
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('Reason: for an answer') });
    expect(scene.starts()).toHaveLength(1);
  });
});

async function killedScene(play: string, moment: string): Promise<TaskLoopScene> {
  const scene = taskLoopScene({ play });
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
  return scene;
}

/** Judges from outside: by what the agent, the folder, the buses and the process table say. */
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
