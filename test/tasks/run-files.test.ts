/** What a task's agent gets (prompt, environment) and what its run leaves in its folder. */
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { runFile, taskFile } from '../../src/loops/tasks/folder/task-folder.ts';
import { readRunInfo } from '../../src/loops/tasks/runs/run-info.ts';
import { DONE, PROJECT, TASK, taskLoopScene, until } from '../support/tasks/task-loop.ts';

/** Waits until the supervisor has reported the start of this run. */
const RUNS = 'until grep -q RUN_START "$MESSAGE_BUS"; do sleep 0.01; done';
const TWICE = `[ "$n" = 2 ] && ${DONE}; true`;

/** Files can come and go during the look. */
function hasOpen(pid: number, path: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`) === path);
  } catch {
    return false;
  }
}

describe('the prompt', () => {
  test('is needed: without it and without TASK.md, nothing is started', async () => {
    const scene = taskLoopScene({ play: DONE }, null);
    const { code, stderr } = await scene.runTask();
    expect(code).toBe(2);
    expect(stderr).toBe(
      `error: TASK.md not found and no prompt provided\nhint: Give --prompt or --prompt-file, or write the task into ${scene.task}/TASK.md\n`,
    );
    const unnamed = await scene.ralph(['task', 'run', '--project', PROJECT, '--agent', scene.agent]).exited;
    expect(unnamed.stderr).toBe(
      'error: TASK.md not found and no prompt provided\nhint: Give --prompt or --prompt-file, or name a task that has a TASK.md with --task.\n',
    );
    expect(scene.loops()).toEqual([]);
    const resumed = await scene.resume();
    expect(resumed.code).toBe(2);
    expect(resumed.stderr).toContain(`error: TASK.md not found in task directory ${scene.task}`);
  });

  test('becomes TASK.md, whose edits count from the next run on', async () => {
    const scene = taskLoopScene({ play: `[ "$n" = 1 ] && at_gate; ${TWICE}` }, null);
    const loop = scene.start('--prompt', '  Write the basket.\n\n');
    await scene.logged('at gate 1/work/1');
    expect(readFileSync(taskFile.prompt(scene.task), 'utf8')).toBe('Write the basket.\n');
    writeFileSync(taskFile.prompt(scene.task), 'Write the checkout.\n');
    scene.openGate();
    expect(await loop.exited).toMatchObject({ code: 0 });
    expect(promptOf(scene.runText(0, 'prompt'))).toBe('Write the basket.\n');
    expect(promptOf(scene.runText(1, 'prompt'))).toBe('Continue working on the following:\n\nWrite the checkout.\n');
  });

  test('that differs from TASK.md is refused, unless it is to replace it; a resume continues with TASK.md', async () => {
    const scene = taskLoopScene({ play: 'exit 42' }, null);
    expect(await scene.runTask('--prompt', 'ALPHA')).toMatchObject({ code: 0 });
    const { code, stderr } = await scene.runTask('--prompt', 'BETA');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `error: task ${TASK} already has a prompt: ${taskFile.prompt(scene.task)}
hint: To replace it, add --replace-prompt. To continue with it, leave out --prompt.\n`,
    });
    expect(scene.runs()).toHaveLength(1);
    expect(await scene.runTask('--prompt', 'ALPHA')).toMatchObject({ code: 0 });
    expect(await scene.runTask('--prompt', 'BETA', '--replace-prompt')).toMatchObject({ code: 0 });
    expect(await scene.resume()).toMatchObject({ code: 0 });
    writeFileSync(taskFile.prompt(scene.task), 'GAMMA\n');
    expect(await scene.resume()).toMatchObject({ code: 0 });
    const prompts = scene.runs().map((_run, index) => promptOf(scene.runText(index, 'prompt')));
    const again = (task: string) => `Continue working on the following:\n\n${task}\n`;
    expect(prompts).toEqual(['ALPHA\n', 'ALPHA\n', 'BETA\n', again('BETA'), again('GAMMA')]);
    const alone = await scene.runTask('--replace-prompt');
    expect(alone).toMatchObject({ code: 2, stderr: expect.stringContaining('Give --prompt or --prompt-file, too.') });
  });

  test('can come from a pipe, which is read once; an empty one is refused', async () => {
    const scene = taskLoopScene({ play: TWICE }, null);
    const task = `ralph task run --project ${PROJECT} --task ${TASK} --agent ${scene.agent} --restart-delay 1ms`;
    for (const line of [`${task} --prompt-file - </dev/null`, `${task} --prompt " "`]) {
      expect(await scene.shell(line)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('the prompt is empty'),
      });
    }
    expect(await scene.shell(`mkfifo ff; echo From a pipe. >ff & ${task} --prompt-file ff`)).toMatchObject({ code: 0 });
    const again = 'Continue working on the following:\n\nFrom a pipe.\n';
    expect([0, 1].map((index) => promptOf(scene.runText(index, 'prompt')))).toEqual(['From a pipe.\n', again]);
    expect(await scene.shell(`echo From stdin. | ${task} --prompt-file - --replace-prompt`)).toMatchObject({ code: 0 });
    expect(readFileSync(taskFile.prompt(scene.task), 'utf8')).toBe('From stdin.\n');
  });

  test('that never arrives does not block a signal', async () => {
    const scene = taskLoopScene({ play: DONE }, null);
    await scene.shell('mkfifo ff');
    const loop = scene.start('--prompt-file', 'ff');
    await until(() => hasOpen(loop.pid, `${scene.work}/ff`));
    loop.signal('SIGTERM');
    expect(await loop.exited).toMatchObject({ code: 130, stderr: expect.stringContaining('stopped before') });
  });

  test('is not replaced while the loop runs', async () => {
    const scene = taskLoopScene({ play: `at_gate; ${DONE}` });
    const loop = scene.start();
    await scene.logged('at gate 1/work/1');
    expect(await scene.runTask('--prompt', 'BETA', '--replace-prompt')).toMatchObject({ code: 2 });
    expect(readFileSync(taskFile.prompt(scene.task), 'utf8')).toBe('Do the work.\n');
    scene.openGate();
    expect(await loop.exited).toMatchObject({ code: 0 });
  });

  test('can come from a file, but not from a flag as well', async () => {
    const scene = taskLoopScene({ play: DONE }, null);
    scene.write('prompt.txt', 'From a file.\n');
    const both = await scene.runTask('--prompt', 'x', '--prompt-file', `${scene.folder}/prompt.txt`);
    expect(both).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot specify both --prompt and --prompt-file'),
    });
    expect(await scene.runTask('--prompt-file', `${scene.folder}/prompt.txt`)).toMatchObject({ code: 0 });
    expect(promptOf(scene.runText(0, 'prompt'))).toBe('From a file.\n');
  });

  test('says on a restart and on a resume that the work continues', async () => {
    const scene = taskLoopScene({ play: '[ "$n" = 2 ] && exit 42; true' });
    await scene.runTask();
    await scene.resume('--max-restarts', '1');
    const prompts = scene.runs().map((_run, index) => promptOf(scene.runText(index, 'prompt')));
    const again = 'Continue working on the following:\n\nDo the work.\n';
    expect(prompts).toEqual(['Do the work.\n', again, again]);
  });

  test('arrives whole on stdin, the same as in prompt.md: names, bus, jobs, how to end', async () => {
    const scene = taskLoopScene({ play: `cat >"$SCENE/heard"; ${DONE}` });
    await scene.runTask();
    const [run] = scene.runs();
    const whole = scene.runText(0, 'prompt');
    expect(scene.read('heard')).toBe(whole);
    expect(whole).toContain(`JRUN_TASK_FOLDER=${scene.task}\nJRUN_RUN_FOLDER=${scene.task}/runs/${run?.runId}\n`);
    for (const line of [
      `JRUN_PROJECT_ID=${PROJECT}`,
      `JRUN_TASK_ID=${TASK}`,
      `JRUN_ID=${run?.runId}`,
      `Write output.md to ${scene.task}/runs/${run?.runId}/output.md`,
      '## Message Bus',
      '## Sub-Agent Spawning (RLM Pattern)',
      '## Completion',
      `When done, create: ${scene.task}/DONE`,
      '---',
    ]) {
      expect(whole.split('\n')).toContain(line);
    }
  });
});

describe('the environment', () => {
  test('has the names of the run, new and old, and ralph on the path, but not the session that ralph was started in', async () => {
    const scene = taskLoopScene({
      play: `env >"$SCENE/env"; for p in ralph run-agent; do command -v $p; done >"$SCENE/which"; ${DONE}`,
      env: { CLAUDECODE: '1', JRUN_PARENT_ID: 'a-parent', ANTHROPIC_API_KEY: 'a-key', OPENAI_API_KEY: 'o-key' },
    });
    await scene.runTask();
    const env = Object.fromEntries(
      scene
        .read('env')
        .split('\n')
        .map((line) => line.split(/=(.*)/s)),
    );
    const [run] = scene.runs();
    const folder = `${scene.task}/runs/${run?.runId}`;
    expect(env).toMatchObject({
      JRUN_PROJECT_ID: PROJECT,
      JRUN_TASK_ID: TASK,
      JRUN_ID: run?.runId,
      JRUN_RUNS_DIR: `${scene.task}/runs`,
      JRUN_MESSAGE_BUS: `${scene.task}/TASK-MESSAGE-BUS.md`,
      JRUN_TASK_FOLDER: scene.task,
      JRUN_RUN_FOLDER: folder,
      RUNS_DIR: `${scene.task}/runs`,
      MESSAGE_BUS: `${scene.task}/TASK-MESSAGE-BUS.md`,
      TASK_FOLDER: scene.task,
      RUN_FOLDER: folder,
      // An unknown agent can use any model.
      ANTHROPIC_API_KEY: 'a-key',
      OPENAI_API_KEY: 'o-key',
    });
    expect(env).not.toHaveProperty('CLAUDECODE');
    expect(env).not.toHaveProperty('JRUN_PARENT_ID');
    expect(scene.read('which')).toMatch(/^\/.*\/loops\/.*\/bin\/ralph\n\/.*\/loops\/.*\/bin\/run-agent\n$/);
  });

  test('has no key of another agent', async () => {
    const keys = {
      ANTHROPIC_API_KEY: 'a',
      OPENAI_API_KEY: 'o',
      GEMINI_API_KEY: 'g',
      XAI_API_KEY: 'x',
      PERPLEXITY_API_KEY: 'p',
    };
    const scene = taskLoopScene({ agent: 'claude', play: `env >"$SCENE/env"; ${DONE}; claude_result x`, env: keys });
    await scene.runTask();
    expect(scene.read('env').match(/^\w+_API_KEY(?==)/gm)).toEqual(['ANTHROPIC_API_KEY']);
  });
});

describe('output.md', () => {
  test('is what the agent wrote there itself', async () => {
    const scene = taskLoopScene({ play: `echo noise; echo "My report." >"$RUN_FOLDER/output.md"; ${DONE}` });
    await scene.runTask();
    expect(scene.runText(0, 'output')).toBe('My report.\n');
  });

  test('is otherwise its last words, if the stream is structured', async () => {
    const scene = taskLoopScene({
      agent: 'claude',
      play: `claude_says first; claude_says last; ${DONE}; claude_result "the result"`,
    });
    await scene.runTask();
    expect(scene.runText(0, 'output')).toBe('the result\n');
    expect(scene.runText(0, 'stdout')).toContain('{"type":"assistant"');
  });

  test('is otherwise everything that it printed', async () => {
    const scene = taskLoopScene({ play: `echo one; echo two; echo aside >&2; ${DONE}` });
    await scene.runTask();
    expect(scene.runText(0, 'output')).toBe('one\ntwo\n');
    expect(scene.runText(0, 'stderr')).toBe('aside\n');
  });
});

test('run-info.yaml describes the run while it is going on, and then how it ended', async () => {
  const scene = taskLoopScene({ play: `echo $$ >"$SCENE/pid"; at_gate; ${DONE}; exit 3` });
  const loop = scene.start('--agent-flag=--deep', '--agent-flag', 'a b');
  await scene.logged('at gate 1/work/1');
  await until(() => scene.said('RUN_START').length === 1);
  const [during] = scene.runs();
  const pid = Number(scene.read('pid'));
  expect(during).toMatchObject({
    status: 'running',
    endTime: null,
    exitCode: -1,
    pid,
    pgid: pid,
    supervisorPid: loop.pid,
  });
  expect(during).toMatchObject({
    project: PROJECT,
    task: TASK,
    agent: scene.agent,
    ownership: 'managed',
    cwd: scene.work,
  });
  expect(during?.commandLine).toBe(`${scene.agent} --deep 'a b'`);
  expect(during?.runId).toMatch(new RegExp(`^\\d{8}-\\d{10}-${loop.pid}-1$`));
  expect(readFileSync(runFile.info(`${scene.task}/runs/${during?.runId}`), 'utf8')).toContain(
    'end_time: 0001-01-01T00:00:00Z\n',
  );
  scene.openGate();
  await loop.exited;
  const [after] = scene.runs();
  expect(after).toMatchObject({ status: 'failed', exitCode: 3, errorSummary: 'agent exited with code 3' });
  expect(after?.endTime).toBeGreaterThanOrEqual(after?.startTime ?? Number.NaN);
});

test('a restart names the run before it', async () => {
  const scene = taskLoopScene({ play: TWICE });
  await scene.runTask();
  const [first, second] = scene.runs();
  expect(first).not.toHaveProperty('previousRunId');
  expect(second?.previousRunId).toBe(first?.runId);
});

test('a known agent is started so that it works without asking, unless the user says otherwise', async () => {
  const scene = taskLoopScene({ agent: 'claude', play: `${DONE}; claude_result x` });
  await scene.runTask('--agent-flag=--model=opus');
  expect(scene.runs()[0]?.commandLine).toMatch(/claude .*--permission-mode bypassPermissions/);
  expect(scene.runs()[0]?.commandLine).toContain('--model=opus');
});

describe('what is damaged or not allowed', () => {
  test('ids with path separators, and ids of another form, are refused before anything is created', async () => {
    const scene = taskLoopScene({ play: DONE });
    const refused = async (flag: string, id: string): Promise<string> => {
      const { code, stderr } = await scene.runTask(flag, id, '--prompt', 'x');
      expect(code).toBe(2);
      return stderr;
    };
    expect(await refused('--task', '../elsewhere')).toContain(
      'invalid task ID "../elsewhere": must match task-<YYYYMMDD>-<HHMMSS>-<slug> (e.g. task-20260220-153045-my-feature)',
    );
    expect(await refused('--project', 'a/b')).toContain(
      'invalid project ID "a/b": must not contain path separators (projects cannot be nested)',
    );
    expect(await refused('--project', 'A b')).toContain(
      'invalid project ID "A b": must contain only lowercase letters, digits, and hyphens (e.g. my-project)',
    );
    expect(scene.loops()).toEqual([]);
  });

  test('an unknown agent is reported with how to choose another', async () => {
    const scene = taskLoopScene({ play: DONE });
    const { code, stderr } = await scene.runTask('--agent', 'missing');
    expect(code).toBe(2);
    expect(stderr).toContain('name another with --agent.');
  });

  test('a corrupt run-info of an old run is reported with its path, and stops nothing', async () => {
    const scene = taskLoopScene({ play: TWICE });
    await scene.runTask('--max-restarts', '1');
    const [old] = scene.runs();
    const path = runFile.info(`${scene.task}/runs/${old?.runId}`);
    writeFileSync(path, '\u0000{{{ not yaml');
    scene.write('n', '');
    const { code, stderr } = await scene.runTask();
    expect(code).toBe(0);
    expect(stderr).toContain(`failed to enumerate children: cannot read ${path}: `);
    expect(scene.said('WARNING')).toEqual([
      expect.stringContaining(`failed to enumerate children: cannot read ${path}`),
    ]);
    expect(() => readRunInfo(path)).toThrow(path);
    expect(scene.projectSaid()).toHaveLength(1);
  });

  test.each([
    `${RUNS} && echo "{{{" >"$RUN_FOLDER/run-info.yaml"`,
    `${RUNS} && rm -r "$RUN_FOLDER"`,
    'rm -r "$RUN_FOLDER"',
  ])('an agent that does %s to its own report gets a warning, and the loop continues', async (spoil) => {
    const scene = taskLoopScene({ play: `[ "$n" = 1 ] && ${spoil}; ${TWICE}` });
    expect(await scene.runTask()).toMatchObject({ code: 0, stderr: expect.not.stringContaining('bug') });
    expect(scene.runs()).toMatchObject([
      { status: 'completed', exitCode: 0 },
      { status: 'completed', exitCode: 0 },
    ]);
    const [fault, ...others] = scene.said('WARNING');
    expect(fault).toMatch(/^the report of this run was written again: .*\/run-info\.yaml/);
    expect(others).toEqual([]);
  });
});

function promptOf(whole: string): string {
  return whole.slice(whole.indexOf('\n---\n\n') + '\n---\n\n'.length);
}
