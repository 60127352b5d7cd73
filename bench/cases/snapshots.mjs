/**
 * The time that keeping the work tree adds to an iteration that edited one file and replaced another: in repositories
 * of ten and of ten thousand files, against `git status`, which looks at the same files. And whether a snapshot after
 * two thousand others takes as long as one of the first fifty.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from '../bundle.mjs';
import { compare, takeTurns } from '../measure.mjs';

const SIZES = { small: 10, large: 10_000 };
const SNAPSHOTS = 10;
const EARLIER = 2000;
/** A store combines its packs after this many snapshots, so that each round has one combination. */
const UNTIL_COMBINED = 50;
const LATE_AT_MOST = 1.1;

export async function measureSnapshots({ workspace, rounds }) {
  const folder = join(workspace.output, 'snapshots');
  mkdirSync(folder);
  const code = await bundle(folder, ['src/scm/snapshots/store.ts', 'src/scm/snapshots/take.ts']);
  const env = { PATH: process.env.PATH, HOME: folder };
  const signal = new AbortController().signal;
  /** Takes the first snapshot, which reads everything. */
  const begun = async (work, loop) => {
    const take = code.snapshotTaker(code.openStore(loop, work), { env, except: folder });
    let taken = 0;
    const next = () => take(`refs/iterations/${taken++}`, signal);
    await next();
    return next;
  };
  const cases = [];
  for (const [name, files] of Object.entries(SIZES)) {
    const work = makeRepository(join(folder, name), workspace.scaled(files), env);
    cases.push({ name, files, work, take: await begun(work, join(folder, `${name}-loop`)) });
  }
  let edits = 0;
  const edited = async (work, act) => {
    for (const name of readdirSync(work)) if (name.startsWith('new-')) rmSync(join(work, name));
    // Always the same length, so that a late snapshot has no more to compress.
    writeFileSync(join(work, 'folder-0', 'file-0'), `line of edit ${++edits}\n`.repeat(100));
    writeFileSync(join(work, `new-${edits}`), 'x'.repeat(2000));
    const begin = performance.now();
    await act();
    return performance.now() - begin;
  };
  const meanOf = async (count, work, act) => {
    let total = 0;
    for (let time = 0; time < count; time++) total += await edited(work, act);
    return total / count;
  };
  const mean = (work, act) => () => meanOf(SNAPSHOTS, work, act);
  const turns = cases.flatMap(({ name, work, take }) => [
    [`status ${name}`, mean(work, async () => void execFileSync('git', ['status', '--porcelain'], { cwd: work, env }))],
    [`snapshot ${name}`, mean(work, take)],
  ]);
  const many = workspace.scaled(UNTIL_COMBINED);
  const long = makeRepository(join(folder, 'long'), SIZES.small, env);
  const late = await begun(long, join(folder, 'long-loop'));
  await meanOf(workspace.scaled(EARLIER), long, late);
  const short = makeRepository(join(folder, 'short'), SIZES.small, env);
  const shortLoop = join(folder, 'short-loop');
  const figures = await takeTurns(rounds, {
    ...Object.fromEntries(turns),
    first: async () => {
      rmSync(shortLoop, { recursive: true, force: true });
      return meanOf(many, short, await begun(short, shortLoop));
    },
    late: () => meanOf(many, long, late),
  });
  rmSync(folder, { recursive: true });
  const sizes = cases.map(({ name, files }) =>
    compare({
      name: `a snapshot of ${files} files`,
      unit: 'ms',
      figures: figures[`snapshot ${name}`],
      floor: { name: 'git status', figures: figures[`status ${name}`] },
    }),
  );
  const growth = compare({
    name: `a snapshot after ${EARLIER} others`,
    unit: 'ms',
    figures: figures.late,
    floor: { name: 'the first ones', figures: figures.first },
    atMost: LATE_AT_MOST,
  });
  return [...sizes, growth];
}

function makeRepository(work, files, env) {
  for (let file = 0; file < files; file++) {
    const folder = join(work, `folder-${file % 100}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `file-${file}`), `line of file ${file}\n`.repeat(100));
  }
  const git = (...args) => execFileSync('git', args, { cwd: work, env });
  git('init', '-q');
  git('add', '-A');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qm', 'all');
  return work;
}
