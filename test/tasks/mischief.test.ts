/** Agents that damage what their supervisor needs: files, job broker, bus. None of that blocks or ends the loop. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { taskFile } from '../../src/loops/tasks/folder/task-folder.ts';
import { lockOf } from '../../src/state/under-lock.ts';
import { levelsOfThisMachine } from '../support/levels.ts';
import { nodeProgram } from '../support/programs/node-program.ts';
import { processesOf } from '../support/programs/processes.ts';
import { DONE, taskLoopScene } from '../support/tasks/task-loop.ts';

/** The first run does the damage, the second is done. */
const once = (mischief: string): string => `[ "$n" = 2 ] && { ${DONE}; exit 0; }; ${mischief}`;

describe('a pipe in place of', () => {
  test.each([
    [
      'a request to stop',
      'mkfifo "$TASK_FOLDER/STOP-REQUESTED"; touch -d "2 minutes ago" "$TASK_FOLDER/STOP-REQUESTED"',
    ],
    ['what it said on stderr', 'rm "$RUN_FOLDER/agent-stderr.txt"; mkfifo "$RUN_FOLDER/agent-stderr.txt"; exit 1'],
    ['what it said on stdout', 'rm "$RUN_FOLDER/agent-stdout.txt"; mkfifo "$RUN_FOLDER/agent-stdout.txt"'],
    ['its report', 'rm "$RUN_FOLDER/run-info.yaml"; mkfifo "$RUN_FOLDER/run-info.yaml"'],
    ['its report, or a folder,', 'rm "$RUN_FOLDER/run-info.yaml"; mkdir -p "$RUN_FOLDER/run-info.yaml/x"'],
    ['its report, or a link to itself,', 'ln -sf run-info.yaml "$RUN_FOLDER/run-info.yaml"'],
    [
      'the next report',
      'mkfifo "$RUN_FOLDER/run-info.yaml.$(sed -n "s/^supervisor_pid: //p" "$RUN_FOLDER/run-info.yaml").next"',
    ],
    [
      'the next report, or a folder,',
      'mkdir -p "$RUN_FOLDER/run-info.yaml.$(sed -n "s/^supervisor_pid: //p" "$RUN_FOLDER/run-info.yaml").next/x"',
    ],
    ['the memo of what the project was told', 'mkfifo "$TASK_FOLDER/TASK-COMPLETE-FACT-PROPAGATION.yaml"'],
  ])('%s does not stop the loop', async (_what, mischief) => {
    const scene = taskLoopScene({ play: once(mischief) });
    const { code, stderr } = await scene.runTask();
    expect({ code, isBug: stderr.includes('bug') }).toEqual({ code: 0, isBug: false });
    expect(scene.runs().at(-1)).toMatchObject({ status: 'completed' });
  });

  test('TASK.md that is gone is reported once, and the task continues with the text that was read last', async () => {
    const scene = taskLoopScene({ play: `rm -f "$TASK_FOLDER/TASK.md"; [ "$n" = 3 ] && ${DONE}; true` });
    const { code, stderr } = await scene.runTask();
    expect(code).toBe(0);
    const warning = 'warning: TASK.md not found; the loop continues with the text that it read last';
    expect(stderr.split(warning)).toHaveLength(2);
    expect(scene.runText(2, 'prompt')).toContain('Do the work.');
  });

  test('TASK.md is reported with its path', async () => {
    const scene = taskLoopScene({ play: once('rm "$TASK_FOLDER/TASK.md"; mkfifo "$TASK_FOLDER/TASK.md"') });
    const { code, stderr } = await scene.runTask();
    expect(code).toBe(2);
    expect(stderr).toContain(`error: read TASK.md: ${taskFile.prompt(scene.task)} is not a plain file`);
  });
});

