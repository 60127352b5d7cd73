/**
 * What a long loop leaves on the disk, per iteration: bytes and files of the loop's folder, between a short and a long run
 * whose agent prints nothing. And whether an iteration late in a loop costs as much CPU as an early one.
 */
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ralphRun } from '../harnesses.mjs';
import { compare, cpuOf, takeTurns } from '../measure.mjs';

const SHORT = 20;
const EARLY = 220;
const LATE = [2000, 2200];
const MOST_BYTES = 3 * 1024;
const MOST_FILES = 1;

export async function measureGrowth({ workspace, rounds, levels }) {
  const [level = 'group'] = levels;
  const cwd = join(workspace.output, 'growth');
  mkdirSync(join(cwd, '.ralph'), { recursive: true });
  writeFileSync(join(cwd, '.ralph', 'settings.json'), '{"agent": {"command": "true"}}');
  const run = (iterations) => {
    workspace.clear();
    const cpu = cpuOf({ ...ralphRun(workspace, workspace.agent('small'), iterations, { level }), cwd });
    return { cpu, ...sizeOf(join(workspace.state, 'ralph', 'loops')) };
  };
  const between = (from, to) => {
    const [short, long] = [from, to].map(workspace.scaled).map((count) => ({ count, ...run(count) }));
    const each = (figure) => (long[figure] - short[figure]) / (long.count - short.count);
    return { cpu: each('cpu'), bytes: each('bytes'), files: each('files') };
  };
  // A late iteration takes long to come to: fewer rounds than elsewhere.
  const { early, late } = await takeTurns(Math.min(rounds, 3), {
    early: () => between(SHORT, EARLY),
    late: () => between(...LATE),
  });
  const only = (name, figures) => figures.map((figure) => figure[name]);
  const goal = (most) => ({ name: 'goal', figures: early.map(() => most) });
  return [
    compare({
      name: 'bytes per iteration, nothing printed',
      unit: 'B',
      figures: only('bytes', early),
      floor: goal(MOST_BYTES),
      atMost: 1,
    }),
    compare({
      name: 'files per iteration, nothing printed',
      unit: '',
      figures: only('files', early),
      floor: goal(MOST_FILES),
      atMost: 1,
    }),
    compare({
      name: `CPU per iteration after ${LATE[0]}`,
      unit: 'ms',
      figures: only('cpu', late),
      floor: { name: 'of the first', figures: only('cpu', early) },
    }),
  ];
}

/** As a disk keeps it, in whole blocks. */
function sizeOf(folder) {
  const sizes = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(join(entry.parentPath, entry.name)).blocks * 512);
  return { bytes: sizes.reduce((sum, size) => sum + size, 0), files: sizes.length };
}
