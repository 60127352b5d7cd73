/**
 * What a long loop leaves on the disk per iteration: bytes and files of the loop's folder, between a short and a long
 * run whose agent prints and changes nothing, outside of git and in a repository. And whether an iteration after ten
 * thousand others costs as much CPU as an early one, and whether memory grows.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ralphRun } from '../harnesses.mjs';
import { leaveLongLoop, ralphResume } from '../long-loop.mjs';
import { compare, cpuOf, takeTurns } from '../measure.mjs';
import { highestMegabytes, peakOf } from './memory.mjs';

const SHORT = 20;
const LONG = 220;
const LATE = 10_000;
/** Iterations after those. The first hundreds fill the heap that V8 takes; then a leak of 2 KB per iteration shows. */
const SETTLED = 520;
const LATER = 2520;
const MOST_BYTES = 3 * 1024;
const MOST_FILES = 1;
/** Flat, as far as a noisy machine can show. */
const MOST_LATE_CPU = 1.1;
const MOST_LATE_MB = 4;

export async function measureGrowth({ workspace, rounds, levels }) {
  const [level = 'group'] = levels;
  const agent = workspace.agent('small');
  const [short, long] = [SHORT, LONG].map(workspace.scaled);
  const silent = (from, name) => {
    const cwd = join(workspace.output, name);
    cpSync(from, cwd, { recursive: true });
    writeFileSync(join(cwd, '.ralph', 'settings.json'), '{"agent": {"command": "true"}}');
    return cwd;
  };
  const slope = (measure) => {
    const [few, many] = [short, long].map(measure);
    const each = (figure) => (many[figure] - few[figure]) / (long - short);
    return { cpu: each('cpu'), bytes: each('bytes'), files: each('files') };
  };
  const early = (cwd) => () =>
    slope((iterations) => {
      workspace.clear();
      const cpu = cpuOf(ralphRun(workspace, agent, iterations, { level, cwd }));
      return { cpu, ...sizeOf(join(workspace.state, 'ralph', 'loops')) };
    });
  const plain = silent(workspace.project, 'growth');
  const options = { level, cwd: plain };
  const begun = workspace.scaled(LATE);
  const kept = join(workspace.output, 'growth-kept');
  mkdirSync(kept);
  const id = leaveLongLoop(workspace, agent, begun, options);
  cpSync(workspace.state, kept, { recursive: true });
  const further = (iterations) => {
    workspace.clear();
    cpSync(kept, workspace.state, { recursive: true });
    // The loop has had one iteration more than that.
    return ralphResume(workspace, agent, id, begun + 1 + iterations, options);
  };
  const peak = (iterations) => () => peakOf(further(iterations), highestMegabytes);
  const hasPeaks = existsSync('/proc/self/status');
  // Each takes several seconds, so there are fewer rounds than in other cases.
  const figures = await takeTurns(Math.min(rounds, 5), {
    early: early(plain),
    git: early(silent(workspace.repository, 'growth-git')),
    late: () => slope((iterations) => ({ cpu: cpuOf(further(iterations)) })),
    ...(hasPeaks ? { few: peak(workspace.scaled(SETTLED)), many: peak(workspace.scaled(LATER)) } : {}),
  });
  rmSync(kept, { recursive: true });
  const only = (of, name) => figures[of].map((figure) => figure[name]);
  const against = (most) => ({ name: 'goal', figures: figures.early.map(() => most) });
  const size = (name, of, unit, most) =>
    compare({ name, unit, figures: only(of, unit === 'B' ? 'bytes' : 'files'), floor: against(most), atMost: 1 });
  const memory = {
    name: `peak memory, ${LATER} iterations after ${LATE}`,
    unit: 'MB',
    figures: figures.many,
    floor: { name: `${SETTLED} after`, figures: figures.few },
    by: 'difference',
    atMost: MOST_LATE_MB,
  };
  return [
    size('bytes per iteration, nothing printed', 'early', 'B', MOST_BYTES),
    size('files per iteration, nothing printed', 'early', '', MOST_FILES),
    size('bytes per iteration in git, nothing done', 'git', 'B', MOST_BYTES),
    size('files per iteration in git, nothing done', 'git', '', MOST_FILES),
    compare({
      name: `CPU per iteration after ${LATE}`,
      unit: 'ms',
      figures: only('late', 'cpu'),
      floor: { name: 'of the first', figures: only('early', 'cpu') },
      atMost: MOST_LATE_CPU,
    }),
    hasPeaks ? compare(memory) : { name: memory.name, leftOut: 'only Linux tells a peak of memory' },
  ];
}

/** The size on the disk, in whole blocks. */
function sizeOf(folder) {
  const sizes = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(join(entry.parentPath, entry.name)).blocks * 512);
  return { bytes: sizes.reduce((sum, size) => sum + size, 0), files: sizes.length };
}
