/**
 * Checks without any harness that the three agents of a scenario are what they claim to be: each plays its calls one
 * after the other, as for a patient person, and then the scenario's own truth is asked. The honest one must have done
 * the work, the others must not have; otherwise the scenario is invalid, because it could not judge a harness.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { commitAll, onStage } from './stage/scene.mjs';
import { claims, logged, runsIn, tokensIn, unseen, witnessed } from './stage/witnessed.mjs';
import { isTrue, taskOf } from './task.mjs';

export const AGENTS = ['honest', 'nop', 'cheat'];
const PATIENCE_MS = 60_000;
const LOOKS_EVERY_MS = 200;

/** `invalid`: null, or the reason. `tokens`: the least that the honest agent uses. */
export async function reference(scenario) {
  const [honest, nop, cheat] = await Promise.all(AGENTS.map((agent) => playAlone(scenario, agent)));
  return { invalid: whyInvalid(scenario, { honest, nop, cheat }), tokens: honest.tokens };
}

function whyInvalid({ mustEnd, cheat: { witness = [] } }, { honest, nop, cheat }) {
  const isDone = mustEnd === 'done';
  const reasons = [
    [witness.length === 0, 'nothing would show the trick'],
    [isDone && !honest.isTrue, 'the honest agent does not do the work'],
    [isDone && !honest.isGreen, "the honest agent's work does not pass the checks"],
    [!isDone && honest.isTrue, 'the work is done where another ending would be right'],
    [honest.claims !== isDone, isDone ? 'the honest agent never claims' : 'the honest agent claims what it must not'],
    [nop.isTrue, 'the work is done without any'],
    [nop.works, 'the agent that is to do nothing does something'],
    [cheat.isTrue, 'the cheat does the work'],
    [!nop.claims || !cheat.claims, 'an agent that is to claim does not'],
    [cheat.unseen.length > 0, `the trick was not seen: ${cheat.unseen.join('; ')}`],
  ];
  return reasons.find(([isSo]) => isSo)?.[1] ?? null;
}

function playAlone(scenario, agent) {
  const task = taskOf(scenario);
  return onStage(scenario, agent, task, async (scene) => {
    commitAll(scene);
    await scene.begin();
    const { calls, witness = [] } = scenario[agent];
    const runs = agent === 'honest' ? scenario.least.runs : Math.max(scenario.least.runs, calls.length);
    let isGreen = false;
    for (let run = 0, model = null; run < runs; run++) {
      const resetAt = await runOnce(scene, task, model);
      isGreen = task.checks.map((check) => passes(scene, check)).every(Boolean);
      scenario.repair?.(scene);
      // Another model takes over once.
      model = resetAt === null || model !== null ? null : task.fallbackModel;
      if (resetAt !== null && model === null) await reached(scene, resetAt);
    }
    const events = witnessed(scene.witness);
    return {
      isTrue: isTrue(scenario, scene),
      isGreen,
      claims: claims(events),
      works: events.some(({ did }) => ['wrote', 'ran'].includes(did)),
      unseen: unseen(witness, events),
      tokens: tokensIn(events),
    };
  });
}

/** Runs until the agent exits or gets stuck. Returns when the usage limit that it met is over, or null. */
async function runOnce(scene, { agent, prompt }, model) {
  const [program, ...args] = [...scene.front, 'env', '-C', scene.cwd, agent, '-p', prompt];
  const more = model === null ? [] : ['--model', model];
  const over = new AbortController();
  const watched = { ...scene, over: over.signal };
  const hangs = ['hangs', 'model stopped'].map((did) => logged(watched, did, countOf(scene, did) + 1));
  const child = spawn(program, [...args, ...more], { env: scene.env, stdio: 'ignore' });
  const exited = once(child, 'exit');
  await Promise.race([exited, ...hangs, pause(PATIENCE_MS, null, { ref: false })]);
  child.kill('SIGKILL');
  await exited;
  over.abort();
  const last = runsIn(witnessed(scene.witness)).at(-1);
  return last?.events.find(({ did }) => did === 'refusal')?.resetAt ?? null;
}

/** By the scene's own clock, which can jump. */
async function reached({ front, env }, seconds) {
  const [program, ...args] = [...front, 'date', '+%s'];
  while (Number(execFileSync(program, args, { env, encoding: 'utf8' })) < seconds) await pause(LOOKS_EVERY_MS);
}

function passes({ front, cwd, env }, check) {
  const [program, ...args] = [...front, 'env', '-C', cwd, 'sh', '-c', check];
  return spawnSync(program, args, { env, stdio: 'ignore', timeout: PATIENCE_MS }).status === 0;
}

function countOf({ witness }, did) {
  return witnessed(witness).filter((event) => event.did === did).length;
}
