/** What starting costs: ralph's quick answers against node with nothing to do. */
import { compare, cpuOf, takeTurns } from '../measure.mjs';

/** Starts per measurement, because its clock ticks in milliseconds. */
const STARTS = 5;

export async function measureStartUp({ workspace, rounds }) {
  const env = workspace.environment(workspace.agent('small'));
  const times = workspace.scaled(STARTS);
  const starts = (...args) => {
    const loop = `i=0; while [ $i -lt ${times} ]; do "$@" || exit 1; i=$((i + 1)); done`;
    const argv = ['sh', '-c', loop, 'sh', process.execPath, ...args];
    return () => cpuOf({ argv, env, cwd: workspace.project }) / times;
  };
  const figures = await takeTurns(rounds, {
    node: starts('-e', '0'),
    version: starts(workspace.ralph, '--version'),
    help: starts(workspace.ralph, '--help'),
  });
  const floor = { name: 'node -e 0', figures: figures.node };
  return [
    compare({ name: 'ralph --version', unit: 'ms', figures: figures.version, floor, atMost: 1.15 }),
    compare({ name: 'ralph --help', unit: 'ms', figures: figures.help, floor, atMost: 1.5 }),
  ];
}
