/**
 * What a program costs more in the sandbox than without, in wall-clock time, beside the cost of its namespaces alone;
 * what a commit takes there; and what an iteration costs, without the start of the loop's helper.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compare, median, takeTurns } from '../measure.mjs';
import { whyMissing } from '../missing.mjs';
import { openSandboxHelper } from '../sandbox-helper.mjs';

const SHORT = 2;
const LONG = 12;
const PROGRAMS = 10;
const COMMITS = 5;
const NAMESPACES = ['--unshare-user', '--unshare-pid', '--unshare-net', '--ro-bind', '/', '/', '--dev', '/dev'];
const BWRAP = ['bwrap', ...NAMESPACES, '--proc', '/proc', '--', 'true'];
/** A commit has no floor: its limit is for the whole time. */
const NOTHING = { name: 'nothing' };

export async function measureSandbox({ workspace, rounds }) {
  const leftOut = whyNoSandbox();
  if (leftOut !== null) return [{ name: 'sandbox', leftOut }];
  const env = workspace.environment(workspace.agent('small'));
  const times = workspace.scaled(PROGRAMS);
  const clock = (argv) => {
    const began = performance.now();
    for (let time = 0; time < times; time++) spawnSync(argv[0], argv.slice(1), { stdio: 'ignore' });
    return (performance.now() - began) / times;
  };
  const helper = await openSandboxHelper({ workspace, env });
  const inside = async (isOffline) => {
    const began = performance.now();
    for (let time = 0; time < times; time++) await helper.run(['true'], isOffline);
    return (performance.now() - began) / times;
  };
  const figures = await takeTurns(rounds, {
    true: () => clock(['true']),
    bwrap: () => clock(BWRAP),
    online: () => inside(false),
    offline: () => inside(true),
    free: () => iterationOf(workspace, env, []),
    os: () => iterationOf(workspace, env, ['--sandbox=os']),
    commit: () => commitOf(workspace, env, []),
    commitInside: () => commitOf(workspace, env, ['--sandbox=os']),
  }).finally(helper.close);
  const floor = { name: 'true', figures: figures.true };
  const more = { unit: 'ms', by: 'difference' };
  const free = { name: 'without', figures: figures.free };
  const zero = { ...NOTHING, figures: figures.commit.map(() => 0) };
  return [
    compare({ ...more, name: 'program, --sandbox=os', figures: figures.online, floor, atMost: 30 }),
    compare({ ...more, name: '  that needs no network', figures: figures.offline, floor, atMost: 18 }),
    compare({ ...more, name: '  its namespaces alone', figures: figures.bwrap, floor }),
    compare({ ...more, name: 'iteration, --sandbox=os', figures: figures.os, floor: free }),
    compare({ ...more, name: 'commit, --sandbox=os', figures: figures.commitInside, floor: zero, atMost: 100 }),
    compare({ ...more, name: '  without a sandbox', figures: figures.commit, floor: zero }),
    { name: 'iteration, --sandbox', leftOut: 'it needs Docker Desktop, which was never there' },
  ];
}

function whyNoSandbox() {
  if (process.platform !== 'linux') return 'its programs are those of Linux';
  const missing = whyMissing(['bwrap', 'socat', 'rg']);
  if (missing !== null) return missing;
  return spawnSync(BWRAP[0], BWRAP.slice(1)).status === 0 ? null : 'bubblewrap may make no namespaces here';
}

/** The agent never claims to be done, so the loop runs to its limit. */
function loop(workspace, env, { cwd, turns, flags }) {
  workspace.clear();
  const argv = [workspace.ralph, 'run', '-p', 'x', '-m', String(turns), ...flags];
  const began = performance.now();
  const { status } = spawnSync(process.execPath, argv, { env, cwd, stdio: 'ignore' });
  if (status !== 1) throw new Error(`ralph ${argv.slice(1).join(' ')} ended with exit code ${status}, not 1`);
  return performance.now() - began;
}

/** The time of one more iteration. */
function iterationOf(workspace, env, flags) {
  const [short, long] = [SHORT, workspace.scaled(LONG) + SHORT].map((turns) => ({
    turns,
    took: loop(workspace, env, { cwd: workspace.project, turns, flags }),
  }));
  return (long.took - short.took) / (long.turns - short.turns);
}

/**
 * According to the loop's records: from the agent's message, or the step before, until the commit is made. This leaves
 * out the check for anything to commit, which is part of the record of the start of the agent that writes the message.
 */
function commitOf(workspace, env, flags) {
  const cwd = join(workspace.project, '../committed');
  rmSync(cwd, { recursive: true, force: true });
  mkdirSync(join(cwd, '.ralph'), { recursive: true });
  const settings = {
    agent: { command: 'claude' },
    guardrails: [{ command: 'echo more >>work.txt', failAction: 'APPEND' }],
    scm: { command: 'git', tasks: ['commit'] },
  };
  writeFileSync(join(cwd, '.ralph/settings.json'), JSON.stringify(settings));
  writeFileSync(join(cwd, 'work.txt'), 'begin\n');
  const who = Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((one) => [`GIT_${one}_NAME`, `GIT_${one}_EMAIL`]).map((name) => [name, 'bench']),
  );
  const own = { ...env, ...who };
  for (const args of ['init --quiet', 'add work.txt', 'commit --quiet -m begin']) {
    const { status, stderr } = spawnSync('git', args.split(' '), { cwd, env: own, encoding: 'utf8' });
    if (status !== 0) throw new Error(`git ${args}: ${stderr}`);
  }
  loop(workspace, own, { cwd, turns: Math.max(workspace.scaled(COMMITS), 1), flags });
  const loops = join(workspace.state, 'ralph/loops');
  const [name] = readdirSync(loops);
  const lines = readFileSync(join(loops, name, 'journal.jsonl'), 'utf8')
    .trim()
    .split('\n');
  const records = lines.map((line) => JSON.parse(line)).filter(({ result }) => result !== undefined);
  const took = records.flatMap(({ result, at }, index) => {
    if (result.kind !== 'published') return [];
    if (result.status !== 'done') throw new Error(`a commit that was not made: ${result.detail}`);
    return [at - records[index - 1].at];
  });
  return median(took);
}
