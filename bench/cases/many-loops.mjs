/** What lists cost with a thousand registered loops, against node with nothing to do. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from '../bundle.mjs';
import { compare, cpuOf, takeTurns } from '../measure.mjs';

const LOOPS = 1000;

export async function measureManyLoops({ workspace, rounds }) {
  const env = { ...workspace.environment(workspace.agent('small')), XDG_STATE_HOME: join(workspace.output, 'many') };
  const count = workspace.scaled(LOOPS);
  const folder = join(workspace.output, 'many-loops');
  mkdirSync(folder);
  const { idOf, leaveLoops } = await bundle(folder, ['test/support/loops/many-loops.ts']);
  leaveLoops(join(env.XDG_STATE_HOME, 'ralph'), count, workspace.project);
  const start =
    (...args) =>
    () =>
      cpuOf({ argv: [process.execPath, ...args], env, cwd: workspace.project });
  const figures = await takeTurns(rounds, {
    node: start('-e', '0'),
    all: start(workspace.ralph, 'ls', '--all'),
    here: start(workspace.ralph, 'ls'),
    status: start(workspace.ralph, 'status', idOf('stories', 1)),
    // Its status.json is missing.
    folded: start(workspace.ralph, 'status', idOf('run', 0)),
    newest: start(workspace.ralph, 'status'),
    gc: start(workspace.ralph, 'gc', '--dry-run'),
  });
  const floor = { name: 'node -e 0', figures: figures.node };
  const line = (name, figure, atMost = null) =>
    compare({ name: `${name}, ${LOOPS} loops`, unit: 'ms', figures: figure, floor, atMost });
  return [
    line('ralph ls --all', figures.all),
    line('ralph ls', figures.here, 2),
    line('ralph status <id>', figures.status, 1.5),
    line('ralph status <id>, from the journal', figures.folded),
    line('ralph status, the newest here', figures.newest, 1.5),
    line('ralph gc --dry-run', figures.gc),
  ];
}
