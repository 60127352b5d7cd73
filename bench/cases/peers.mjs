/**
 * What other installed harnesses cost: CPU per iteration and the pause between two agents, beside ralph's. All of them
 * work in a git repository.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { agentAlone, floorNode, nodeFull, ralphRun } from '../harnesses.mjs';
import { compare, takeTurns } from '../measure.mjs';
import { PEERS } from '../peers/index.mjs';
import { slopeOf } from '../slope.mjs';
import { gapOf } from './gap.mjs';

/** Peers start slower than the floors, and two digits are the best precision. */
const TURNS = { short: 5, long: 25 };

export async function measurePeers({ workspace, rounds, levels }) {
  const reasons = new Map(PEERS.map((peer) => [peer, peer.missing()]));
  const absent = PEERS.filter((peer) => reasons.get(peer) !== null);
  const left = absent.map((peer) => ({ name: `peer ${peer.name}`, leftOut: reasons.get(peer) }));
  const peers = PEERS.filter((peer) => !absent.includes(peer));
  if (peers.length === 0) return left;
  const context = { workspace, rounds, level: levels[0] ?? 'group', peers };
  return [...left, ...(await cpuLines(context)), ...(await gapLines(context))];
}

async function cpuLines({ workspace, rounds, level, peers }) {
  const agent = workspace.agent('small');
  const slope = (harness, turns = TURNS) => slopeOf(workspace, harness, turns);
  const cases = {
    agent: slope((n) => agentAlone(workspace, agent, n)),
    'node-full': slope((n) => nodeFull(workspace, agent, n)),
    ralph: slope((n) => ralphRun(workspace, agent, n, { level, cwd: workspace.repository })),
    ...Object.fromEntries(peers.map((peer) => [peer.name, slope(playedBy(peer, workspace, agent), peer.turns)])),
  };
  const { agent: own, ...others } = await takeTurns(rounds, cases);
  const net = (name) => others[name].map((cpu, round) => cpu - own[round]);
  const floor = { name: 'node-full', figures: net('node-full') };
  return named(peers, (name, shown) =>
    compare({ name: `CPU per iteration, ${shown}`, unit: 'ms', figures: net(name), floor }),
  );
}

async function gapLines({ workspace, rounds, level, peers }) {
  const agent = workspace.agent('small', { isTimed: true });
  const gap = (harness, { long } = TURNS) =>
    gapOf(workspace, harness, { iterations: long, warmUp: Math.ceil(long / 5) });
  const cases = {
    'floor-node': gap((n) => floorNode(workspace, agent, n)),
    ralph: gap((n) => ralphRun(workspace, agent, n, { level, cwd: workspace.repository })),
    ...Object.fromEntries(peers.map((peer) => [peer.name, gap(playedBy(peer, workspace, agent), peer.turns)])),
  };
  const figures = await takeTurns(rounds, cases);
  const floor = { name: 'floor-node', figures: figures['floor-node'] };
  return named(peers, (name, shown) => compare({ name: `gap, ${shown}`, unit: 'ms', figures: figures[name], floor }));
}

function named(peers, line) {
  return [line('ralph', 'ralph'), ...peers.map((peer) => line(peer.name, `${peer.name} ${peer.version()}`.trim()))];
}

/** In its own empty repository, which is created for each run. */
function playedBy(peer, workspace, agent) {
  return (iterations) => {
    const project = join(workspace.state, 'peer');
    mkdirSync(project);
    execFileSync('git', ['init', '-q', project]);
    const env = workspace.environment(agent);
    const run = { project, iterations, agent, env };
    peer.prepare(project, run);
    return { argv: peer.argv(run), env, cwd: project, exitCode: peer.exitCode };
  };
}
