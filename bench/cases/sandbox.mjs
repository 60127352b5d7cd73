/**
 * What an iteration takes longer in a sandbox than without one, in time on the clock: against `ralph run` without, and
 * beside what the same namespaces cost by themselves. Runs of an agent take minutes; this is what they pay at their start.
 */
import { spawnSync } from 'node:child_process';
import { compare, takeTurns } from '../measure.mjs';

const ITERATIONS = 5;
const NAMESPACES = ['--unshare-user', '--unshare-pid', '--unshare-net', '--ro-bind', '/', '/', '--dev', '/dev'];

export async function measureSandbox({ workspace, rounds }) {
  if (process.platform !== 'linux' || !runs(['bwrap', ...NAMESPACES, '--proc', '/proc', '--', 'true'])) {
    return [{ name: 'sandbox', leftOut: 'bubblewrap is not there, or may make no namespaces' }];
  }
  const env = workspace.environment(workspace.agent('small'));
  const clock = (argv, { times, exitCode }) => {
    const began = performance.now();
    const { status } = spawnSync(argv[0], argv.slice(1), { env, cwd: workspace.project, stdio: 'ignore' });
    if (status !== exitCode) throw new Error(`${argv.join(' ')} ended with exit code ${status}, not ${exitCode}`);
    return (performance.now() - began) / times;
  };
  const loop = (...flags) => {
    workspace.clear();
    const times = workspace.scaled(ITERATIONS);
    const argv = [process.execPath, workspace.ralph, 'run', '-p', 'x', '-m', String(times), ...flags];
    // The agent never says that it is done.
    return clock(argv, { times, exitCode: 1 });
  };
  const figures = await takeTurns(rounds, {
    free: () => loop(),
    os: () => loop('--sandbox=os'),
    bwrap: () => clock(['bwrap', ...NAMESPACES, '--proc', '/proc', '--', 'true'], { times: 1, exitCode: 0 }),
    true: () => clock(['true'], { times: 1, exitCode: 0 }),
  });
  const free = { name: 'without', figures: figures.free };
  const nothing = { name: 'true', figures: figures.true };
  return [
    compare({ name: 'iteration, --sandbox=os', unit: 'ms', figures: figures.os, floor: free, by: 'difference' }),
    compare({ name: '  its namespaces alone', unit: 'ms', figures: figures.bwrap, floor: nothing, by: 'difference' }),
    { name: 'iteration, --sandbox', leftOut: 'it needs Docker Desktop, which was never there' },
  ];
}

function runs([program, ...args]) {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}
