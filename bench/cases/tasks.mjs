/** CPU of one restart of a task, with its run's folder, its report and its messages; without the agent's own CPU. */
import { agentAlone, floorNode, nodeFull, ralphRun, ralphTask } from '../harnesses.mjs';
import { compare, takeTurns } from '../measure.mjs';
import { slopeOf } from '../slope.mjs';

const AT_MOST = 2.5;

export async function measureTasks({ workspace, rounds, levels }) {
  const agent = workspace.agent('small');
  const slope = (harness) => slopeOf(workspace, harness);
  const [level = 'group'] = levels;
  const cases = {
    agent: slope((n) => agentAlone(workspace, agent, n)),
    'floor-node': slope((n) => floorNode(workspace, agent, n)),
    'node-full': slope((n) => nodeFull(workspace, agent, n)),
    'ralph run': slope((n) => ralphRun(workspace, agent, n, { level })),
    'ralph task': slope((n) => ralphTask(workspace, agent, n, { level })),
  };
  const { agent: own, ...others } = await takeTurns(rounds, cases);
  const net = (name) => others[name].map((cpu, round) => cpu - own[round]);
  const against = (floor, atMost = null) =>
    compare({
      name: `CPU per restart of a task, ${level}`,
      unit: 'ms',
      figures: net('ralph task'),
      floor: { name: floor, figures: net(floor) },
      atMost,
    });
  return [against('floor-node'), against('node-full', AT_MOST), against('ralph run')];
}
