/** The built package in another program, with its loops in the operating system's sandbox. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ON_DISK } from '../../support/folder.ts';
import { installPackage, startConsumer } from '../../support/programs/library.ts';
import { processesOf } from '../../support/programs/processes.ts';
import { startProgram } from '../../support/programs/program.ts';
import { makeScene, ROOT } from '../../support/scene.ts';

const OWN = `allowWrite: ['~/starts.log', '~/prompts']`;

test('run() uses the sandbox of its options, and emits what the sandbox refuses', async () => {
  const scene = makeScene({
    place: ON_DISK,
    play: `echo x >"$SCENE/outside" || echo refused; echo "<response>DONE</response>"`,
  });
  const { code, stdout, stderr } = await startConsumer(
    scene,
    `const loop = run({ ...at, prompt: 'Work.', sandbox: { kind: 'os', ${OWN} } });
     for await (const event of loop) {
       if (event.type === 'progress' && event.event.type === 'refusal') say(event.event.text);
     }
     say(await loop.result);`,
  ).exited;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const outside = join(scene.folder, 'outside');
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([
    `refused to write ${outside} (to allow it: --allow-write ${scene.folder})`,
    { kind: 'ended', ending: { kind: 'done' } },
  ]);
  expect(existsSync(outside)).toBe(false);
});

/** Runs these lines in a program where `loop` makes a `RalphLoop` on `folder`, and `say` prints a value. */
async function inLoop(lines: string) {
  const scene = makeScene({ place: ON_DISK, play: '' });
  installPackage(scene);
  mkdirSync(join(scene.folder, 'task'));
  mkdirSync(join(scene.folder, '.ssh'));
  scene.write('.ssh/id', 'a key\n');
  scene.write(
    'consumer.mjs',
    `import { RalphLoop } from 'ralph-harness';
     const folder = process.env.SCENE + '/task', work = process.env.SCENE + '/work';
     const say = (value) => console.log(JSON.stringify(value));
     const loop = (options) => new RalphLoop(folder, folder + '/TASK-MESSAGE-BUS.md', { project: 'p', restartDelay: 1, ...options });
     ${lines}`,
  );
  const program = startProgram([process.execPath, 'consumer.mjs'], { cwd: scene.folder, env: scene.env });
  const said = async () => {
    const { code, stdout, stderr } = await program.exited;
    return {
      code,
      stderr,
      said: stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    };
  };
  return { scene, program, said };
}

test('programs that runRoot starts run in the sandbox, where they can finish the task', async () => {
  const { scene, said } = await inLoop(`
    const script = 'cat; cat ~/.ssh/id; echo x >"$SCENE/outside" && echo WROTE; echo y >here; pwd; [ $N = 1 ] && echo z >../task/DONE';
    const runRoot = async (signal, attempt, place) => {
      let text = '';
      const onOutput = (chunk) => (text += chunk);
      const program = { input: 'given\\n', env: { N: String(attempt) }, onOutput, onStderr: () => {} };
      const code = await place.run(['sh', '-c', script], program);
      say([code, text]);
      return code;
    };
    say(await loop({ runRoot, cwd: work, sandbox: { kind: 'os' } }).run());`);
  const outside = join(scene.folder, 'outside');
  const refusals = [1, 2].map(() => `refused to write ${outside} (to allow it: --allow-write ${scene.folder})`);
  expect(await said()).toEqual({
    code: 0,
    stderr: '',
    said: [[1, `given\n${scene.work}\n`], [0, `given\n${scene.work}\n`], { status: 'done', attempts: 2, refusals }],
  });
  expect(scene.read('work/here')).toBe('y\n');
  expect(existsSync(outside)).toBe(false);
});

test('without a sandbox, they are not restricted, and the signal ends them and their children', async () => {
  const { scene, program, said } = await inLoop(`
    const stop = new AbortController();
    const runRoot = (signal, attempt, place) =>
      place.run(['sh', '-c', 'touch "$SCENE/outside"; setsid sleep 1000 & echo begun; wait'], { onOutput: () => stop.abort(new Error('enough')) });
    await loop({ runRoot }).run(stop.signal).catch((error) => say(error.message));`);
  expect(await said()).toEqual({ code: 0, stderr: '', said: ['enough'] });
  expect(existsSync(join(scene.folder, 'outside'))).toBe(true);
  expect(processesOf(scene.folder).filter(({ pid }) => pid !== program.pid)).toEqual([]);
});

test('the loop rejects before it creates anything if the sandbox is not available', async () => {
  const { scene, said } = await inLoop(`
    const env = { ...process.env, PATH: '/nowhere' };
    const of = (kind) => loop({ runRoot: () => say('called'), sandbox: { kind } }).run(undefined, env).catch(({ code, message }) => say([code, message]));
    await of('os'); await of('docker');`);
  expect((await said()).said).toEqual([
    ['NO_SANDBOX', "the operating system's sandbox cannot be used: bwrap, socat, rg not found"],
    ['NO_SANDBOX', 'Docker Sandbox cannot be used: docker is not on the PATH'],
  ]);
  expect(scene.loops()).toEqual([]);
});

test("with the kind 'auto', a missing sandbox is reported on the bus and in the result", async () => {
  const { scene, said } = await inLoop(`
    const { writeFileSync } = await import('node:fs');
    const env = { ...process.env, PATH: '/nowhere' };
    const runRoot = () => writeFileSync(folder + '/DONE', '');
    say(await loop({ runRoot, sandbox: { kind: 'auto' } }).run(undefined, env));`);
  const noSandbox =
    "Docker Sandbox cannot be used: docker is not on the PATH; the operating system's sandbox cannot be used: bwrap, socat, rg not found";
  expect(await said()).toMatchObject({ code: 0, said: [{ status: 'done', attempts: 1, noSandbox }] });
  expect(scene.read('task/TASK-MESSAGE-BUS.md')).toContain(`no sandbox: ${noSandbox}`);
});

test('the example runs, and prints what it promises', async () => {
  const scene = makeScene({ place: ON_DISK, play: '' });
  const env = { ...scene.env, TMPDIR: scene.folder };
  const example = join(ROOT, 'examples/sandboxed-loop.mjs');
  const { code, stdout } = await startProgram([process.execPath, example], { cwd: ROOT, env }).exited;
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'refused\ndone 1\n' });
});
