/** Has V8 spend less on a loop's code. */
import { setFlagsFromString } from 'node:v8';

/**
 * Fifteen times what V8 has. The code of a loop runs a few times for each agent: to optimize it, in threads of its own, takes
 * more than it ever saves, and what they leave in memory makes each start of a program slower. What reads an agent's
 * output runs so often that it is optimized all the same.
 */
const RUNS_BEFORE_OPTIMIZING = '--interrupt-budget=1000000';

export function optimizeLater(): void {
  setFlagsFromString(RUNS_BEFORE_OPTIMIZING);
}
