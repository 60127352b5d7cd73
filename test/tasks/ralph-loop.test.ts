/** The library's `RalphLoop` as another program uses it: the built package, in a real process. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { installPackage, startConsumer } from '../support/programs/library.ts';
import { type Exited, type Program, startProgram } from '../support/programs/program.ts';
import { ROOT } from '../support/scene.ts';
import { type TaskLoopScene, taskLoopScene } from '../support/tasks/task-loop.ts';

/** `lines` can use `loop(options)`, which makes a loop of this task, and `done()`, which writes its DONE file. */
function consumer(scene: TaskLoopScene, lines: string): Program {
  return startConsumer(
    scene,
    `import { InvalidConfigError, RalphLoop } from 'ralph-harness';
     import { mkdirSync, writeFileSync } from 'node:fs';
     const folder = ${JSON.stringify(scene.task)}, bus = folder + '/TASK-MESSAGE-BUS.md';
     const done = () => writeFileSync(folder + '/DONE', '');
     const loop = (options) => new RalphLoop(folder, bus, { project: 'my-project', restartDelay: 1, pollInterval: 10, ...options });
     const told = (promise) => promise.then((result) => say(result), (error) => say({ error: error.message, name: error.name }));
     ${lines}`,
  );
}

async function saidBy(scene: TaskLoopScene, lines: string): Promise<unknown[]> {
  return linesOf(await consumer(scene, lines).exited);
}

