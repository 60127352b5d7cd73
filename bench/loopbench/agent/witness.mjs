/** The agent's own log, by which LoopBench knows that a fault really happened: no harness writes to it. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

const { WITNESS } = process.env;

/** `at`: the time as this process sees it. `own`: milliseconds since the process started. */
export function log(did, more = {}) {
  const line = { did, pid: process.pid, at: Date.now(), own: performance.now(), ...more };
  appendFileSync(WITNESS, `${JSON.stringify(line)}\n`);
}

/** Calls for a commit message are not part of the plan. */
export function startsBefore() {
  if (!existsSync(WITNESS)) return 0;
  const lines = readFileSync(WITNESS, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line)).filter(({ did, purpose }) => did === 'start' && purpose === 'work')
    .length;
}

/** The commit that the work is based on: no harness may lose it later. */
export function headOf() {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    // A sandbox can hide the repository.
    return null;
  }
}
