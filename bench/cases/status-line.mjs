/**
 * CPU of the status line per second, while an agent prints nothing and while it prints 90 lines a second: loops in
 * terminals of their own tmux, all at once. TERM=dumb shows the same without the line, `--quiet` shows nothing.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ralphRun } from '../harnesses.mjs';
import { compare, cpuUntilNow } from '../measure.mjs';
import { whyMissing } from '../missing.mjs';

const START_UP_MS = 3000;
const ROUND_MS = 2000;
/** A hundredth of a core, in milliseconds per second. */
const AT_MOST = 10;
const MANNERS = { line: {}, dumb: { term: 'dumb' }, quiet: { flags: ['--quiet'] } };

export async function measureStatusLine({ workspace, rounds }) {
  const name = 'CPU of the status line';
  if (!existsSync('/proc/self/schedstat'))
    return [{ name, leftOut: 'only Linux tells it (/proc/<pid>/task/*/schedstat)' }];
  const missing = whyMissing(['tmux']);
  if (missing !== null) return [{ name, leftOut: missing }];
  workspace.clear();
  const agents = {
    silent: workspace.agent('silent', { lineMs: 3_600_000 }),
    '90 lines/s': workspace.agent('busy', { lineMs: 11 }),
  };
  const socket = join(workspace.output, 'status-line');
  const tmux = (...args) => execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], { encoding: 'utf8' });
  const loops = Object.entries(agents).flatMap(([what, agent]) =>
    Object.entries(MANNERS).map(([manner, how]) => ({
      what,
      manner,
      figures: [],
      ...start(workspace, tmux, agent, how),
    })),
  );
  const endAll = () => loops.forEach(tellToEnd);
  // Before the other exit handlers: one of them removes the workspace, which the loops write into.
  process.prependListener('exit', endAll);
  try {
    await sleep(workspace.scaled(START_UP_MS));
    for (let round = 0; round < rounds; round++) {
      const before = loops.map(({ pid }) => cpuUntilNow(pid));
      await sleep(workspace.scaled(ROUND_MS));
      for (const [i, { pid, figures }] of loops.entries())
        figures.push((cpuUntilNow(pid) - before[i]) / (ROUND_MS / 1000));
    }
  } finally {
    // Repeatedly: a loop that is only starting may not listen yet.
    for (; loops.some(({ pid }) => existsSync(`/proc/${pid}`)); await sleep(100)) endAll();
    process.off('exit', endAll);
  }
  const line = (what, floor, by, atMost) => {
    const of = (wanted) => loops.find((loop) => loop.what === what && loop.manner === wanted).figures;
    const name = `CPU per s, status line, ${what}`;
    return compare({ name, unit: 'ms', figures: of('line'), floor: { name: floor, figures: of(floor) }, by, atMost });
  };
  return [
    // Without the line, such a loop uses no CPU: there is no ratio.
    line('silent', 'quiet', 'difference', AT_MOST),
    line('90 lines/s', 'quiet', 'ratio', null),
    line('90 lines/s', 'dumb', 'difference', AT_MOST),
  ];
}

/** Each in its own directory, as a second loop in the same one is refused. The pane's process is the loop itself. */
function start(workspace, tmux, agent, { term, flags = [] }) {
  const { argv, env } = ralphRun(workspace, agent, 1, { flags });
  const cwd = join(workspace.output, `project-${crypto.randomUUID()}`);
  mkdirSync(join(cwd, '.ralph'), { recursive: true });
  writeFileSync(join(cwd, '.ralph', 'settings.json'), '{"agent": {"command": "claude"}}');
  const given = Object.entries(term === undefined ? env : { ...env, TERM: term });
  const variables = given.map(([name, value]) => `${name}=${value}`);
  const size = ['-x', '80', '-y', '24'];
  const command = ['env', ...variables, ...argv];
  const pid = tmux('new-session', '-d', '-P', '-F', '#{pane_pid}', ...size, '-c', cwd, '--', ...command);
  return { pid: Number(pid) };
}

/** Two different signals at once, which are not merged: ralph ends its agent at the second one. */
function tellToEnd({ pid }) {
  if (!existsSync(`/proc/${pid}`)) return;
  for (const signal of ['SIGINT', 'SIGTERM']) process.kill(pid, signal);
}
