/** The built package in another program: its loops in the operating system's sandbox. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ON_DISK } from '../../support/folder.ts';
import { installPackage, startConsumer } from '../../support/programs/library.ts';
import { processesOf } from '../../support/programs/processes.ts';
import { startProgram } from '../../support/programs/program.ts';
import { makeScene, ROOT } from '../../support/scene.ts';

const OWN = `allowWrite: ['~/starts.log', '~/prompts']`;

test('a run loop is in the sandbox that its options ask for, and tells what that refuses', async () => {
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

/** Runs these lines with a `RalphLoop` on `folder`; each thing that is said is one value. */
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

test('what a root runner runs in its place is in the sandbox: it can finish the task and gets no further', async () => {
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

test('without a sandbox it runs freely, and the signal ends it with all that it started', async () => {
  const { scene, program, said } = await inLoop(`
    const stop = new AbortController();
    const runRoot = (signal, attempt, place) =>
      place.run(['sh', '-c', 'touch "$SCENE/outside"; setsid sleep 1000 & echo begun; wait'], { onOutput: () => stop.abort(new Error('enough')) });
    await loop({ runRoot }).run(stop.signal).catch((error) => say(error.message));`);
  expect(await said()).toEqual({ code: 0, stderr: '', said: ['enough'] });
  expect(existsSync(join(scene.folder, 'outside'))).toBe(true);
  expect(processesOf(scene.folder).filter(({ pid }) => pid !== program.pid)).toEqual([]);
});

test('a sandbox that cannot be had rejects before anything is made', async () => {
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

test('the strongest sandbox, where there is none, is told of on the bus and in the result', async () => {
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

test('the example runs, and prints what it says that it prints', async () => {
  const scene = makeScene({ place: ON_DISK, play: '' });
  const env = { ...scene.env, TMPDIR: scene.folder };
  const example = join(ROOT, 'examples/sandboxed-loop.mjs');
  const { code, stdout } = await startProgram([process.execPath, example], { cwd: ROOT, env }).exited;
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'refused\ndone 1\n' });
});
