/** CPU of a loop when twenty run at once, against one alone: they share cores and the disk, but no lock. */
import { cpSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ralphRun } from '../harnesses.mjs';
import { compare, cpuOf, takeTurns } from '../measure.mjs';

const LOOPS = 20;
const ITERATIONS = 20;
const AT_MOST = 1.2;

/** Each in its own folder. All must end as a single one would. */
const ALL = [
  'for folder in "$LOOPS_IN"/*; do ( cd "$folder" && exec "$@" ) & all="$all $!"; done',
  'for each in $all; do wait "$each"; [ $? = "$CODE" ] || exit 99; done',
].join('\n');

export async function measureAtOnce({ workspace, rounds, levels }) {
  const agent = workspace.agent('small');
  const [level = 'group'] = levels;
  const iterations = workspace.scaled(ITERATIONS);
  const projects = (count, from) => {
    const folder = join(workspace.output, `at-once-${count}-${basename(from)}`);
    for (let number = 0; number < count; number++) {
      mkdirSync(join(folder, String(number)), { recursive: true });
      cpSync(from, join(folder, String(number)), { recursive: true });
    }
    return folder;
  };
  const cpuPerLoop = (count, from = workspace.project) => {
    const { argv, env, exitCode } = ralphRun(workspace, agent, iterations, { level });
    const folder = projects(count, from);
    return () => {
      workspace.clear();
      const all = { ...env, LOOPS_IN: folder, CODE: String(exitCode) };
      return cpuOf({ argv: ['sh', '-c', ALL, 'sh', ...argv], env: all, cwd: folder }) / count;
    };
  };
  const { repository } = workspace;
  const figures = await takeTurns(rounds, {
    alone: cpuPerLoop(1),
    together: cpuPerLoop(LOOPS),
    'alone in git': cpuPerLoop(1, repository),
    'together in git': cpuPerLoop(LOOPS, repository),
  });
  const line = (name, together, alone) =>
    compare({ name, unit: 'ms', figures: together, floor: { name: 'alone', figures: alone }, atMost: AT_MOST });
  return [
    line(`CPU per loop, ${LOOPS} at once`, figures.together, figures.alone),
    line(`CPU per loop in git, ${LOOPS} at once`, figures['together in git'], figures['alone in git']),
  ];
}
