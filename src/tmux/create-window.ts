/**
 * Opens a window for a worker. A missing session is created with this window, so that no empty first window is left.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatDuration } from '../core/text/duration.ts';
import { shellQuote } from '../core/text/quote-word.ts';
import type { Duration } from '../core/time.ts';
import { bornInside, leafPath, makeLeaf } from '../process/containment/cgroup.ts';
import type { Containment } from '../process/containment/containment.ts';
import { withExitFile } from '../process/containment/exit-wrapper.ts';
import { nullOn, writeFile } from '../process/files.ts';
import { identify, thisMachine } from '../process/identity/identity.ts';
import { MARK_VARIABLE } from '../process/identity/process-table.ts';
import { findProgram } from '../process/which.ts';
import { COLUMNS, literal, pipeInto, ROWS, type Tmux, TmuxError } from './command.ts';
import {
  filesOf,
  isAlive,
  killWindow,
  makeEmptyFolder,
  markOf,
  NONCE_OPTION,
  type PlannedWindow,
  type Window,
  writeWindow,
} from './window.ts';

export interface WindowRequest {
  readonly tmux: Tmux;
  readonly session: string;
  /** The window's name, and the worker that it belongs to. */
  readonly worker: string;
  /** For this window's own files; what an earlier window left there is removed. */
  readonly folder: string;
  /** Everything that the pane shows is appended to this file. */
  readonly log: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly containment: Containment;
  /** Proves later that the window is ours; random by default. */
  readonly nonce?: string;
  /** Added to what tmux gives every pane. */
  readonly env: Readonly<Record<string, string>>;
  /** How long the pane may take to start its command; 30 seconds by default, since the machine may be busy. */
  readonly startWithin?: Duration;
}

/** Opens the window and starts the command in it. If this throws, nothing of it is left. */
export async function createWindow(request: WindowRequest): Promise<Window> {
  const { tmux, folder, worker, log, cwd, containment } = request;
  const program = findProgram('tmux', tmux.env.PATH, cwd);
  if (program === null) throw new TmuxError('tmux is not installed');
  if (!existsSync(cwd)) throw new TmuxError(`no such directory: ${cwd}`);
  makeEmptyFolder(folder);
  const { nonce = randomBytes(16).toString('hex'), startWithin = 30_000 } = request;
  const leaf = containment.level === 'cgroup' ? leafPath(containment.home, markOf({ nonce })) : null;
  const planned: PlannedWindow = { v: 1, worker, nonce, address: tmux.address, leaf };
  // The plan first: a leaf that nothing on disk leads to would stay forever.
  writeWindow(folder, planned);
  const files = filesOf(folder, planned);
  writeFile(files.start, startScript(program, request, planned), { mode: 0o600 });
  // Created now, so that readers find it empty rather than missing.
  writeFile(log, '', { flag: 'a', mode: 0o600 });

  const front = withExitFile(['sh', files.start], files.exit).map(literal);
  // Others may create or end the session, and with it the server, at the same time: we try again, but not forever.
  const deadline = performance.now() + 10_000;
  try {
    for (;;) {
      // For each attempt: a window that closed has removed its leaf.
      if (leaf !== null) nullOn(['EEXIST'], () => makeLeaf(leaf));
      const { opened, refusal } = await openPane(request, front);
      if (opened !== null) {
        const window: Window = { ...planned, ...opened };
        writeWindow(folder, window);
        const started = await startOf(files.start, window, startWithin);
        if (started === 'marked') return window;
        if (started === 'hangs') {
          // It has no mark to find it by yet.
          await killWindow(window, tmux.env, 0);
          throw new TmuxError(`the window did not start its command within ${formatDuration(startWithin)}`);
        }
      }
      // A server that ended with its last window took ours along; nothing of the command has run.
      if (performance.now() > deadline)
        throw new TmuxError(refusal || 'the window closed before its command could start');
      // A random delay, so that several processes do not retry in step.
      await sleep(Math.random() * 50);
    }
  } catch (error) {
    await killWindow(planned, tmux.env, 0);
    throw error;
  }
}

/** Waits until the pane has marked itself: before that, nothing can prove that it is ours. */
async function startOf(start: string, window: Window, within: Duration): Promise<'marked' | 'closed' | 'hangs'> {
  const deadline = performance.now() + within;
  while (existsSync(start)) {
    // Check again: it may have marked itself and ended between the two checks.
    if (!isAlive(window) && existsSync(start)) return 'closed';
    if (performance.now() > deadline) return 'hangs';
    await sleep(5);
  }
  return 'marked';
}

