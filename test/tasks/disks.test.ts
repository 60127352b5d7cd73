/** A folder of tasks on a disk that is full or read-only: the error names the path, and nothing is lost. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { processesOf } from '../support/programs/processes.ts';
import { type Exited, startProgram } from '../support/programs/program.ts';
import { ROOT } from '../support/scene.ts';
import { PROJECT, TASK, type TaskLoopScene, taskLoopScene } from '../support/tasks/task-loop.ts';

/** Runs the lines with the folder of all projects on a small disk; `on_task` is `ralph task` for the test's task. */
function onDisk(scene: TaskLoopScene, mount: string, lines: string): Promise<Exited> {
  const apart = process.getuid?.() === 0 ? ['--mount'] : ['--mount', '--user', '--map-root-user'];
  const script = `${mount} && on_task() { verb=$1; shift; "$NODE" "$RALPH" task $verb --project ${PROJECT} --task ${TASK} "$@"; }
    agent="--agent $SCENE/bin/agent --restart-delay 10ms"; folder=$0/${PROJECT}/${TASK}; ${lines}`;
  const env = { ...scene.env, NODE: process.execPath, RALPH: join(ROOT, 'bin/ralph.cjs') };
  return startProgram(['unshare', ...apart, 'sh', '-c', script, scene.root], { cwd: scene.work, env }).exited;
}

const SMALL = 'mount -t tmpfs -o size=256k tmpfs "$0"';

test('a disk that an agent fills: the loop stops with the reason, and continues once there is room', async () => {
  const play = `if [ -e "$SCENE/room" ]; then echo ok >"$TASK_FOLDER/DONE"; else cat /dev/zero >"$TASK_FOLDER/filler"; fi`;
  const scene = taskLoopScene({ play });
  const { code, stdout, stderr } = await onDisk(
    scene,
    SMALL,
    `on_task run $agent --prompt "Fill it."; echo "exit $?"; touch "$SCENE/room"; rm "$folder/filler"
     ls "$folder"/runs/*; on_task resume; code=$?; cat "$folder/TASK-MESSAGE-BUS.md"; exit $code`,
  );
  expect(stdout).not.toContain('.next');
  expect(stderr).toMatch(/^error: cannot write .*: no space left on device$/m);
  expect(stderr).not.toContain('bug');
  expect(stdout).toMatch(/^exit [12]$/m);
  expect(code).toBe(0);
  expect(stdout).toContain('task completed (DONE marker present, no active children)');
  expect(processesOf(scene.folder)).toEqual([]);
});

test('a disk that is full when a run has ended: the end is reported once, and the report is written once there is room', async () => {
  // Only the report does not fit: the agent leaves less than it needs, in a block of its own.
  const fill = 'dd if=/dev/zero of="$TASK_FOLDER/filler" bs=4k 2>/dev/null';
  const play = `if [ -e "$SCENE/room" ]; then echo ok >"$TASK_FOLDER/DONE"; else echo words >"$RUN_FOLDER/output.md"; ${fill}; exit 3; fi`;
  const scene = taskLoopScene({ play });
  const { code, stdout } = await onDisk(
    scene,
    SMALL,
    `on_task run $agent --prompt "Fill it."; touch "$SCENE/room"; rm "$folder/filler"
     on_task resume; code=$?; cat "$folder/TASK-MESSAGE-BUS.md"; cat "$folder"/runs/*/run-info.yaml; ls "$folder"/runs/*; exit $code`,
  );
  expect(code).toBe(0);
  expect(stdout.match(/^type: RUN_CRASH$/gm)).toHaveLength(1);
  // A failure for lack of disk space says nothing about the work: the attempt does not count, its exit is not kept.
  expect(stdout.match(/^exit_code: .*$/gm)).toEqual(['exit_code: -1', 'exit_code: 0']);
  expect(stdout).not.toContain('.next');
});

test('a disk that cannot be written when a run has ended: the end is reported once, and the report has the exit that was seen', async () => {
  const waits = 'touch "$SCENE/runs"; until [ -e "$SCENE/closed" ]; do sleep 0.02; done';
  const play = `if [ -e "$SCENE/open" ]; then echo ok >"$TASK_FOLDER/DONE"; else echo words >"$RUN_FOLDER/output.md"; ${waits}; exit 3; fi`;
  const scene = taskLoopScene({ play });
  const { code, stdout, stderr } = await onDisk(
    scene,
    SMALL,
    // Not before the supervisor has reported the start, because it writes there, too.
    `on_task run $agent --prompt x & until [ -e "$SCENE/runs" ]; do sleep 0.02; done
     until grep -q RUN_START "$folder/TASK-MESSAGE-BUS.md"; do sleep 0.02; done
     run=$(echo "$folder"/runs/*); mount --bind "$run" "$run"; mount -o remount,ro,bind "$run"; touch "$SCENE/closed"
     wait $!; echo "exit $?"; umount "$run"; touch "$SCENE/open"
     on_task resume; code=$?; cat "$folder/TASK-MESSAGE-BUS.md"; cat "$folder"/runs/*/run-info.yaml; exit $code`,
  );
  expect(stderr).toMatch(/^error: cannot write .*\/run-info\.yaml.*: read-only file system$/m);
  expect(stdout).toMatch(/^exit 2$/m);
  expect(code).toBe(0);
  expect(stdout.match(/^type: RUN_CRASH$/gm)).toHaveLength(1);
  expect(stdout.match(/^exit_code: .*$/gm)).toEqual(['exit_code: 3', 'exit_code: 0']);
});

test('a read-only disk is refused, with the path', async () => {
  const scene = taskLoopScene({ play: 'true' });
  const { stdout, stderr } = await onDisk(
    scene,
    'mount -t tmpfs -o ro tmpfs "$0"',
    'on_task run $agent --prompt x; echo "exit $?"',
  );
  expect(stdout).toBe('exit 2\n');
  expect(stderr).toMatch(
    new RegExp(
      `^error: cannot make ${scene.root}/${PROJECT}/${TASK}: read-only file system\nhint: Choose another root`,
    ),
  );
  expect(scene.starts()).toEqual([]);
});
