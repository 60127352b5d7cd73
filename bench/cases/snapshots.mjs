/**
 * What keeping the work tree adds to an iteration that edited one file and made another, in time: in a repository of ten
 * files and in one of ten thousand, against `git status` there, which looks at the same files.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from '../bundle.mjs';
import { compare, takeTurns } from '../measure.mjs';

const SIZES = { small: 10, large: 10_000 };
const SNAPSHOTS = 10;

export async function measureSnapshots({ workspace, rounds }) {
  const folder = join(workspace.output, 'snapshots');
  mkdirSync(folder);
  const code = await bundle(folder, ['src/scm/snapshots/store.ts', 'src/scm/snapshots/take.ts']);
  const env = { PATH: process.env.PATH, HOME: folder };
  const cases = Object.entries(SIZES).map(([name, files]) => {
    const work = makeRepository(join(folder, name), workspace.scaled(files), env);
    const store = code.openStore(join(folder, `${name}-loop`), work);
    const take = code.snapshotTaker(store, { env, except: folder });
    return { name, files, work, take };
  });
  const signal = new AbortController().signal;
  let edits = 0;
  const edited = async (work, act) => {
    appendFileSync(join(work, 'folder-0', 'file-0'), `line ${++edits}\n`);
    writeFileSync(join(work, `new-${edits}`), 'x'.repeat(2000));
    const begin = performance.now();
    await act();
    return performance.now() - begin;
  };
  const mean = (work, act) => async () => {
    let total = 0;
    for (let time = 0; time < SNAPSHOTS; time++) total += await edited(work, act);
    return total / SNAPSHOTS;
  };
  // The first one reads everything.
  for (const { take } of cases) await take('refs/iterations/0', signal);
  const turns = cases.flatMap(({ name, work, take }) => [
    [`status ${name}`, mean(work, async () => void execFileSync('git', ['status', '--porcelain'], { cwd: work, env }))],
    [`snapshot ${name}`, mean(work, () => take('refs/iterations/1', signal))],
  ]);
  const figures = await takeTurns(rounds, Object.fromEntries(turns));
  rmSync(folder, { recursive: true });
  return cases.map(({ name, files }) =>
    compare({
      name: `a snapshot of ${files} files`,
      unit: 'ms',
      figures: figures[`snapshot ${name}`],
      floor: { name: 'git status', figures: figures[`status ${name}`] },
    }),
  );
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
