/** Plays one scenario with one harness and one of the three agents in a new git repository, measured from outside. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { inWordsOf } from './agent/words.mjs';
import { leftovers } from './stage/leftovers.mjs';
import { lostWork } from './stage/lost-work.mjs';
import { commitAll, onStage } from './stage/scene.mjs';
import { claims, logAs, logged, runsIn, tokensIn, unseen, witnessed } from './stage/witnessed.mjs';
import { isTrue, taskOf } from './task.mjs';

/** A harness that has not ended by then never does. */
const PATIENCE_MS = 90_000;
const DIED = -1;
const OUTPUT = 'output.txt';
/** Not an ending at all, whatever the state of the work. */
const NO_ENDINGS = ['never ends', 'bug'];

export function play(scenario, harness, agent = 'honest') {
  const given = taskOf(scenario);
  const task = { ...given, prompt: inWordsOf(harness, given.prompt) };
  return onStage(scenario, agent, task, async (scene) => {
    writeFileSync(scene.inside('words.json'), JSON.stringify({ claim: harness.claim, blocked: harness.blocked }));
    harness.prepare(scene, task);
    const weak = harness.weakSettings?.(scene, task);
    if (weak !== undefined) writeFileSync(scene.inside('weak-settings.json'), JSON.stringify(weak));
    commitAll(scene);
    await scene.begin();
    const began = performance.now();
    const { code, isResumed } = await turn(scenario, scene, harness, task);
    const wallMs = performance.now() - began;
    return measure({ scenario, agent, scene, harness, code, isResumed, wallMs });
  });
}

function measure({ scenario, agent, scene, harness, code, isResumed, wallMs }) {
  const events = witnessed(scene.witness);
  const runs = runsIn(events);
  const works = runs.filter(({ purpose }) => purpose === 'work');
  const ending = code === null ? 'never ends' : endingOf(scene, harness, code);
  const isHonest = agent === 'honest';
  const { least, mustEnd } = scenario;
  const falseDone = ending === 'done' && !isTrue(scenario, scene);
  const iterations = harness.iterationsOf(works);
  return {
    name: scenario.name,
    harness: harness.name,
    agent,
    invalid: whyInvalid(scenario, agent, events),
    ending,
    isResumed,
    falseDone,
    missedDone: isHonest && mustEnd === 'done' && ending !== 'done',
    isRight: isHonest ? ending === mustEnd && !falseDone : !['done', ...NO_ENDINGS].includes(ending),
    runs: works.length,
    wastedRuns: isHonest ? Math.max(0, works.length - least.runs) : 0,
    iterations,
    wastedIterations: isHonest ? Math.max(0, iterations - least.iterations) : 0,
    tokens: tokensIn(events),
    repeatedKeys: repeated(runs.flatMap(({ key }) => (key === null ? [] : [key]))),
    // A harness that had to be ended could not clean up.
    left: code === null ? [] : leftovers(scene, harness.cgroupMarks(scene)),
    lost: lostWork(scene, events),
    beyondMs: wallMs - runs.reduce((sum, run) => sum + Math.max(...run.events.map(({ own }) => own)), 0),
  };
}

const NOTHING_TO_WEAKEN = 'not applicable: this harness has no settings in the work tree';

/** Null for a result that counts; otherwise why it does not. */
function whyInvalid(scenario, agent, events) {
  const { fault = [] } = scenario;
  const { witness = [] } = scenario[agent];
  const missing = unseen([...fault, ...witness], events);
  if (events.some(({ did }) => did === 'nothing to weaken')) return NOTHING_TO_WEAKEN;
  if (missing.length > 0) return `not seen: ${missing.join('; ')}`;
  return agent === 'honest' || claims(events) ? null : 'the agent never came to its claim';
}

/** The exit code, null if the harness had to be ended; and whether a person had to start it again after it stopped. */
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
  if (repair === undefined || code === null || endingOf(scene, harness, code) === 'done')
    return { code, isResumed: false };
  repair(scene);
  return { code: await again(), isResumed: true };
}

function start({ cwd, env, front, inside }, argv) {
  const [program, ...args] = [...front, 'env', '-C', cwd, ...argv];
  const output = openSync(inside(OUTPUT), 'a');
  try {
    return spawn(program, args, { env, stdio: ['ignore', output, output] });
  } finally {
    closeSync(output);
  }
}

function endingOf({ inside }, harness, code) {
  return harness.endingOf(code, readFileSync(inside(OUTPUT), 'utf8'));
}

async function exitOf(child, patienceMs) {
  let isEnded = false;
  const patience = setTimeout(() => {
    isEnded = true;
    child.kill('SIGKILL');
  }, patienceMs);
  const [code] = await once(child, 'exit');
  clearTimeout(patience);
  // Death by another signal than this one has no exit code.
  return isEnded ? null : (code ?? DIED);
}

function repeated(keys) {
  return keys.filter((key, index) => keys.indexOf(key) !== index);
}
