/** What one iteration costs in CPU: the slope between a short and a long run, without the agent's own. */
import { agentAlone, floorNode, floorTee, isTargetRung, nodeFull, ralphRun } from '../harnesses.mjs';
import { compare, takeTurns } from '../measure.mjs';
import { slopeOf } from '../slope.mjs';

const AT_MOST = 1.3;

export async function measureIteration({ workspace, rounds, rungs }) {
  const agent = workspace.agent('small');
  const slope = (harness) => slopeOf(workspace, harness);
  const cases = {
    agent: slope((n) => agentAlone(workspace, agent, n)),
    'floor-tee': slope((n) => floorTee(workspace, agent, n)),
    'floor-node': slope((n) => floorNode(workspace, agent, n)),
    'node-full': slope((n) => nodeFull(workspace, agent, n)),
    ...Object.fromEntries(rungs.map((rung) => [rung, slope((n) => ralphRun(workspace, agent, n, { rung }))])),
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
    ...rungs.map((rung) => line(rung, `CPU per iteration, ${rung}`, isTargetRung(rung) ? AT_MOST : null)),
  ];
}
