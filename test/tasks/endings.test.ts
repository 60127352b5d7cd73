/** How a task's loop continues and how it ends: by DONE, by its limit, by a fatal error. Real processes. */
import { chmodSync, existsSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { taskFile } from '../../src/loops/tasks/folder/task-folder.ts';
import { DONE, PROJECT, TASK, taskLoopScene } from '../support/tasks/task-loop.ts';

const COMPLETED = 'task completed (DONE marker present, no active children)';

describe('DONE', () => {
  test('immediate success: exit 0 with a DONE file is one run, and the task is completed', async () => {
    const scene = taskLoopScene({ play: `echo words; ${DONE}` });
    const { code, stdout, stderr } = await scene.runTask();
    expect(code).toBe(0);
    expect(stdout).toBe('words\n');
    expect(stderr).toContain('Starting agent (attempt 1/100)');
    expect(stderr).toMatch(/^\[\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\] Attempt 1: Agent succeeded$/m);
    expect(stderr).toMatch(
      /\n✓ Done in 1 iteration · \d+s · cost unknown\n {2}It has a DONE file; nothing was checked\.\n/,
    );
    expect(scene.starts()).toEqual(['agent 1/work/1']);
    expect(scene.runs()).toMatchObject([{ status: 'completed', exitCode: 0 }]);
    expect(scene.said('INFO')).toEqual(['starting root agent (restart #0)', COMPLETED]);
    expect(scene.messages().map(({ type }) => type)).toEqual(['INFO', 'RUN_START', 'RUN_STOP', 'INFO', 'FACT']);
    expect(scene.projectSaid()).toMatchObject([{ type: 'FACT', meta: { kind: 'task_completion_propagation' } }]);
  });

  test('--on-stuck end ends a task whose agent says the same again and again and changes nothing', async () => {
    const scene = taskLoopScene({ play: 'echo thinking' });
    const { code, stderr } = await scene.runTask('--on-stuck', 'end', '--restart-delay', '1ms');
    expect(code).toBe(7);
    expect(scene.starts()).toHaveLength(3);
    expect(stderr).toContain('The last 3 iterations changed nothing.');
  });

  test('eventual success: failures are followed by restarts until DONE is there, and each is reported', async () => {
    const scene = taskLoopScene({ play: `[ "$n" -lt 3 ] && { echo "trouble $n" >&2; exit 1; }; ${DONE}` });
    const { code, stderr } = await scene.runTask();
    expect(code).toBe(0);
    expect(scene.starts()).toHaveLength(3);
    expect(stderr).toContain('Attempt 1: Agent failed (exit 1), restarting...');
    expect(stderr).toContain('Agent failed with exit code 1, restarting (attempt 2/100)');
    expect(stderr).toContain('Starting agent (attempt 3/100)');
    expect(scene.said('WARNING')).toEqual([
      'root agent failed on restart #0: agent reported failure',
      'root agent failed on restart #1: agent reported failure',
    ]);
    const [crash = ''] = scene.said('RUN_CRASH');
    expect(crash).toMatch(
      /^run stopped with code 1\nrun_dir: .*\noutput: .*\n\n## stderr \(last 50 lines\)\ntrouble 1$/,
    );
    expect(scene.runs().map(({ status }) => status)).toEqual(['failed', 'failed', 'completed']);
  });

  test('exit 0 alone never ends the loop', async () => {
    const scene = taskLoopScene({ play: 'echo "I am done. DONE"' });
    const { code, stderr } = await scene.runTask('--max-restarts', '3');
    expect(code).toBe(1);
    expect(scene.starts()).toHaveLength(3);
    expect(stderr).toContain('No DONE file, restarting (attempt 2/3)');
  });

  test('that exists before the first run starts no agent, and needs no prompt', async () => {
    const scene = taskLoopScene({ play: 'true' }, null);
    writeFileSync(taskFile.done(scene.task), '');
    expect(await scene.runTask()).toMatchObject({ code: 0 });
    expect(scene.starts()).toEqual([]);
    expect(scene.said('INFO')).toEqual([COMPLETED]);
  });

  test('written by an agent that fails counts, too', async () => {
    const scene = taskLoopScene({ play: `${DONE}; exit 7` });
    expect(await scene.runTask()).toMatchObject({ code: 0 });
    expect(scene.runs()).toMatchObject([{ status: 'failed', exitCode: 7, errorSummary: 'agent exited with code 7' }]);
  });

  test('that appears during the delay ends the loop without another run', async () => {
    const scene = taskLoopScene({ play: 'exit 1' });
    const loop = scene.start('--restart-delay', '1s');
    await loop.says('restarting (attempt 2/100)');
    writeFileSync(taskFile.done(scene.task), '');
    expect(await loop.exited).toMatchObject({ code: 0 });
    expect(scene.starts()).toHaveLength(1);
  });

  test('that appears after the last restart still counts', async () => {
    const scene = taskLoopScene({ play: 'exit 1' });
    const loop = scene.start('--restart-delay', '1s', '--max-restarts', '1');
    await loop.says('Agent failed (exit 1)');
    writeFileSync(taskFile.done(scene.task), '');
    expect(await loop.exited).toMatchObject({ code: 0 });
    expect(scene.said('ERROR')).toEqual([]);
  });

  test('as a directory is an error, before a run and after one; once it is removed, the task continues', async () => {
    const scene = taskLoopScene({ play: `[ "$n" = 1 ] && mkdir "$TASK_FOLDER/DONE" || ${DONE}` });
    const { code, stderr } = await scene.runTask();
    expect(code).toBe(2);
    expect(stderr).toContain(
      `error: DONE is a directory\nhint: A file says that the task is done. Remove the directory: ${scene.task}/DONE\n`,
    );
    expect(await scene.runTask()).toMatchObject({ code: 2 });
    expect(scene.starts()).toHaveLength(1);
    rmdirSync(taskFile.done(scene.task));
    expect(await scene.resume()).toMatchObject({ code: 0 });
    expect(scene.starts()).toEqual(['agent 1/work/1', 'agent 2/work/1']);
  });

  test('is reported to the project once, however often the task is run', async () => {
    const scene = taskLoopScene({ play: DONE });
    for (let turn = 1; turn <= 3; turn++) expect(await scene.runTask()).toMatchObject({ code: 0 });
    expect(scene.projectSaid()).toHaveLength(1);
    const [told] = scene.projectSaid();
    expect(told?.body).toMatch(/^task completion propagated to project scope\n/);
    const key = told?.meta?.propagation_key;
    expect(scene.said('FACT')).toEqual([
      `task completion facts propagated to project bus (msg_id=${told?.msgId} key=${key})`,
    ]);
    expect(scene.said('INFO').filter((body) => body.includes('propagated'))).toEqual(
      [1, 2].map(() => `task completion facts already propagated (key=${key})`),
    );
    expect(existsSync(join(scene.task, 'TASK-COMPLETE-FACT-PROPAGATION.yaml'))).toBe(true);
  });
});

describe('the limit', () => {
  test('max restarts exceeded: an ERROR on the bus, exit 1, and a resume continues', async () => {
    const scene = taskLoopScene({ play: `[ -e "$SCENE/better" ] && ${DONE} || { echo boom >&2; exit 1; }` });
    const { code, stderr } = await scene.runTask('--max-restarts', '2');
    expect(code).toBe(1);
    expect(stderr).toMatch(/\n {2}The last run failed: exit 1: boom\n {2}Its output is in\s+\S+\/agent-stderr\.txt\n/);
    expect(scene.starts()).toHaveLength(2);
    expect(stderr).not.toContain('attempt 3/2');
    expect(stderr).toContain('Attempt 2: Max restarts exceeded, stopping\nerror: max restarts exceeded\n');
    expect(stderr).toContain(`ralph task resume --project ${PROJECT} --task ${TASK}`);
    expect(scene.said('ERROR')).toEqual(['task failed: max restarts (2) exceeded']);
    scene.write('better', '');
    expect(await scene.resume()).toMatchObject({ code: 0 });
  });

  test('max restarts 0 fails before the first run', async () => {
    const scene = taskLoopScene({ play: DONE });
    expect(await scene.runTask('--max-restarts', '0')).toMatchObject({ code: 1 });
    expect(scene.starts()).toEqual([]);
    expect(scene.said('ERROR')).toEqual(['task failed: max restarts (0) exceeded']);
  });

  test('a resume has three restarts of its own', async () => {
    const scene = taskLoopScene({ play: 'exit 1' });
    await scene.runTask('--max-restarts', '1');
    const { code, stderr } = await scene.resume();
    expect(code).toBe(1);
    expect(stderr).toContain(`Resuming task: ${TASK}`);
    expect(scene.starts()).toHaveLength(4);
  });
});

test('a resume checks first: a missing agent is reported before anything is started', async () => {
  const scene = taskLoopScene({ play: 'exit 1' });
  await scene.runTask('--max-restarts', '1');
  const before = scene.loops().length;
  const { code, stderr } = await scene.resume('--agent', 'no-such-agent');
  expect(stderr).toContain('Fatal error: agent command not found: no-such-agent\nhint: ');
  expect({ code, loops: scene.loops().length, starts: scene.starts().length }).toEqual({
    code: 2,
    loops: before,
    starts: 1,
  });
});

test('there is always a restart delay, even after exit 0', async () => {
  const scene = taskLoopScene({ play: `[ "$n" = 3 ] && ${DONE}; true` });
  expect(await scene.runTask('--restart-delay', '300ms')).toMatchObject({ code: 0 });
  const waits = scene.journal().filter(({ result }) => result.kind === 'waited');
  const looks = scene.journal().filter(({ result }) => result.kind === 'stepped' && result.what === 'look');
  expect(waits).toHaveLength(2);
  // By the recorded times: no sooner than asked for.
  for (const [index, { at }] of waits.entries()) expect(at - (looks[index]?.at ?? 0)).toBeGreaterThanOrEqual(300);
});

test('the delay is one second by default', async () => {
  const scene = taskLoopScene({ play: `[ "$n" = 2 ] && ${DONE}; true` });
  const args = ['task', 'run', '--project', PROJECT, '--task', TASK, '--agent', scene.agent];
  expect(await scene.ralph(args).exited).toMatchObject({ code: 0 });
  const at = (kind: string): number => scene.journal().find(({ result }) => result.kind === kind)?.at ?? 0;
  expect(at('waited') - at('stepped')).toBeGreaterThanOrEqual(1000);
});

describe('a fatal error stops at once', () => {
  test('a program that does not exist', async () => {
    const scene = taskLoopScene({ play: DONE });
    const { code, stderr } = await scene.runTask('--agent', 'no-such-agent');
    expect(code).toBe(2);
    expect(stderr).toContain('Fatal error: agent command not found: no-such-agent\nhint: ');
    expect(stderr).not.toContain('attempt 2');
  });

  test('a new task whose agent, prompt or dependencies are invalid is not created', async () => {
    const scene = taskLoopScene({ play: DONE });
    const made = 'task-20260220-153047-ghost';
    const args = ['task', 'run', '--project', PROJECT, '--task', made];
    for (const wrong of [
      ['--agent', 'no-such-agent', '--prompt', 'x'],
      ['--agent', scene.agent],
      ['--agent', scene.agent, '--prompt', 'x', '--depends-on', made],
    ]) {
      expect(await scene.ralph([...args, ...wrong]).exited).toMatchObject({ code: 2 });
    }
    expect(existsSync(join(scene.root, PROJECT, made))).toBe(false);
  });

  test.runIf(process.getuid?.() === 0)('Claude Code as root, which it would refuse at every restart', async () => {
    const scene = taskLoopScene({ play: DONE, agent: 'claude', env: { IS_SANDBOX: '' } });
    const { code, stderr } = await scene.runTask();
    expect(code).toBe(2);
    expect(stderr).toContain('IS_SANDBOX=1');
    expect(scene.starts()).toEqual([]);
  });

  test.each([
    ['not executable', '#!/bin/sh\n', 0o644, 'is not executable'],
    ['without an interpreter', '#!/no/such/interpreter\n', 0o755, 'needs the interpreter /no/such/interpreter, which'],
  ])('a program that is %s', async (_kind, content, mode, reason) => {
    const scene = taskLoopScene({ play: DONE });
    const broken = join(scene.folder, 'broken');
    writeFileSync(broken, content);
    chmodSync(broken, mode);
    const { code, stderr } = await scene.runTask('--agent', broken);
    expect(code).toBe(2);
    expect(stderr).toContain(`Fatal error: agent command cannot be run: ${broken} ${reason}`);
  });

  test('a program that is gone at a restart is reported on the bus, too', async () => {
    const scene = taskLoopScene({ play: 'rm "$SCENE/bin/agent"; mkdir "$SCENE/bin/agent"' });
    const { code, stderr } = await scene.runTask();
    expect(code).toBe(2);
    const reason = `agent command cannot be run: ${scene.agent} is a directory`;
    expect(stderr).toContain(`Fatal error: ${reason}`);
    expect(scene.said('ERROR')).toEqual([`task failed: ${reason}`]);
  });

  test('a refused key', async () => {
    const refusal = `{"type":"result","subtype":"success","is_error":true,"api_error_status":401,"result":"Invalid API key · Fix external API key"}`;
    const scene = taskLoopScene({ agent: 'claude', play: `echo '${refusal}'; exit 1` });
    const { code, stderr } = await scene.runTask();
    expect(stderr).toMatch(/^Fatal error: .*Invalid API key/m);
    expect(scene.said('ERROR')).toEqual([expect.stringMatching(/^task failed: .*Invalid API key/)]);
    expect(code).toBe(4);
    expect(scene.starts()).toHaveLength(1);
  });

  test('not an error that passes, such as an overloaded service or a usage limit: it is tried again', async () => {
    const trouble = (status: number): string =>
      `{"type":"result","subtype":"success","is_error":true,"api_error_status":${status},"result":"API Error: ${status}"}`;
    const play = `case $n in 1) echo '${trouble(529)}'; exit 1;; 2) echo '${trouble(429)}'; exit 1;; *) ${DONE}; claude_result x;; esac`;
    const scene = taskLoopScene({ agent: 'claude', play });
    const { code, stderr } = await scene.runTask();
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Transient error: .*529/m);
    expect(stderr).toMatch(/^Transient error: usage limit: .*429/m);
    expect(scene.starts()).toHaveLength(3);
  });
});

test('a second start of the same task is refused with the pid of the first', async () => {
  const scene = taskLoopScene({ play: `at_gate; ${DONE}` });
  const first = scene.start();
  await scene.logged('at gate 1/work/1');
  const { code, stderr } = await scene.runTask();
  expect(code).toBe(2);
  expect(stderr).toContain(`(pid ${first.pid}, loop `);
  expect((await scene.resume()).stderr).toContain(`(pid ${first.pid}, loop `);
  scene.openGate();
  expect(await first.exited).toMatchObject({ code: 0 });
  expect(scene.starts()).toHaveLength(2);
});