describe('at the job broker', () => {
  const RING = 'touch "$RALPH_JOBS/bell"';

  test('a folder in place of a request is removed, and the next request is served', async () => {
    const ask = `ralph job --agent "$SCENE/bin/agent" --prompt child >/dev/null`;
    const play = `[ -n "$JRUN_PARENT_ID" ] && exit 0
      mkdir -p "$RALPH_JOBS/a.request.json/b"; ${RING}; ${ask}; ${DONE}`;
    const scene = taskLoopScene({ play });
    const { code, stderr } = await scene.runTask();
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringContaining('bug') });
    expect(scene.runs().map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect(processesOf(scene.folder)).toEqual([]);
  });

  test('a removed folder is there again for the next run', async () => {
    const play = `[ -n "$JRUN_PARENT_ID" ] && exit 0
      ${once('rm -rf "$RALPH_JOBS"').replace(DONE, `ralph job --agent "$SCENE/bin/agent" --prompt child && ${DONE}`)}`;
    const scene = taskLoopScene({ play });
    expect(await scene.runTask('--max-restarts', '2')).toMatchObject({ code: 0 });
    expect(scene.runs()).toHaveLength(3);
  });

  test('a folder removed at the end is not missed', async () => {
    const scene = taskLoopScene({ play: `rm -rf "$RALPH_JOBS"; ${DONE}` });
    expect(await scene.runTask()).toMatchObject({ code: 0 });
  });
});

test('a run that forges its own report is reported with its real exit code', async () => {
  const play = once(`until grep -q "^commandline" "$RUN_FOLDER/run-info.yaml"; do sleep 0.01; done
    sed -i "s/^end_time: .*/end_time: 2026-01-01T00:00:00Z/; s/^status: .*/status: completed/; s/^exit_code: .*/exit_code: 0/" \\
      "$RUN_FOLDER/run-info.yaml"; exit 7`);
  const scene = taskLoopScene({ play });
  expect(await scene.runTask()).toMatchObject({ code: 0 });
  expect(scene.runs()).toMatchObject([{ status: 'failed', exitCode: 7 }, { status: 'completed' }]);
  expect(scene.said('RUN_CRASH')).toEqual([expect.stringContaining('run stopped with code 7')]);
});

test('what a killed writer of the report left is removed with the run', async () => {
  const scene = taskLoopScene({ play: `echo "run_id: x" >"$RUN_FOLDER/run-info.yaml.4711.next"; ${DONE}` });
  expect(await scene.runTask()).toMatchObject({ code: 0 });
  const [run] = scene.runs();
  expect(readdirSync(`${scene.task}/runs/${run?.runId}`).filter((name) => name.endsWith('.next'))).toEqual([]);
});

test.runIf(levelsOfThisMachine().includes('pid-namespace'))(
  'a bus whose writer was killed with its pid namespace is not locked for the loop',
  async () => {
    // Like a post that is killed halfway: its lock stays, and names a process that cannot be seen from outside.
    const holder = await nodeProgram(`
      import { makeLink } from './src/state/lock.ts';
      import { lockOf } from './src/state/under-lock.ts';
      makeLink(lockOf(process.argv[2]));
      process.kill(process.pid, 'SIGKILL');`);
    const scene = taskLoopScene({ level: 'pid-namespace', play: once(`node ${holder} "$MESSAGE_BUS"; exit 0`) });
    const { code, stderr } = await scene.runTask();
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringContaining('locked') });
    expect(scene.said('RUN_STOP')).toHaveLength(2);
    expect(existsSync(lockOf(taskFile.bus(scene.task)))).toBe(false);
  },
);

test('a bus that cannot be written any more loses messages, but does not end the loop', async () => {
  const spoil =
    'until grep -q RUN_START "$MESSAGE_BUS"; do sleep 0.01; done; mv "$MESSAGE_BUS" "$SCENE/kept"; mkdir "$MESSAGE_BUS"';
  const scene = taskLoopScene({ play: once(spoil) });
  const { code, stderr } = await scene.runTask();
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('is a directory') });
  expect(scene.runs()).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
});

describe('a prompt with a key in it', () => {
  const KEY = 'sk-ant-api03-abcdefghijklmnop-0123456789';

  test.each([
    ['in a run', `if [ -e "$SCENE/later" ]; then ${DONE}; else at_gate; fi`],
    ['when it was done meanwhile', 'at_gate'],
  ])('does not keep a task that was killed %s from continuing', async (when, play) => {
    const scene = taskLoopScene({ play }, `Use ${KEY}.`);
    const loop = scene.start();
    await scene.logged('at gate 1/work/1');
    loop.signal('SIGKILL');
    await loop.exited;
    scene.write('later', '');
    if (when.includes('done')) writeFileSync(taskFile.done(scene.task), '');
    const { code, stderr } = await scene.resume();
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringContaining('bug') });
    expect(scene.runText(-1 + scene.runs().length, 'prompt')).toContain(KEY);
  });
});
