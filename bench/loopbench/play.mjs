/** Plays one scenario with one harness in a new git repository, and measures it from outside. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jumpLater } from './stage/clock.mjs';
import { endAll, leftovers } from './stage/leftovers.mjs';
import { lostWork } from './stage/lost-work.mjs';
import { startModel } from './stage/model.mjs';
import { AGENT, commitAll, makeScene } from './stage/scene.mjs';
import { logAs, logged, runsIn, whyInvalid, witnessed } from './stage/witnessed.mjs';

const PROMPT = `Write the answer into answer.txt. When it is there, answer <response>DONE</response>.
If you can not go on without a person, answer <response>BLOCKED: why</response>.`;

/** What every harness is told, unless the scenario says otherwise. `longestRunMs`: no honest run takes longer. */
const TASK = {
  prompt: PROMPT,
  promptFile: null,
  checks: [],
  protect: [],
  iterations: 4,
  hangAfterMs: null,
  longestRunMs: 10_000,
  maxTokens: null,
  maxTimeMs: null,
  agent: AGENT,
  fallbackModel: null,
  endsWhenStuck: false,
};
/** A harness that has not come to an end by then never does. */
const PATIENCE_MS = 90_000;
const DIED = -1;

export async function play(scenario, harness) {
  const task = { ...TASK, ...scenario.task };
  const scene = await makeScene({ ...scenario, files: filesOf(scenario, task) });
  let model;
  try {
    harness.prepare(scene, task);
    commitAll(scene);
    const { machine = {} } = scenario;
    if (machine.model !== undefined) model = await startModel(scene, machine.model);
    if (machine.clock?.jumps !== undefined) void jumpLater(scene, machine.clock);
    const began = performance.now();
    const { code, isResumed } = await turn(scenario, scene, harness, task);
    const wallMs = performance.now() - began;
    return measure({ scenario, scene: { ...scene, ours: [model?.pid] }, harness, code, isResumed, wallMs });
  } finally {
    await model?.close();
    endAll(scene);
    await scene.close();
  }
}

function measure({ scenario, scene, harness, code, isResumed, wallMs }) {
  const events = witnessed(scene.witness);
  const runs = runsIn(events);
  const works = runs.filter(({ purpose }) => purpose === 'work');
  const ending = code === null ? 'never ends' : harness.endingOf(code);
  const { least, mustEnd } = scenario;
  const read = (path) => textOf(join(scene.work, path));
  const isTrue = scenario.isTrue?.(read) ?? read('answer.txt').trim() === '42';
  const falseDone = ending === 'done' && !isTrue;
  const iterations = harness.iterationsOf(works);
  return {
    name: scenario.name,
    harness: harness.name,
    invalid: whyInvalid(scenario, events),
    ending,
    isResumed,
    falseDone,
    missedDone: ending !== 'done' && mustEnd === 'done',
    isRight: ending === mustEnd && !falseDone,
    runs: works.length,
    wastedRuns: Math.max(0, works.length - least.runs),
    iterations,
    wastedIterations: Math.max(0, iterations - least.iterations),
    repeatedKeys: repeated(runs.flatMap(({ key }) => (key === null ? [] : [key]))),
    // One that had to be ended could not clean up.
    left: code === null ? [] : leftovers(scene, harness.cgroupMarks(scene)),
    lost: lostWork(scene, events),
    beyondMs: wallMs - runs.reduce((sum, run) => sum + Math.max(...run.events.map(({ own }) => own)), 0),
  };
}

function filesOf({ files }, { promptFile, prompt }) {
  return promptFile === null ? files : { ...files, [promptFile]: `${prompt}\n` };
}

/** Empty for one that is not there. */
function textOf(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** The exit code, null where it had to be ended; and whether a person had to start it again after it had stopped by itself. */
async function turn({ kill, repair, patienceMs = PATIENCE_MS }, scene, harness, task) {
  const again = () => exitOf(start(scene, harness.resume(scene, task)), patienceMs);
  const first = start(scene, harness.start(scene, task));
  const ended = exitOf(first, patienceMs);
  if (kill !== undefined) {
    await Promise.race([logged(scene, kill.atLog), ended]);
    first.kill('SIGKILL');
    if ((await ended) === DIED) logAs(scene, 'harness killed');
    return { code: await again(), isResumed: false };
  }
  const code = await ended;
  if (repair === undefined || code === null || harness.endingOf(code) === 'done') return { code, isResumed: false };
  repair(scene);
  return { code: await again(), isResumed: true };
}

function start({ cwd, env, front }, argv) {
  const [program, ...args] = [...front, 'env', '-C', cwd, ...argv];
  return spawn(program, args, { env, stdio: 'ignore' });
}

async function exitOf(child, patienceMs) {
  let isEnded = false;
  const patience = setTimeout(() => {
    isEnded = true;
    child.kill('SIGKILL');
  }, patienceMs);
  const [code] = await once(child, 'exit');
  clearTimeout(patience);
  // Death by a signal that was not ours is no exit code of its own.
  return isEnded ? null : (code ?? DIED);
}

function repeated(keys) {
  return keys.filter((key, index) => keys.indexOf(key) !== index);
}
