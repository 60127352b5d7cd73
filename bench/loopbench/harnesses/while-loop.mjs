/** A plain while loop in bash: the baseline that every harness must beat. It has no resume: a person restarts it. */
import { join } from 'node:path';

const start = (_scene, { prompt, promptFile, checks, iterations, longestRunMs, agent }) => [
  'env',
  `PROMPT=${prompt}`,
  `PROMPT_FILE=${promptFile ?? ''}`,
  `CHECKS=${checks.join('\n')}`,
  `ITERATIONS=${iterations}`,
  `SECONDS_EACH=${longestRunMs / 1000}`,
  `AGENT=${agent}`,
  'bash',
  join(import.meta.dirname, 'while-loop.sh'),
];

export const whileLoop = {
  name: 'while loop',
  missing: () => null,
  prepare: () => undefined,
  start,
  resume: start,
  endingOf: (code) => (code === 0 ? 'done' : 'iterations'),
  iterationsOf: (starts) => starts.length,
  cgroupMarks: () => [],
};