/** The socket's path is last, because only it can contain a space. */
const PRINTED = '#{pid} #{window_id} #{pane_id} #{pane_pid} #{socket_path}';
/** There is no such session, or others have just created or ended it, perhaps with its server. */
const PASSING =
  /duplicate session|can't find session|no server running|error connecting|lost server|server exited|no current target/;

/** In the session, or in a new one. `opened` is null, with tmux's message, if another attempt may succeed. */
async function openPane({ tmux, session, worker, cwd, containment }: WindowRequest, argv: readonly string[]) {
  // Detached: the window that a person is looking at stays in front.
  const window = ['-d', '-P', '-F', PRINTED, '-n', worker];
  const size = ['-x', String(COLUMNS), '-y', String(ROWS)];
  const setSize = [';', 'set-option', '-t', `=${session}:`, 'default-size', `${COLUMNS}x${ROWS}`];
  const start = () => tmux.ask(['new-session', ...window, ...size, '-s', session, ...argv, ...setSize], { cwd });
  let answer = await tmux.ask(['new-window', ...window, '-t', `=${session}:`, ...argv], { cwd });
  if (!answer.ok && PASSING.test(answer.stderr)) {
    // A server that is started from within a worker serves all workers, and must not end with that one.
    const { level } = containment;
    answer = await (level === 'cgroup' ? bornInside(containment.home, containment.home.path, start) : start());
  }
  const { ok, stdout, stderr: refusal } = answer;
  // The window may be created, and have closed again, before the rest of the command is run.
  if (!ok && stdout === '') {
    if (PASSING.test(refusal) && !refusal.includes('File name too long')) return { opened: null, refusal };
    throw new TmuxError(refusal);
  }
  const [pid, windowId = '', paneId = '', panePid, ...path] = stdout.trim().split(' ');
  // The server may have ended already, after a short command: then only its pid is known.
  const server = identify(Number(pid)) ?? { pid: Number(pid), startTime: '', boot: thisMachine().boot };
  const pane = identify(Number(panePid));
  return { opened: { address: { socketPath: path.join(' ') }, windowId, paneId, server, pane }, refusal };
}

/**
 * What a new pane runs first: it marks its window, pipes its output to a file, and becomes the command. It is a file
 * because tmux takes no command line longer than 16 KB, and because variables must not be visible in the process list.
 */
function startScript(tmux: string, { folder, log, argv, env }: WindowRequest, planned: PlannedWindow): string {
  const { worker, nonce, leaf } = planned;
  // A leaf in which something still runs stays until the window is ended.
  const tidy = leaf === null ? '' : ` rmdir ${shellQuote(leaf)} 2>/dev/null;`;
  // tmux expands formats and the time in the command of a pipe.
  const pipe = pipeInto(log, filesOf(folder, planned).piped, tidy).replaceAll('#', '##').replaceAll('%', '%%');
  const entry = shellQuote(`${leaf}/cgroup.procs`);
  const here = ['-t', '"$TMUX_PANE"'];
  const commands = [
    ['set-option', '-w', ...here, NONCE_OPTION, nonce],
    ['set-option', '-w', ...here, '@swarm_worker', shellQuote(literal(worker))],
    ['set-option', '-p', ...here, NONCE_OPTION, nonce],
    // Whatever the user has set for other windows: the output of a worker that has ended is in its log, not in a dead
    // window.
    ['set-option', '-w', ...here, 'remain-on-exit', 'off'],
    ['pipe-pane', ...here, shellQuote(pipe)],
  ];
  const variables = Object.entries(env).map(([name, value]) => shellQuote(`${name}=${value}`));
  return [
    `${shellQuote(tmux)} ${commands.map((words) => words.join(' ')).join(" ';' ")} || exit 125`,
    // The leaf is the permission to start: a window that was ended before it began has none. If the leaf exists but
    // must not be entered, as when the server is in another login session, the command can only be found by its mark.
    ...(leaf === null ? [] : [`{ echo 0 >${entry}; } 2>/dev/null || [ -d ${shellQuote(leaf)} ] || exit 125`]),
    // Tells the process that opened the window that it is marked.
    'rm -f -- "$0"',
    `${MARK_VARIABLE}="\${${MARK_VARIABLE}:+$${MARK_VARIABLE} }"${shellQuote(markOf(planned))}`,
    `export ${MARK_VARIABLE}`,
    ['exec', ...(variables.length === 0 ? [] : ['env', ...variables]), ...argv.map(shellQuote)].join(' '),
    '',
  ].join('\n');
}
