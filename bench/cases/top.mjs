/**
 * What `ralph top` costs with 200 loops, 20 of them with a supervisor: while nothing happens, while agents print
 * 100 lines a second, and while loops make 100 records a second. It runs in a terminal of its own tmux; only the
 * CPU of its own process counts.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from '../../scripts/setup.mjs';
import { bundle } from '../bundle.mjs';
import { compare, cpuUntilNow } from '../measure.mjs';
import { whyMissing } from '../missing.mjs';

const [LOOPS, WORKING] = [200, 20];
const EVENTS_PER_S = 100;
const START_UP_MS = 6000;
const ROUND_MS = 4000;
/** In milliseconds of CPU per second, and in megabytes. */
const [IDLE_AT_MOST, BUSY_AT_MOST, MEMORY_AT_MOST] = [5, 30, 80];
const JOURNAL = 'test/fixtures/journals/v4/run-rejected.jsonl';

export async function measureTop({ workspace, rounds }) {
  const name = 'CPU of ralph top';
  if (!existsSync('/proc/self/schedstat'))
    return [{ name, leftOut: 'only Linux tells it (/proc/<pid>/task/*/schedstat)' }];
  const missing = whyMissing(['tmux']);
  if (missing !== null) return [{ name, leftOut: missing }];
  const folder = join(workspace.output, 'top');
  mkdirSync(folder);
  await bundle(folder, ['test/support/loops/busy-loops.ts']);
  const feeder = startFeeder(workspace, folder);
  const tmux = (...args) =>
    execFileSync('tmux', ['-S', join(folder, 'tmux'), '-f', '/dev/null', ...args], { encoding: 'utf8' });
  const end = () => feeder.kill('SIGKILL');
  process.prependListener('exit', end);
  const figures = { idle: [], lines: [], records: [], memory: [] };
  try {
    await feeder.said('ready');
    const pid = startTop(workspace, feeder.state, tmux);
    await sleep(workspace.scaled(START_UP_MS));
    for (let round = 0; round < rounds; round++) {
      for (const what of ['idle', 'lines', 'records']) {
        feeder.send(what);
        await sleep(workspace.scaled(1000));
        const before = cpuUntilNow(pid);
        await sleep(workspace.scaled(ROUND_MS));
        figures[what].push((cpuUntilNow(pid) - before) / (ROUND_MS / 1000));
      }
      figures.memory.push(residentMegabytes(pid));
    }
  } finally {
    tmux('kill-server');
    end();
    process.off('exit', end);
  }
  const none = (values) => ({ name: 'nothing', figures: values.map(() => 0) });
  const line = (name, unit, values, atMost) =>
    compare({
      name: `ralph top, ${LOOPS} loops, ${name}`,
      unit,
      figures: values,
      floor: none(values),
      by: 'difference',
      atMost,
    });
  return [
    line('idle, CPU per s', 'ms', figures.idle, IDLE_AT_MOST),
    line(`${EVENTS_PER_S} lines/s, CPU per s`, 'ms', figures.lines, BUSY_AT_MOST),
    line(`${EVENTS_PER_S} records/s, CPU per s`, 'ms', figures.records, BUSY_AT_MOST),
    line('memory', 'MB', figures.memory, MEMORY_AT_MOST),
  ];
}

/** A separate process that holds the locks, and does what it was last told to. */
function startFeeder(workspace, folder) {
  const state = join(workspace.output, 'top-state');
  const script = join(folder, 'feeder.cjs');
  const wanted = `{ count: ${workspace.scaled(LOOPS)}, working: ${workspace.scaled(WORKING)}, records }`;
  writeFileSync(
    script,
    `const { busyLoops } = require('./bundle.cjs');
const records = require('node:fs').readFileSync(${JSON.stringify(join(root, JOURNAL))}, 'utf8').trim().split('\\n').map(JSON.parse);
const loops = busyLoops(${JSON.stringify(join(state, 'ralph'))}, ${wanted});
let what = 'idle';
process.on('message', (said) => { what = said; });
process.on('disconnect', () => process.exit());
setInterval(() => {
  if (what === 'lines') loops.print();
  if (what === 'records') loops.record();
}, ${1000 / EVENTS_PER_S});
process.send('ready');`,
  );
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const said = (word) =>
    new Promise((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the feeder ended with ${code}`)));
      child.on('message', (message) => message === word && resolve());
    });
  return { state, said, send: (word) => child.send(word), kill: (signal) => child.kill(signal) };
}

/** The pane's process is ralph itself. */
function startTop(workspace, state, tmux) {
  const env = { ...workspace.environment(workspace.agent('small')), XDG_STATE_HOME: state, TERM: 'tmux-256color' };
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const command = ['env', '-i', ...variables, process.execPath, workspace.ralph, 'top'];
  const size = ['-x', '150', '-y', '50'];
  const made = ['new-session', '-d', '-P', '-F', '#{pane_pid}', ...size, '-c', workspace.project];
  return Number(tmux('-u', ...made, '--', ...command));
}

function residentMegabytes(pid) {
  const [, pages = ''] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
  return (Number(pages) * 4096) / 1024 / 1024;
}
