/** How long the machine stands without an agent: from one agent's exit to the start of the next. */
import { readFileSync, rmSync } from 'node:fs';
import { floorNode, isTargetLevel, nodeFull, ralphRun } from '../harnesses.mjs';
import { compare, cpuOf, median, takeTurns } from '../measure.mjs';

const ITERATIONS = 35;
/** The first iterations load code; a loop has that behind it when it matters. */
const WARM_UP = 10;
const AT_MOST = 1.5;

export async function measureGap({ workspace, rounds, levels }) {
  const agent = workspace.agent('small', { isTimed: true });
  const gap = (harness) => () => {
    workspace.clear();
    rmSync(workspace.times, { force: true });
    cpuOf(harness(workspace.scaled(ITERATIONS)));
    return median(gapsIn(readFileSync(workspace.times, 'utf8')).slice(workspace.scaled(WARM_UP) - 1));
  };
  const figures = await takeTurns(rounds, {
    'floor-node': gap((n) => floorNode(workspace, agent, n)),
    'node-full': gap((n) => nodeFull(workspace, agent, n)),
    ...Object.fromEntries(levels.map((level) => [level, gap((n) => ralphRun(workspace, agent, n, { level }))])),
  });
  const floor = { name: 'floor-node', figures: figures['floor-node'] };
  const line = (name, atMost) => compare({ name: `gap, ${name}`, unit: 'ms', figures: figures[name], floor, atMost });
  return [line('node-full', null), ...levels.map((level) => line(level, isTargetLevel(level) ? AT_MOST : null))];
}

/** In milliseconds, from lines of "start end" in nanoseconds since the machine's start: no number is too large. */
function gapsIn(times) {
  const runs = times
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map(Number));
  return runs.slice(1).map(([start], i) => (start - runs[i][1]) / 1e6);
}
