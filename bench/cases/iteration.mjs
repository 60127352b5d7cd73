/** CPU of one iteration: the slope between a short and a long run, without the agent's own CPU. */
import { agentAlone, floorNode, floorTee, isTargetLevel, nodeFull, ralphRun, withoutLevels } from '../harnesses.mjs';
import { compare, takeTurns } from '../measure.mjs';
import { slopeOf } from '../slope.mjs';

const AT_MOST = 1.45;

/** For a machine without writable cgroups, such as most containers. */
const MOST_MS = 4;

const mostOf = (figures) =>
  compare({
    name: 'CPU per iteration, group, all of it',
    unit: 'ms',
    figures,
    floor: { name: 'goal', figures: figures.map(() => MOST_MS) },
    atMost: 1,
  });

export async function measureIteration({ workspace, rounds, levels }) {
  const agent = workspace.agent('small');
  const slope = (harness) => slopeOf(workspace, harness);
  const cases = {
    agent: slope((n) => agentAlone(workspace, agent, n)),
    'floor-tee': slope((n) => floorTee(workspace, agent, n)),
    'floor-node': slope((n) => floorNode(workspace, agent, n)),
    'node-full': slope((n) => nodeFull(workspace, agent, n)),
    ...Object.fromEntries(levels.map((level) => [level, slope((n) => ralphRun(workspace, agent, n, { level }))])),
    'in git': slope((n) => ralphRun(workspace, agent, n, { level: levels[0], cwd: workspace.repository })),
  };
  const { agent: own, ...others } = await takeTurns(rounds, cases);
  const net = (name) => others[name].map((cpu, round) => cpu - own[round]);
  const line = (name, shown, atMost = null) =>
    compare({
      name: shown,
      unit: 'ms',
      figures: net(name),
      floor: { name: 'node-full', figures: net('node-full') },
      atMost,
    });
  return [
    line('floor-tee', 'CPU per iteration, floor-tee'),
    line('floor-node', 'CPU per iteration, floor-node'),
    ...levels.map((level) => line(level, `CPU per iteration, ${level}`, isTargetLevel(level) ? AT_MOST : null)),
    ...levels.filter((level) => level === 'group').map((level) => mostOf(net(level))),
    line('in git', `CPU per iteration in git, ${levels[0]}`),
    ...withoutLevels('CPU per iteration', levels),
  ];
}
