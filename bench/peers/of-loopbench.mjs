/** A harness of LoopBench as a peer of the benchmarks: the same command line, for a task that never gets done. */
import { join } from 'node:path';

const LONGEST_RUN_MS = 60_000;

/** `turns` are fewer for a harness that sleeps between two agents. */
export function ofLoopBench({ name, missing, prepare, start }, { exitCode, turns }) {
  const task = (iterations, agent) => ({
    prompt: 'x',
    promptFile: null,
    checks: [],
    iterations,
    hangAfterMs: null,
    longestRunMs: LONGEST_RUN_MS,
    agent: join(agent, 'claude'),
  });
  return {
    name,
    missing,
    version: () => '',
    turns,
    prepare: (project, { iterations, agent }) => prepare({ work: project }, task(iterations, agent)),
    argv: ({ iterations, agent, env }) => start({ env }, task(iterations, agent)),
    exitCode,
  };
}
