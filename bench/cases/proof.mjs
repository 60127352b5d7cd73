/**
 * The time that `--prove` adds to a loop of one iteration, apart from the checks themselves: the check is `true`, there
 * is no setup, and the agent edits one file. It makes two clean checkouts, so the floor is two shallow clones. `whole`
 * is a project with a setup whose agent also changes a test: then everything runs in a third checkout.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compare, takeTurns } from '../measure.mjs';

const SIZES = { small: 10, large: 10_000 };
const AGENT = '#!/bin/sh\necho "$$" >folder-0/file-0\necho "<response>DONE</response>"\n';

export async function measureProof({ workspace, rounds }) {
  const folder = join(workspace.output, 'proof');
  mkdirSync(folder);
  const agent = join(folder, 'agent');
  writeFileSync(agent, AGENT);
  chmodSync(agent, 0o755);
  const env = { PATH: process.env.PATH, HOME: folder, XDG_STATE_HOME: join(folder, 'state') };
  const cases = Object.entries(SIZES).map(([name, files]) => {
    return { name, files, work: makeProject(join(folder, name), workspace.scaled(files), { agent, env }) };
  });
  const changing = join(folder, 'changing-agent');
  writeFileSync(changing, AGENT.replace('\n', '\necho "$$" >test/pinned\n'));
  chmodSync(changing, 0o755);
  const { small } = SIZES;
  const proof = { setup: 'true' };
  const whole = makeProject(join(folder, 'whole'), workspace.scaled(small), { agent: changing, env, proof });
  const turns = cases.flatMap(({ name, work }) => {
    const run = (...flags) => timed(() => ralph(workspace, work, env, flags));
    return [
      [`clones ${name}`, () => timed(() => times(2, () => cloned(work, join(folder, 'clone'), env)))],
      [`proof ${name}`, () => run('--prove') - run('--no-prove')],
    ];
  });
  const runWhole = (...flags) => timed(() => ralph(workspace, whole, env, flags));
  turns.push(
    ['clones whole', () => timed(() => times(3, () => cloned(whole, join(folder, 'clone'), env)))],
    ['proof whole', () => runWhole('--prove') - runWhole('--no-prove')],
  );
  const figures = await takeTurns(rounds, Object.fromEntries(turns));
  rmSync(folder, { recursive: true });
  const lines = [
    ...cases.map(({ name, files }) => ({ name, what: `a proof of ${files} files`, floor: 'two shallow clones' })),
    {
      name: 'whole',
      what: `a proof of ${small} files, with a setup and a changed test`,
      floor: 'three shallow clones',
    },
  ];
  return lines.map(({ name, what, floor }) =>
    compare({
      name: what,
      unit: 'ms',
      figures: figures[`proof ${name}`],
      floor: { name: floor, figures: figures[`clones ${name}`] },
    }),
  );
}

function timed(act) {
  const begin = performance.now();
  act();
  return performance.now() - begin;
}

function times(count, act) {
  for (let time = 0; time < count; time++) act();
}

/** Starts from the same commit each time. */
function ralph(workspace, work, env, flags) {
  execFileSync('git', ['checkout', '-q', '.'], { cwd: work, env });
  const args = [workspace.ralph, 'run', '-p', 'x', '-m', '1', '--no-baseline', ...flags];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: work, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`ralph ${args.slice(1).join(' ')} ended with ${status}: ${stderr}`);
}

function cloned(work, into, env) {
  execFileSync('git', ['clone', '-q', '--depth', '1', pathToFileURL(work).href, into], { env });
  rmSync(into, { recursive: true });
}

function makeProject(work, files, { agent, env, proof }) {
  for (let file = 0; file < files; file++) {
    const folder = join(work, `folder-${file % 100}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `file-${file}`), `line of file ${file}\n`.repeat(100));
  }
  mkdirSync(join(work, 'test'));
  writeFileSync(join(work, 'test/pinned'), 'as at the start\n');
  mkdirSync(join(work, '.ralph'));
  const settings = { agent: { command: agent }, guardrails: [{ command: 'true', failAction: 'APPEND' }], proof };
  writeFileSync(join(work, '.ralph/settings.json'), JSON.stringify(settings));
  const git = (...args) => execFileSync('git', args, { cwd: work, env });
  git('init', '-q');
  git('add', '-A');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qm', 'all');
  return work;
}
