/** Resuming a long loop: the time until its agent starts, and ralph's peak memory over the run of two iterations. */
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { leaveLongLoop, ralphResume } from '../long-loop.mjs';
import { compare, takeTurns } from '../measure.mjs';
import { highestMegabytes, peakOf } from './memory.mjs';

const LONG = 8000;
const SHORT = 4;
/** Milliseconds until the agent starts, and megabytes. */
const GOAL = { ms: 180, peak: 80 };

export async function measureResume({ workspace, rounds, levels }) {
  if (!existsSync('/proc/self/status')) return [{ name: 'resume', leftOut: 'only Linux tells a peak of memory' }];
  const [level = 'group'] = levels;
  const agent = workspace.agent('small', { isTimed: true });
  const resumed = (iterations) => {
    const kept = join(workspace.output, `resumed-${iterations}`);
    const id = leaveLongLoop(workspace, agent, iterations, { level });
    cpSync(workspace.state, kept, { recursive: true });
    return async () => {
      workspace.clear();
      cpSync(kept, workspace.state, { recursive: true });
      rmSync(workspace.times, { force: true });
      return startOf(ralphResume(workspace, agent, id, iterations + 2, { level }), workspace.times);
    };
  };
  const figures = await takeTurns(rounds, { short: resumed(SHORT), long: resumed(workspace.scaled(LONG)) });
  const only = (name, of) => figures[of].map((figure) => figure[name]);
  const lines = (what, name, unit) => [
    compare({
      name: `${what}, ${LONG} iterations`,
      unit,
      figures: only(name, 'long'),
      floor: { name: 'goal', figures: only(name, 'long').map(() => GOAL[name]) },
      atMost: 1,
    }),
    compare({
      name: `${what}, against ${SHORT} iterations`,
      unit,
      figures: only(name, 'long'),
      floor: { name: `of ${SHORT}`, figures: only(name, 'short') },
      by: 'difference',
    }),
  ];
  return [...lines('resume to the first agent', 'ms', 'ms'), ...lines('peak memory of a resume', 'peak', 'MB')];
}

async function startOf(command, times) {
  // Since boot, like the times of the agent.
  const began = Number(process.hrtime.bigint()) / 1e6;
  const peak = await peakOf(command, highestMegabytes);
  const [start] = readFileSync(times, 'utf8').split(' ').map(Number);
  return { ms: start / 1e6 - began, peak };
}
