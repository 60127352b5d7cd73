/** `ralph bus`: posting, reading, following and finding message buses from the command line. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { appendMessage } from '../../../src/bus/append.ts';
import { readMessages } from '../../../src/bus/read.ts';
import { testFolder } from '../../support/folder.ts';
import { makeScene } from '../../support/scene.ts';
import { makeRun, makeTask, PROJECT, RUN, TASKS } from '../../support/tasks/task-folder.ts';
import { type TaskScene, taskScene } from '../../support/tasks/task-scene.ts';
import { openTerminal } from '../../support/terminal/terminal.ts';

const [A] = TASKS;

interface BusScene extends TaskScene {
  readonly folder: string;
  readonly taskBus: string;
  readonly projectBus: string;
}

function busScene(): BusScene {
  const scene = taskScene();
  const folder = makeTask(scene.root, A);
  return {
    ...scene,
    folder,
    taskBus: join(folder, 'TASK-MESSAGE-BUS.md'),
    projectBus: join(scene.root, PROJECT, 'PROJECT-MESSAGE-BUS.md'),
  };
}

const only = (path: string): object => {
  const { messages } = readMessages(path);
  expect(messages).toHaveLength(1);
  return messages[0] ?? {};
};

describe('post', () => {
  test('appends a message to the bus of a task or a project, and prints its id', async () => {
    const { bus, taskBus, projectBus } = busScene();
    const posted = await bus('post', '--project', PROJECT, '--task', A, '--type', 'FACT', '--body', 'x\n---\ny');
    expect(posted).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^msg_id: MSG-[\w-]+\n$/) });
    const message = only(taskBus);
    expect(message).toMatchObject({ type: 'FACT', projectId: PROJECT, taskId: A, body: 'x\n---\ny' });
    expect(posted.stdout).toBe(`msg_id: ${'msgId' in message ? String(message.msgId) : ''}\n`);
    await bus('post', '--project', PROJECT, '--body', 'for all', '--run', 'r-1');
    const general = only(projectBus);
    expect(general).toMatchObject({ type: 'INFO', projectId: PROJECT, runId: 'r-1', body: 'for all' });
    expect(general).not.toHaveProperty('taskId');
  });

  test('takes the body from stdin; without stdin, it is empty', async () => {
    const { start, taskBus } = busScene();
    const args = ['bus', 'post', '--project', PROJECT, '--task', A];
    await start(args, { stdin: 'two\nlines\n' }).exited;
    await start(args).exited;
    expect(readMessages(taskBus).messages.map(({ body }) => body.trimEnd())).toEqual(['two\nlines', '']);
  });

  test('in a run goes to the bus of the run, with its ids, from any folder', async () => {
    const { start, taskBus, projectBus } = busScene();
    const env = { JRUN_MESSAGE_BUS: taskBus, JRUN_PROJECT_ID: PROJECT, JRUN_TASK_ID: A, JRUN_ID: RUN };
    await start(['bus', 'post', '--project', PROJECT, '--body', 'x'], { env }).exited;
    expect(only(taskBus)).toMatchObject({ projectId: PROJECT, taskId: A, runId: RUN });
    expect(existsSync(projectBus)).toBe(false);
  });

  test.each(['run', 'task', 'project'])('in the folder of a %s needs no flags', async (where) => {
    const { start, folder, root, taskBus, projectBus } = busScene();
    const run = makeRun(folder, RUN);
    const cwd = { run, task: folder, project: join(root, PROJECT) }[where] ?? '';
    const { code } = await start(['bus', 'post', '--body', 'x'], { cwd }).exited;
    expect(code).toBe(0);
    const ids = { run: { taskId: A, runId: RUN }, task: { taskId: A }, project: {} }[where];
    expect(only(where === 'project' ? projectBus : taskBus)).toMatchObject({ projectId: PROJECT, ...ids });
  });

  test('finds the project from the path of the bus alone', async () => {
    const { start, taskBus } = busScene();
    await start(['bus', 'post', '--body', 'x'], { env: { JRUN_MESSAGE_BUS: taskBus } }).exited;
    expect(only(taskBus)).toMatchObject({ projectId: PROJECT, taskId: A });
  });

  test.each([
    [['--body', 'x'], /no message bus in .* or in a folder above it\nhint: /],
    [['--project', 'none', '--body', 'x'], /cannot write message bus .*: no folder /],
    [['--project', '../up', '--body', 'x'], /invalid project ID "\.\.\/up"/],
    [['--project', PROJECT, '--task', '../up', '--body', 'x'], /invalid task ID/],
    [['--project', PROJECT, '--type', '', '--body', 'x'], /message type is empty/],
  ])('%j is refused', async (args, message) => {
    const exited = await busScene().bus('post', ...args);
    expect(exited).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
  });

  test('to a bus outside any project says so', async () => {
    const folder = join(testFolder(), 'Not A Project');
    mkdirSync(folder);
    writeFileSync(join(folder, 'MESSAGE-BUS.md'), '');
    const { exited } = busScene().start(['bus', 'post', '--body', 'x'], { cwd: folder });
    const message = 'cannot infer project: run from inside a task or project directory';
    expect(await exited).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});

describe('read', () => {
  const READ = ['read', '--project', PROJECT, '--task', A];

  /** Twenty-five messages, every third an ERROR. */
  async function withMessages(): Promise<BusScene> {
    const scene = busScene();
    for (let n = 1; n <= 25; n++) {
      const type = n % 3 === 0 ? 'ERROR' : 'INFO';
      await appendMessage(scene.taskBus, { type, projectId: PROJECT, taskId: A, body: `number ${n}` });
    }
    return scene;
  }
  const numbers = (stdout: string): number[] => [...stdout.matchAll(/number (\d+)\n/g)].map(([, n]) => Number(n));

  test('with --json prints whole messages, one per line, including new ones', async () => {
    const { start, taskBus } = await withMessages();
    const draft = { projectId: PROJECT, taskId: A, runId: 'r-1', meta: { k: 'v' } };
    const parents = [{ msgId: 'MSG-1', kind: 'reply' }];
    const last = await appendMessage(taskBus, { ...draft, type: 'FACT', parents, body: 'two\nlines' });
    const reader = start(['bus', ...READ, '--json', '--tail', '1', '--follow']);
    await reader.says('two');
    const next = await appendMessage(taskBus, { ...draft, type: 'INFO', body: 'later' });
    await reader.says('later');
    reader.signal('SIGINT');
    const { stdout } = await reader.exited;
    const ids = { project_id: PROJECT, task_id: A, run_id: 'r-1' };
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      {
        ...ids,
        msg_id: last.msgId,
        ts: last.ts,
        type: 'FACT',
        parents: [{ msg_id: 'MSG-1', kind: 'reply' }],
        meta: { k: 'v' },
        body: 'two\nlines',
      },
      { ...ids, msg_id: next.msgId, ts: next.ts, type: 'INFO', meta: { k: 'v' }, body: 'later' },
    ]);
  });

  test('shows times in the local time zone, as the lists of runs do', async () => {
    const { start, folder, taskBus } = busScene();
    const at = '2026-02-20T15:30:45Z';
    writeFileSync(taskBus, `---\nmsg_id: MSG-1\nts: ${at}\ntype: INFO\nproject_id: ${PROJECT}\n---\nwords\n\n`);
    makeRun(folder, RUN, { startTime: Date.parse(at) });
    const env = { TZ: 'Asia/Kolkata' };
    expect((await start(['bus', ...READ], { env }).exited).stdout).toBe('[2026-02-20 21:00:45] (INFO) words\n');
    const list = ['task', 'list', '--project', PROJECT, '--task', A];
    expect((await start(list, { env }).exited).stdout).toContain(' 2026-02-20 21:00:45 ');
    const gc = await start(['task', 'gc', '--dry-run'], { env }).exited;
    expect(gc.stdout).toContain('started=2026-02-20 21:00:45,');
    // Output for programs contains the time zone.
    expect((await start([...list, '--json'], { env }).exited).stdout).toContain(`"started": "${at}"`);
  });

  test('prints the last twenty, each with its time and type', async () => {
    const { bus } = await withMessages();
    const { code, stdout, stderr } = await bus(...READ);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(numbers(stdout)).toEqual(Array.from({ length: 20 }, (_, n) => n + 6));
    expect(stdout).toMatch(/^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] \(ERROR\) number 6\n/);
  });

  test.each([
    [
      ['--tail', '3'],
      [23, 24, 25],
    ],
    [
      ['--tail', '2', '--type', 'ERROR'],
      [21, 24],
    ],
    [
      ['--tail', '2', '--type', 'ERROR', '--type', 'INFO'],
      [24, 25],
    ],
    [['--type', 'FACT'], []],
    [
      ['--tail', '0', '--type', 'ERROR'],
      [3, 6, 9, 12, 15, 18, 21, 24],
    ],
  ])('%j', async (args, expected) => {
    const { bus } = await withMessages();
    expect(numbers((await bus(...READ, ...args)).stdout)).toEqual(expected);
  });

  test('prefers flags to the environment', async () => {
    const { start, taskBus, projectBus } = busScene();
    await appendMessage(taskBus, { type: 'INFO', projectId: PROJECT, body: 'of the task' });
    await appendMessage(projectBus, { type: 'INFO', projectId: PROJECT, body: 'of the project' });
    const env = { JRUN_MESSAGE_BUS: taskBus };
    const read = (...args: string[]): Promise<string> =>
      start(['bus', 'read', ...args], { env }).exited.then(({ stdout }) => stdout);
    expect(await read()).toContain('of the task');
    expect(await read('--project', PROJECT)).toContain('of the project');
  });

  test('follows new messages of the requested types until it is stopped', async () => {
    const { start, taskBus } = busScene();
    const post = (type: string, body: string) => appendMessage(taskBus, { type, projectId: PROJECT, body });
    await post('INFO', 'before');
    await post('FACT', 'known');
    const reader = start(['bus', ...READ, '--follow', '--type', 'FACT']);
    await reader.says('(FACT) known');
    await post('INFO', 'unwanted');
    await post('FACT', 'new');
    await reader.says('(FACT) new');
    reader.signal('SIGINT');
    const { code, stdout } = await reader.exited;
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/before|unwanted/);
  });

  test('can follow a bus that does not exist yet, but not read it', async () => {
    const { start, bus, taskBus } = busScene();
    expect(await bus(...READ)).toMatchObject({ code: 2, stderr: expect.stringContaining(`${taskBus}: there is none`) });
    const reader = start(['bus', ...READ, '--follow']);
    await appendMessage(taskBus, { type: 'INFO', projectId: PROJECT, body: 'the first' });
    await reader.says('the first');
    reader.signal('SIGTERM');
    expect(await reader.exited).toMatchObject({ code: 0 });
  });

  test('removes control sequences from messages on a terminal', async () => {
    const scene = makeScene({ play: '' });
    const folder = makeTask(join(scene.folder, '.run-agent/runs'), A);
    const body = 'calm\u001b[2J\u001b[31mred \u0007and';
    await appendMessage(join(folder, 'TASK-MESSAGE-BUS.md'), { type: 'INFO', projectId: PROJECT, body });
    const terminal = openTerminal(scene, `ralph bus read --project ${PROJECT} --task ${A}`);
    expect(await terminal.ended()).toMatchObject({ code: 0, screen: expect.stringContaining('(INFO) calmred and') });
  });
});

describe('discover', () => {
  test('finds the nearest bus: a task before its project', async () => {
    const { start, ralph, folder, root, taskBus, projectBus } = busScene();
    const run = makeRun(folder, RUN);
    writeFileSync(projectBus, '');
    const found = (from: string) => start(['bus', 'discover'], { cwd: from }).exited;
    expect(await found(run)).toEqual({ code: 0, stdout: `${projectBus}\n`, stderr: '' });
    writeFileSync(taskBus, '');
    expect(await found(run)).toMatchObject({ stdout: `${taskBus}\n` });
    expect(await ralph('bus', 'discover', '--from', join(root, PROJECT))).toMatchObject({ stdout: `${projectBus}\n` });
  });

  test('says where it has looked for which files', async () => {
    const folder = testFolder();
    const { code, stderr } = await busScene().bus('discover', '--from', folder);
    expect(code).toBe(1);
    expect(stderr).toContain(
      `no message bus file found from "${folder}" (searched for TASK-MESSAGE-BUS.md, PROJECT-MESSAGE-BUS.md, MESSAGE-BUS.md)`,
    );
  });
});
