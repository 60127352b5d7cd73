/**
 * `npm run bench [name…] [--quick | --once]`: builds, then measures ralph against floors of the same run. The targets
 * are those of the cgroup level; a missed one is printed as such and fails nothing. `--once` runs a small version of
 * every case once, to see whether it still runs: its figures mean nothing, and are not shown.
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { ensureBuilt, ensureInstalled, SetupError } from '../scripts/setup.mjs';
import { agentLanguage } from './agent/make-agent.mjs';
import { measureAtOnce } from './cases/at-once.mjs';
import { measureBus } from './cases/bus.mjs';
import { measureGap } from './cases/gap.mjs';
import { measureGrowth } from './cases/growth.mjs';
import { measureHooks } from './cases/hooks.mjs';
import { measureIteration } from './cases/iteration.mjs';
import { measureManyLoops } from './cases/many-loops.mjs';
import { measureMemory } from './cases/memory.mjs';
import { measurePanes } from './cases/panes.mjs';
import { measurePeers } from './cases/peers.mjs';
import { measureProof } from './cases/proof.mjs';
import { measureResume } from './cases/resume.mjs';
import { measureSandbox } from './cases/sandbox.mjs';
import { measureSnapshots } from './cases/snapshots.mjs';
import { measureStartUp } from './cases/start-up.mjs';
import { measureStatusLine } from './cases/status-line.mjs';
import { measureStream } from './cases/stream.mjs';
import { measureTasks } from './cases/tasks.mjs';
import { measureTop } from './cases/top.mjs';
import { measureWaiting } from './cases/waiting.mjs';
import { levelsOf } from './harnesses.mjs';
import { heading, isFigure, shown, writeResults } from './report.mjs';
import { openWorkspace } from './workspace.mjs';

const CASES = {
  iteration: measureIteration,
  gap: measureGap,
  stream: measureStream,
  memory: measureMemory,
  waiting: measureWaiting,
  'status-line': measureStatusLine,
  panes: measurePanes,
  tasks: measureTasks,
  bus: measureBus,
  sandbox: measureSandbox,
  snapshots: measureSnapshots,
  proof: measureProof,
  'start-up': measureStartUp,
  'many-loops': measureManyLoops,
  top: measureTop,
  hooks: measureHooks,
  growth: measureGrowth,
  resume: measureResume,
  'at-once': measureAtOnce,
  peers: measurePeers,
};
/** Cases that ended in an error, and lines without valid figures. */
const failed = [];
const ROUNDS = 15;
const QUICK_ROUNDS = 5;

try {
  const options = readArguments();
  ensureInstalled();
  await ensureBuilt();
  await bench(options);
} catch (error) {
  console.log(error instanceof SetupError ? error.message : error.stack);
  process.exitCode = 1;
}

function readArguments() {
  const flags = { quick: { type: 'boolean' }, once: { type: 'boolean' } };
  const { values, positionals } = parseArgs({ options: flags, allowPositionals: true });
  const unknown = positionals.find((name) => !(name in CASES));
  if (unknown !== undefined) throw new SetupError(`no benchmark "${unknown}": ${Object.keys(CASES).join(', ')}`);
  const names = positionals.length > 0 ? positionals : Object.keys(CASES);
  const isOnce = values.once === true;
  return { names, isOnce, rounds: isOnce ? 1 : values.quick === true ? QUICK_ROUNDS : ROUNDS };
}

async function bench({ names, rounds, isOnce }) {
  const language = agentLanguage();
  if (language === null) throw new SetupError('the benchmarks need a fast agent: install a C compiler (cc) or perl');
  const workspace = openWorkspace(language, { isSmall: isOnce });
  process.on('exit', workspace.close);
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

  const machine = {
    at: new Date().toISOString(),
    node: process.version,
    cores: cpus().length,
    load: loadavg()[0],
    language,
    rounds,
  };
  const levels = levelsOf(workspace);
  if (levels.length === 0)
    throw new SetupError('ralph run works on no level of containment here: nothing can be measured');
  console.log(
    `node ${machine.node}, ${machine.cores} cores, load ${machine.load.toFixed(1)}, agent in ${language}, output in ${workspace.output}, levels ${levels.join(' ')}; medians of ${rounds} rounds\n`,
  );
  const measure = (name) => measured(name, { workspace, rounds, levels });
  if (isOnce) {
    for (const name of names) {
      const lines = await measure(name);
      console.log(`${name}: ${lines.length} figures`);
      for (const line of lines) if (line.leftOut !== undefined) console.log(shown(line));
    }
    sayFailed();
    return;
  }
  console.log(heading());
  const lines = [];
  for (const name of names) {
    for (const line of await measure(name)) {
      lines.push(line);
      console.log(shown(line));
      // An invalid figure would look like a target that is missed, or reached.
      if (!isFigure(line)) failed.push(line.name);
    }
  }
  console.log(writeResults(machine, lines));
  sayFailed();
}

/** Repeated at the end, because a long run has scrolled by. */
function sayFailed() {
  if (failed.length === 0) return;
  console.log(`FAILED: ${failed.join(', ')}`);
  process.exitCode = 1;
}

/** A case that fails makes the whole run fail, after the others. */
async function measured(name, context) {
  try {
    return await CASES[name](context);
  } catch (error) {
    failed.push(name);
    console.log(`${name}: FAILED\n${error.stack}`);
    return [];
  }
}