function linesOf({ code, stdout, stderr }: Exited): unknown[] {
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

test('the bus can be written and read: a message tells the loop to wait, and why', async () => {
  const scene = taskLoopScene({ play: '' });
  const lines = await saidBy(
    scene,
    `import { appendMessage, readMessages } from 'ralph-harness';
     const draft = { type: 'wait_without_restart', projectId: 'my-project', body: 'Waiting for user input' };
     await told(loop({ runRoot: async () => { say((await appendMessage(bus, draft)).msgId.slice(0, 4)); } }).run());
     const all = readMessages(bus);
     say(all.map(({ type, body }) => [type, body]));
     say(readMessages(bus, { tail: 1 }).length);
     say(readMessages(bus, { after: all[0].msgId }).length);`,
  );
  expect(lines).toEqual([
    'MSG-',
    { status: 'waiting', attempts: 1, reason: 'Waiting for user input' },
    [
      ['INFO', 'starting root agent (restart #0)'],
      ['wait_without_restart', 'Waiting for user input'],
      ['INFO', 'task waits and is not restarted: Waiting for user input'],
    ],
    1,
    2,
  ]);
});

describe('its result', () => {
  test('is `done` once the DONE file exists; attempts count from 0, whatever their result', async () => {
    const scene = taskLoopScene({ play: '' });
    const lines = await saidBy(
      scene,
      `await told(loop({ runRoot: (signal, attempt) => {
         say(attempt);
         if (attempt === 1) throw new Error('trouble');
         if (attempt === 2) return Promise.resolve(7);
         if (attempt === 3) done();
       } }).run());`,
    );
    expect(lines).toEqual([0, 1, 2, 3, { status: 'done', attempts: 4 }]);
    expect(scene.said('INFO')).toEqual([
      ...[0, 1, 2, 3].map((n) => `starting root agent (restart #${n})`),
      'task completed (DONE marker present, no active children)',
    ]);
    expect(scene.said('WARNING')).toEqual([
      'root agent failed on restart #1: trouble',
      'root agent failed on restart #2: agent exited with code 7',
    ]);
    expect(scene.projectSaid()).toHaveLength(1);
  });

  test('is `done` at once if the file already exists', async () => {
    const scene = taskLoopScene({ play: '' });
    expect(await saidBy(scene, `done(); await told(loop({ runRoot: () => say('called') }).run());`)).toEqual([
      { status: 'done', attempts: 0 },
    ]);
  });

  test.each([
    ['exit code 42', 'return 42;', 'the agent exited with code 42'],
    [
      'an error with that code',
      'throw Object.assign(new Error("x"), { exitCode: 42 });',
      'the agent exited with code 42',
    ],
    ['the file', `writeFileSync(folder + '/WAIT_WITHOUT_RESTART', '');`, 'WAIT_WITHOUT_RESTART exists'],
  ])('is `waiting` after %s', async (_name, act, reason) => {
    const scene = taskLoopScene({ play: '' });
    expect(await saidBy(scene, `await told(loop({ runRoot: () => { ${act} } }).run());`)).toEqual([
      { status: 'waiting', attempts: 1, reason },
    ]);
  });
});

describe('it rejects', () => {
  test('when the restarts are used up, with the ERROR on the bus', async () => {
    const scene = taskLoopScene({ play: '' });
    const lines = await saidBy(
      scene,
      `await told(loop({ maxRestarts: 2, runRoot: () => say('called') }).run());
       await told(loop({ maxRestarts: 0, runRoot: () => say('called') }).run());`,
    );
    const error = { error: 'max restarts exceeded', name: 'RalphError' };
    expect(lines).toEqual(['called', 'called', error, error]);
    expect(scene.said('ERROR')).toEqual([2, 0].map((n) => `task failed: max restarts (${n}) exceeded`));
  });

  test('with a fatal error itself, at once', async () => {
    const scene = taskLoopScene({ play: '' });
    const lines = await saidBy(
      scene,
      `import { spawn } from 'node:child_process';
       import { once } from 'node:events';
       const fails = (act) => told(loop({ runRoot: act }).run());
       await fails(() => { throw new InvalidConfigError('no model'); });
       await fails(() => once(spawn('/no/such/agent'), 'exit'));
       await fails(() => once(spawn(folder + '/TASK.md'), 'exit'));`,
    );
    expect(lines).toEqual([
      { error: 'no model', name: 'InvalidConfigError' },
      { error: 'spawn /no/such/agent ENOENT', name: 'Error' },
      { error: expect.stringMatching(/^spawn .*TASK\.md EACCES$/), name: 'Error' },
    ]);
  });

  test('when DONE is a directory', async () => {
    const scene = taskLoopScene({ play: '' });
    expect(await saidBy(scene, `mkdirSync(folder + '/DONE'); await told(loop({ runRoot: done }).run());`)).toEqual([
      { error: 'DONE is a directory', name: 'RalphError' },
    ]);
  });

  test('a second loop on a folder while the first one runs', async () => {
    const scene = taskLoopScene({ play: '' });
    const [first, second] = await saidBy(
      scene,
      `await told(loop({ runRoot: async () => { await told(loop({ runRoot: done }).run()); done(); } }).run());`,
    );
    expect(first).toMatchObject({ error: expect.stringContaining('a loop is already running'), name: 'RalphError' });
    expect(second).toEqual({ status: 'done', attempts: 1 });
  });

  test('wrong options, already in the constructor', async () => {
    const scene = taskLoopScene({ play: '' });
    const lines = await saidBy(
      scene,
      `for (const make of [() => loop({}), () => loop({ runRoot: done, restartDelay: -1 }), () => new RalphLoop('', bus, {})]) {
         try { make(); } catch (error) { say(error.message); }
       }`,
    );
    expect(lines).toEqual(['root runner is nil', 'restart delay must not be negative', 'run directory is empty']);
  });
});

describe('cancellation rejects with the signal’s reason', () => {
  const cancelled = { error: 'enough', name: 'Error' };
  const run = (scene: TaskLoopScene, options: string, lines = '') =>
    saidBy(
      scene,
      `const stop = new AbortController(), enough = () => stop.abort(new Error('enough'));
       ${lines} await told(loop(${options}).run(stop.signal));`,
    );

  test('before it begins', async () => {
    expect(await run(taskLoopScene({ play: '' }), `{ runRoot: () => say('called') }`, 'enough();')).toEqual([
      cancelled,
    ]);
  });

  test('in a run: the root runner is notified', async () => {
    const runRoot = `(signal) => new Promise((resolve) => {
      signal.addEventListener('abort', () => { say('told'); resolve(); });
      enough();
    })`;
    expect(await run(taskLoopScene({ play: '' }), `{ runRoot: ${runRoot} }`)).toEqual(['told', cancelled]);
  });

  test('during the delay', async () => {
    const options = `{ restartDelay: 3_600_000, runRoot: () => void setTimeout(enough, 50) }`;
    expect(await run(taskLoopScene({ play: '' }), options)).toEqual([cancelled]);
  });

  test('while it waits for children', async () => {
    const scene = taskLoopScene({ play: '' });
    const child = `import { writeFileSync as write } from 'node:fs';
      mkdirSync(folder + '/runs/child', { recursive: true });
      write(folder + '/runs/child/run-info.yaml', 'run_id: child\\nparent_run_id: p\\nstatus: running\\nstart_time: ' + new Date().toISOString() + '\\npid: ' + process.pid + '\\n');`;
    const lines = await run(
      scene,
      `{ waitTimeout: 3_600_000, pollInterval: 3_600_000, runRoot: () => { done(); setTimeout(enough, 200); } }`,
      child,
    );
    expect(lines).toEqual([cancelled]);
    expect(scene.said('INFO')).toContain('waiting for 1 children to complete: [child]');
  });

  test('even if the root runner ignores it', async () => {
    const options =
      '{ runRoot: () => { setTimeout(enough, 10); return new Promise(() => setTimeout(() => 0, 3_600_000)); } }';
    const scene = taskLoopScene({ play: '' });
    const program = consumer(
      scene,
      `const stop = new AbortController(), enough = () => stop.abort(new Error('enough'));
       await told(loop(${options}).run(stop.signal)); process.exit(0);`,
    );
    expect(linesOf(await program.exited)).toEqual([cancelled]);
  });
});

describe('the example', () => {
  const example = readFileSync(join(ROOT, 'examples/ralph-loop.mjs'), 'utf8');

  test('runs, and prints what its comments say', async () => {
    const scene = taskLoopScene({ play: '' });
    installPackage(scene);
    scene.write('example.mjs', example);
    const env = { ...scene.env, TMPDIR: scene.folder };
    const { code, stdout, stderr } = await startProgram([process.execPath, 'example.mjs'], { cwd: scene.folder, env })
      .exited;
    expect(stderr).toBe('');
    expect(code).toBe(0);
    const [, promised] = /\/\/ (\{ status: .*\})\n$/.exec(example) ?? [];
    expect(stdout).toBe(`attempt 0\nattempt 1\nattempt 2\n${promised}\n`);
  });

  test('runs in a clone, too', async () => {
    const scene = taskLoopScene({ play: '' });
    const env = { ...scene.env, TMPDIR: scene.folder };
    const { stdout } = await startProgram([process.execPath, 'examples/ralph-loop.mjs'], { cwd: ROOT, env }).exited;
    expect(stdout).toContain("{ status: 'done', attempts: 3 }\n");
  });

  test('is the one that docs/library.md shows', () => {
    const [, ...shown] = example.split('\n');
    expect(readFileSync(join(ROOT, 'docs/library.md'), 'utf8')).toContain(`\`\`\`js\n${shown.join('\n')}\`\`\`\n`);
  });
});
