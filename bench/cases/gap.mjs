/** How long no agent runs: from the exit of one agent to the start of the next. */
import { readFileSync, rmSync } from 'node:fs';
import { floorNode, nodeFull, ralphRun, withoutLevels } from '../harnesses.mjs';
import { compare, cpuOf, median, takeTurns } from '../measure.mjs';

/** Leaves out the first iterations, which load code. */
const BUSY = { name: 'gap', iterations: 35, warmUp: 10 };
/** 20 lines. After some 30 ms of idleness, the kernel has to set up again what it otherwise does quickly. */
const RESTED = { name: 'gap after 40 ms of work', iterations: 15, warmUp: 5, lineMs: 2 };
/** `group` is for a machine without writable cgroups, where a run's leftovers are searched for in the process table. */
const AT_MOST = { cgroup: 1.5, group: 4 };

export async function measureGap(context) {
  return [...(await gapLines(context, BUSY)), ...(await gapLines(context, RESTED))];
}

async function gapLines({ workspace, rounds, levels }, { name, iterations, warmUp, lineMs = null }) {
  const agent = workspace.agent(lineMs === null ? 'small' : 'silent', { isTimed: true, lineMs });
  const gap = (harness) => gapOf(workspace, harness, { iterations, warmUp });
  const figures = await takeTurns(rounds, {
    'floor-node': gap((n) => floorNode(workspace, agent, n)),
    'node-full': gap((n) => nodeFull(workspace, agent, n)),
    ...Object.fromEntries(levels.map((level) => [level, gap((n) => ralphRun(workspace, agent, n, { level }))])),
    'in git': gap((n) => ralphRun(workspace, agent, n, { level: levels[0], cwd: workspace.repository })),
  });
  const floor = { name: 'floor-node', figures: figures['floor-node'] };
  const line = (each, atMost) =>
    compare({ name: `${name}, ${each}`, unit: 'ms', figures: figures[each], floor, atMost });
  return [
    line('node-full', null),
    ...levels.map((level) => line(level, AT_MOST[level] ?? null)),
    line('in git', null),
    ...withoutLevels(name, levels),
  ];
}

/** Measures the median pause of a harness; `harness` gives the command for a number of runs of a timed agent. */
export function gapOf(workspace, harness, { iterations, warmUp }) {
  return () => {
    workspace.clear();
    rmSync(workspace.times, { force: true });
    cpuOf(harness(Math.max(2, workspace.scaled(iterations))));
    return median(gapsIn(readFileSync(workspace.times, 'utf8')).slice(workspace.scaled(warmUp) - 1));
  };
}

/** In milliseconds, from lines of "start end" in nanoseconds since boot, which fit into a number. */
function gapsIn(times) {
  const runs = times
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map(Number));
  return runs.slice(1).map(([start], i) => (start - runs[i][1]) / 1e6);
}
