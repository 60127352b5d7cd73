/** The built package as another program uses it: imported by its name, in a real process. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { installPackage, startConsumer } from '../../support/programs/library.ts';
import { processesOf } from '../../support/programs/processes.ts';
import { type Exited, startProgram } from '../../support/programs/program.ts';
import { bareProject, CLAUDE_DONE, KEEP_ARGUMENTS } from '../../support/run/bare-project.ts';
import { DONE, makeScene, ROOT } from '../../support/scene.ts';

const GUARDRAILS = [{ command: 'test "$(grep -c line work.txt)" -ge 2', failAction: 'APPEND' }];

describe('events', () => {
  test('come as an async iterable: every record in order, the agent’s words between them, and the result', async () => {
    const play = `echo "words $n"; echo line >>work.txt; ${DONE}`;
    const scene = makeScene({ play, settings: { guardrails: GUARDRAILS } });
    const exited = await startConsumer(
      scene,
      `const loop = run({ ...at, prompt: 'Work.', maximumIterations: 5 });
       for await (const event of loop) {
         if (event.type === 'record') say(event.record.key);
         if (event.type === 'progress' && event.event.type === 'text') say(event.event.text);
       }
       say(await loop.result);`,
    ).exited;
    expect(exited).toMatchObject({ code: 0, stderr: '' });
    const iteration = (n: number): string[] => [
      `${n}/inputs/1`,
      `${n}/work/1/start`,
      `words ${n}`,
      '<response>DONE</response>',
      `${n}/work/1/await`,
      `${n}/check/0`,
    ];
    const result = { kind: 'ended', ending: { kind: 'done' } };
    expect(linesOf(exited)).toEqual([...iteration(1), '1/wait', ...iteration(2), 'end', result]);
  });

  test('a claim is proved if the options ask for it, and passes after a resume with allowEdit', async () => {
    const scene = makeScene({ play: `echo true >check.test.sh; echo $n >work.txt; ${DONE}` });
    scene.write('work/check.test.sh', 'grep -q right work.txt\n');
    scene.git('add', '--all');
    scene.git('commit', '--quiet', '--message=A project');
    const exited = await startConsumer(
      scene,
      `const of = async (loop) => (await loop.result).ending.kind;
       const checks = ['sh check.test.sh'];
       say(await of(run({ ...at, prompt: 'Work.', checks, maximumIterations: 1, prove: { setup: 'true' } })));
       say(await of(resume({ ...at, allowEdit: ['check.test.sh'] })));
       say(await of(run({ ...at, prompt: 'Work.', checks, maximumIterations: 1, prove: false })));`,
    ).exited;
    expect(exited).toMatchObject({ code: 0, stderr: '' });
    expect(linesOf(exited)).toEqual(['iteration-limit', 'done', 'done']);
  });

  test('a slow reader loses no record, however much the agent prints', async () => {
    const scene = makeScene({
      play: `seq 1 30000; echo line >>work.txt; ${DONE}`,
      settings: { guardrails: GUARDRAILS },
    });
    const exited = await startConsumer(
      scene,
      `const loop = run({ ...at, prompt: 'Work.' });
       for await (const event of loop) {
         // The reader is asleep until the loop is over.
         await loop.result;
         if (event.type === 'record') say(event.record.seq);
       }`,
    ).exited;
    const [created, ...records] = scene.journal();
    expect(created?.result.kind).toBe('created');
    expect(linesOf(exited)).toEqual(records.map(({ seq }) => seq));
  });

  test('preflight gets warnings before the first agent starts, and errors keep it from starting', async () => {
    const scene = makeScene({ play: DONE });
    const warned = `const preflight = (found) => say(found.map(({ level, what }) => [level, what]));`;
    const check = `checks: ['no-such-program']`;
    const exited = await startConsumer(
      scene,
      `${warned} await run({ ...at, prompt: 'Work.', maximumIterations: 1, ${check}, preflight }).result;
       await run({ ...at, prompt: 'Work.', agent: 'no-such-agent', preflight }).result.catch(({ code }) => say(code));`,
    ).exited;
    const [warnings, ...others] = linesOf(exited);
    expect(warnings).toContainEqual(['warning', expect.stringContaining('no-such-program')]);
    expect(others.at(-1)).toBe('NO_AGENT');
    expect(scene.starts()).toEqual(['agent 1/work/1']);
  });

  test('a loop can start later, and work in its own worktree', async () => {
    const scene = makeScene({ play: `pwd; ${DONE}` });
    const program = `const options = { startAt: new Date(Date.now() + 2500), worktree: { branch: 'lib/one' } };
       const loop = run({ ...at, prompt: 'Work.', ...options });
       for await (const event of loop) if (event.type === 'record') say(event.record.key);`;
    const exited = await startConsumer(scene, program).exited;
    expect(exited).toMatchObject({ code: 0, stderr: '' });
    expect(linesOf(exited).slice(0, 3)).toEqual(['1/inputs/1', '1/again/1', '1/inputs/1']);
    expect(scene.git('worktree', 'list')).toContain('[lib/one]');
  });

  test('do not have to be read', async () => {
    const scene = makeScene({ play: DONE });
    const { code, stdout } = await startConsumer(scene, `say(await run({ ...at, prompt: 'Work.' }).result);`).exited;
    expect({ code, stdout }).toEqual({ code: 0, stdout: '{"kind":"ended","ending":{"kind":"done"}}\n' });
  });
});

describe('cancellation', () => {
  test('by an AbortSignal leaves nothing running, and the loop can be resumed', async () => {
    const family = 'setsid tail -f "$SCENE/work/work.txt" &';
    const scene = makeScene({ play: `${family} case $RALPH_KEY in */1) at_gate ;; esac; ${DONE}` });
    const consumer = startConsumer(
      scene,
      `const abort = new AbortController();
       const alive = setInterval(() => {}, 1000);
       const again = new Promise((resolve) => process.on('SIGUSR2', () => (abort.signal.aborted ? resolve() : abort.abort())));
       const loop = run({ ...at, prompt: 'Work.', signal: abort.signal });
       for await (const event of loop) if (event.type === 'record' && event.record.result.kind === 'started') say('started');
       say(await loop.result);
       await again;
       say(await resume(at).result);
       clearInterval(alive);`,
    );
    await consumer.says('started');
    await scene.logged('at gate 1/work/1');
    consumer.signal('SIGUSR2');
    await consumer.says('{"kind":"stopped"}');
    expect(processesOf(scene.folder).map(({ pid }) => pid)).toEqual([consumer.pid]);
    consumer.signal('SIGUSR2');
    expect(linesOf(await consumer.exited).at(-1)).toEqual({ kind: 'ended', ending: { kind: 'done' } });
    expect(scene.starts()).toEqual(['agent 1/work/1', 'at gate 1/work/1', 'agent 1/work/2']);
  });

  test('before the start starts nothing', async () => {
    const scene = makeScene({ play: DONE });
    const lines = `say(await run({ ...at, prompt: 'Work.', signal: AbortSignal.abort() }).result);`;
    expect(await startConsumer(scene, lines).exited).toMatchObject({ code: 0, stdout: '{"kind":"stopped"}\n' });
    expect(scene.starts()).toEqual([]);
  });
});

test('an agent, a model and checks are options; without settings they are detected', async () => {
  const scene = bareProject({ play: `${KEEP_ARGUMENTS}${CLAUDE_DONE}` });
  scene.write('work/Makefile', 'test:\n\ttrue\n');
  const paths = ['starts.log', 'prompts'].map((name) => join(scene.folder, name));
  const sandbox = `sandbox: { kind: 'os', allowWrite: ${JSON.stringify(paths)} }`;
  const options = `{ ...at, prompt: 'Work.', model: 'opus', asksForResponse: true, ${sandbox} }`;
  const lines = `for await (const { record } of run(${options})) if (record?.result.kind === 'inputs') say(record.result.inputs);`;
  const { code, stdout } = await startConsumer(scene, lines).exited;
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    agent: { command: 'claude', flags: ['--model', 'opus', '--dangerously-skip-permissions'] },
    guardrails: [{ command: 'make test' }],
  });
  expect(scene.promptOf('1/work/1')).toMatch(/^Work\.\n\nWhen everything is done/);
});

describe('errors are RalphErrors with a code', () => {
  const tell = (call: string): string =>
    `const tell = (error) => say([error instanceof RalphError, error.name, error.code, error.advice?.exitCode]);
     try { ${call} } catch (error) { tell(error); }`;

  test.each([
    ['thrown by the result', `await run({ ...at, promptFile: 'none' }).result`, 'PROMPT_FILE'],
    ['thrown where the events end', `for await (const _ of run({ ...at, promptFile: 'none' }));`, 'PROMPT_FILE'],
    ['no such agent', `await run({ ...at, prompt: 'x', agent: 'no-such', checks: ['true'] }).result`, 'NO_AGENT'],
    ['nothing to resume', 'await resume(at).result', 'NOTHING_TO_RESUME'],
    ['bad settings', `await run({ ...at, cwd: \`\${at.cwd}/bad\`, prompt: 'x' }).result`, 'SETTINGS'],
    ['a bad environment', `await run({ ...at, prompt: 'x', env: { RALPH_CONTAINMENT: 'x' } }).result`, 'ENVIRONMENT'],
  ])('%s', async (_title, call, code) => {
    const scene = makeScene({ play: DONE });
    await scene.shell('mkdir -p bad/.ralph; echo {} >bad/.ralph/settings.json');
    const exited = await startConsumer(scene, tell(call)).exited;
    expect(exited).toMatchObject({ code: 0, stderr: '' });
    expect(linesOf(exited)).toEqual([[true, 'RalphError', code, 2]]);
  });

  test('a missing work tree', async () => {
    const exited = await startConsumer(
      makeScene({ play: DONE }),
      tell(`await run({ cwd: 'none', prompt: 'x' }).result`),
    ).exited;
    expect(linesOf(exited)).toEqual([[true, 'RalphError', expect.any(String), 2]]);
  });

  test('a limit of zero, before an agent is started', async () => {
    const scene = makeScene({ play: DONE });
    const call = `say(await run({ ...at, prompt: 'x', maximumIterations: 0 }).result);`;
    expect(linesOf(await startConsumer(scene, tell(call)).exited)).toEqual([
      [true, 'RalphError', expect.any(String), 2],
    ]);
    expect(scene.starts()).toEqual([]);
  });

  test('an agent that is not installed is an ending, as on the command line', async () => {
    const scene = makeScene({ play: DONE, settings: { agent: { command: 'no-such-agent' } } });
    const exited = await startConsumer(scene, `say(await run({ ...at, prompt: 'Work.' }).result);`).exited;
    expect(linesOf(exited)).toMatchObject([{ kind: 'ended', ending: { kind: 'configuration' } }]);
  });
});

