/**
 * The method: machines are shared and noisy, so cases take turns (A B C A B C …), every round gives a
 * ratio to the floor of that same round, and the median of the rounds counts. The main figure is the CPU
 * time of the whole process tree.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** User and system time, in milliseconds, of a command and all its descendants; bash reads it from the kernel. */
export function cpuOf({ argv, env, cwd, exitCode = 0 }) {
  const script = 'TIMEFORMAT="%3U %3S"; { time "$@" 2>/dev/null 3>&-; } 2>&3';
  const stdio = ['ignore', 'ignore', 'inherit', 'pipe'];
  const { status, error, output } = spawnSync('bash', ['-c', script, 'bash', ...argv], { env, cwd, stdio });
  if (error !== undefined) throw error;
  if (status !== exitCode) throw new Error(`${argv.join(' ')} ended with exit code ${status}, not ${exitCode}`);
  const [user, system] = String(output[3]).trim().split(' ').map(Number);
  return (user + system) * 1000;
}

/** In milliseconds, of a process's own threads, without its children. Only on Linux. */
export function cpuUntilNow(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return nanoseconds.reduce((sum, figure) => sum + figure, 0) / 1e6;
}

/** Runs the cases in turn, round after round. Returns the figures of each, one per round. */
export async function takeTurns(rounds, cases) {
  const figures = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, measure] of Object.entries(cases)) figures[name].push(await measure());
  }
  return figures;
}

/**
 * One line of the report: figures against those of a floor, round by round. `by` says how they are compared, `atMost`
 * is the target; without it, the line is for information.
 */
export function compare({ name, unit, figures, floor, by = 'ratio', atMost = null }) {
  const each = figures.map((figure, round) =>
    by === 'ratio' ? figure / floor.figures[round] : figure - floor.figures[round],
  );
  return {
    name,
    unit,
    figure: median(figures),
    floor: { name: floor.name, figure: median(floor.figures) },
    by,
    compared: { median: median(each), low: quantile(each, 0.25), high: quantile(each, 0.75) },
    atMost,
  };
}

export function median(figures) {
  return quantile(figures, 0.5);
}

function quantile(figures, share) {
  const sorted = [...figures].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return below + (above - below) * (at - Math.floor(at));
}
