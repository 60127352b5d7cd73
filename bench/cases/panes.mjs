/**
 * CPU of watching 50 idle tmux panes every 2 seconds: ralph, which looks at a pane's log first, against a
 * `capture-pane` process per poll. Both run at once, each with its own server; two polls per round. The server's own
 * CPU is reported separately.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { root } from '../../scripts/setup.mjs';
import { compare } from '../measure.mjs';
import { whyMissing } from '../missing.mjs';

const PANES = 50;
const EVERY_MS = 2000;
const ROUND_MS = 2 * EVERY_MS;
const START_UP_MS = 3000;
const AT_MOST = 1 / 20;
/** The clock tick of /proc/<pid>/stat. */
const TICK_MS = 10;

export async function measurePanes({ workspace, rounds }) {
  const name = `CPU per ${ROUND_MS / 1000} s of watching ${PANES} panes`;
  if (!existsSync('/proc/self/schedstat')) return [{ name, leftOut: 'only Linux tells it (/proc/<pid>/schedstat)' }];
  const missing = whyMissing(['tmux']);
  if (missing !== null) return [{ name, leftOut: missing }];
  const bundle = await bundleWatch(workspace);
  const watched = [
    watchBy(workspace, 'exec', ({ socket, panes }) => [script('floors/exec-poll.cjs'), socket, EVERY_MS, ...panes]),
    watchBy(workspace, 'ours', ({ socket, logs, panes }) => [
      script('watchers/screen-watch.cjs'),
      bundle,
      socket,
      logs,
      EVERY_MS,
      ...panes,
    ]),
  ];
  const endAll = () => {
    for (const { end } of watched) end();
  };
  process.prependListener('exit', endAll);
  const figures = watched.map(() => ({ watcher: [], server: [] }));
  try {
    await sleep(workspace.scaled(START_UP_MS));
    for (let round = 0; round < rounds; round++) {
      const before = watched.map(cpuUntilNow);
      await sleep(workspace.scaled(ROUND_MS));
      for (const [i, each] of watched.entries()) {
        const now = cpuUntilNow(each);
        figures[i].watcher.push(now.watcher - before[i].watcher);
        figures[i].server.push(now.server - before[i].server);
      }
    }
  } finally {
    await Promise.all(watched.map(({ stop }) => stop()));
    process.off('exit', endAll);
  }
  const [exec, ours] = figures;
  const line = (what, part, atMost) =>
    compare({
      name: what,
      unit: 'ms',
      figures: ours[part],
      floor: { name: 'exec polling', figures: exec[part] },
      atMost,
    });
  return [line(name, 'watcher', AT_MOST), line('  of the tmux server meanwhile', 'server', null)];
}

/** Bundled into one file as by the build, to measure what would run. */
async function bundleWatch(workspace) {
  const { build } = await import('esbuild');
  const bundle = join(workspace.output, 'watch.cjs');
  const entry = join(workspace.output, 'watch.ts');
  const module = (path) => JSON.stringify(join(root, 'src/tmux', path));
  const modules = ['command.ts', 'pane.ts'].map((path) => `export * from ${module(path)};\n`);
  writeFileSync(entry, modules.join(''));
  await build({
    entryPoints: [entry],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
  });
  return bundle;
}

/** A server with idle panes, and a watcher of them. */
function watchBy(workspace, socket, argumentsFor) {
  const env = { ...workspace.environment('/nonexistent'), TMUX_TMPDIR: workspace.output };
  const tmux = (...args) => execFileSync('tmux', ['-L', socket, '-f', '/dev/null', ...args], { env, encoding: 'utf8' });
  const session = 'watched';
  const pane = [
    '-P',
    '-F',
    '#{pane_id}',
    'sh',
    '-c',
    'i=0; while [ $i -lt 45 ]; do i=$((i+1)); echo "line $i of an idle agent"; done; exec cat',
  ];
  const panes = Array.from({ length: workspace.scaled(PANES) }, (_, i) =>
    tmux(
      ...(i === 0
        ? ['new-session', '-d', '-s', session, '-x', '120', '-y', '50']
        : ['new-window', '-d', '-t', `${session}:`]),
      ...pane,
    ).trim(),
  );
  const logs = join(workspace.output, `${socket}-logs`);
  mkdirSync(logs);
  for (const pane of panes) {
    writeFileSync(join(logs, pane), '');
    tmux('pipe-pane', '-t', pane, `cat >>'${join(logs, pane).replaceAll('%', '%%')}'`);
  }
  const server = Number(tmux('display-message', '-p', '#{pid}'));
  const args = argumentsFor({ socket, logs, panes }).map(String);
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const end = () => {
    child.kill('SIGKILL');
    tmux('kill-server');
  };
  return {
    pid: child.pid,
    server,
    end,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the watcher by ${socket} ended early`);
      const exited = once(child, 'exit');
      end();
      await exited;
    },
  };
}

/** In milliseconds: the watcher with everything that it started, and the server. */
function cpuUntilNow({ pid, server }) {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
  );
  const living = [pid, ...children].reduce((sum, each) => sum + cpuOfThreads(each), 0);
  return { watcher: living + cpuOfEndedChildren(pid), server: cpuOfThreads(server) };
}

function cpuOfThreads(pid) {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const nanoseconds = threads.map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
    );
    return nanoseconds.reduce((sum, figure) => sum + figure, 0) / 1e6;
  } catch {
    // A child that has ended meanwhile is counted among the ended ones.
    return 0;
  }
}

function cpuOfEndedChildren(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  const [user, system] = fields.slice(13, 15).map(Number);
  return (user + system) * TICK_MS;
}

function script(path) {
  return fileURLToPath(new URL(`../${path}`, import.meta.url));
}