describe('types', () => {
  const CONSUMER = `
    import { EXIT_CODES, type Ending, type Loop, type LoopEvent, RalphError, type Recorded, type RunData, resume, run } from 'ralph-harness';
    const loop: Loop = run({ prompt: 'x', maximumIterations: 3, signal: AbortSignal.timeout(1), env: process.env, cwd: '.' });
    export async function main(): Promise<number> {
      for await (const event of loop) {
        const same: LoopEvent<RunData> = event;
        if (same.type === 'record') seq(same.record);
        else if (same.type === 'progress') console.log(same.event.type === 'text' ? same.event.text : same.run.iteration);
        else if (same.type === 'budget') console.log(same.use.of, same.use.used / same.use.limit);
        else console.log(same.action.do, same.state.data.inputs?.guardrails.length);
      }
      const driven = await resume({ loop: 'x' }).result.catch((error: unknown) => {
        if (error instanceof RalphError) console.error(error.code, error.advice.hint);
        throw error;
      });
      return driven.kind === 'stopped' ? 130 : codeOf(driven.ending);
    }
    const seq = (record: Recorded): number => record.seq;
    const codeOf = (ending: Ending): number => EXIT_CODES[ending.kind];
  `;

  test.each([
    ['nodenext', 'a right program', CONSUMER, 0, /^$/],
    ['bundler', 'a right program', CONSUMER, 0, /^$/],
    ['nodenext', 'a wrong option', CONSUMER.replace('maximumIterations: 3', "maximumIterations: '3'"), 1, /TS2322/],
  ])('are found and checked (%s): %s', async (resolution, _title, source, code, complaint) => {
    const scene = makeScene({ play: DONE });
    installPackage(scene);
    writeFileSync(join(scene.folder, 'package.json'), '{"type": "module"}');
    writeFileSync(join(scene.folder, 'consumer.ts'), source);
    const module = resolution === 'bundler' ? 'esnext' : resolution;
    const flags = ['--noEmit', '--strict', '--target', 'es2022', '--module', module, '--moduleResolution', resolution];
    const tsc = [process.execPath, join(ROOT, 'node_modules/typescript/bin/tsc'), ...flags, '--types', 'node'] as const;
    const exited = await startProgram([...tsc, 'consumer.ts'], { cwd: scene.folder, env: scene.env }).exited;
    expect(exited).toMatchObject({ code, stdout: expect.stringMatching(complaint) });
  });
});

function linesOf({ stdout }: Exited): unknown[] {
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as unknown);
}
