/** Opens a window for a worker, and makes the session with it where there is none: no empty first window is left. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { shellQuote } from '../core/text/quote-word.ts';
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
  /** The window's name, and the worker whose it is. */
  readonly worker: string;
  /** For this window's own files; what an earlier window left there is removed. */
  readonly folder: string;
  /** Everything that the pane shows is added to this file. */
  readonly log: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly containment: Containment;
  /** Proves later that the window is ours; made up unless given. */
  readonly nonce?: string;
  /** Added to what tmux gives every pane. */
  readonly env: Readonly<Record<string, string>>;
}

/** Opens the window and starts the command in it. Nothing of it is left when this throws. */
export async function createWindow(request: WindowRequest): Promise<Window> {
  const { tmux, folder, worker, log, cwd, containment } = request;
  const program = findProgram('tmux', tmux.env.PATH, cwd);
  if (program === null) throw new TmuxError('tmux is not installed');
  if (!existsSync(cwd)) throw new TmuxError(`no such directory: ${cwd}`);
  makeEmptyFolder(folder);
  const { nonce = randomBytes(16).toString('hex') } = request;
  const leaf = containment.level === 'cgroup' ? leafPath(containment.home, markOf({ nonce })) : null;
  const planned: PlannedWindow = { v: 1, worker, nonce, address: tmux.address, leaf };
  // The plan first: a leaf that nothing on disk leads to would stay for ever.
  writeWindow(folder, planned);
  const files = filesOf(folder, planned);
  writeFile(files.start, startScript(program, request, planned), { mode: 0o600 });
  // Made now, so that it is found empty rather than missing.
  writeFile(log, '', { flag: 'a', mode: 0o600 });

  const front = withExitFile(['sh', files.start], files.exit).map(literal);
  // Others may make or end the session, and with it the server, meanwhile, but not for ever.
  const deadline = performance.now() + 10_000;
  try {
    for (;;) {
      // Again for each attempt: a window that closed took its leaf along.
      if (leaf !== null) nullOn(['EEXIST'], () => makeLeaf(leaf));
      const { opened, refusal } = await openPane(request, front);
      if (opened !== null) {
        const window: Window = { ...planned, ...opened };
        writeWindow(folder, window);
        if (await isMarked(files.start, window)) return window;
      }
      // A server that was leaving with its last window took ours along; nothing of the command has run.
      if (performance.now() > deadline)
        throw new TmuxError(refusal || 'the window closed before its command could start');
      // Not in step with the others.
      await sleep(Math.random() * 50);
    }
  } catch (error) {
    await killWindow(planned, tmux.env, 0);
    throw error;
  }
}

/** Until the pane has marked itself, nothing could prove that it is ours. False when it closed before that. */
async function isMarked(start: string, window: Window): Promise<boolean> {
  while (existsSync(start)) {
    // Looked at again: it may have marked itself and ended between the two looks.
    if (!isAlive(window) && existsSync(start)) return false;
    await sleep(5);
  }
  return true;
}

/** The socket's path is last: it alone may hold a blank. */
const PRINTED = '#{pid} #{window_id} #{pane_id} #{pane_pid} #{socket_path}';
/** There is no such session, or it was made or ended by others meanwhile, perhaps with its server. */
const PASSING =
  /duplicate session|can't find session|no server running|error connecting|lost server|server exited|no current target/;

/** In the session, or in a new one. Without a pane: tmux's words, where another attempt may succeed. */
async function openPane({ tmux, session, worker, cwd, containment }: WindowRequest, argv: readonly string[]) {
  // Detached: what a person looks at in that session stays in front.
  const window = ['-d', '-P', '-F', PRINTED, '-n', worker];
  const size = ['-x', String(COLUMNS), '-y', String(ROWS)];
  const setSize = [';', 'set-option', '-t', `=${session}:`, 'default-size', `${COLUMNS}x${ROWS}`];
  const start = () => tmux.ask(['new-session', ...window, ...size, '-s', session, ...argv, ...setSize], { cwd });
  let answer = await tmux.ask(['new-window', ...window, '-t', `=${session}:`, ...argv], { cwd });
  if (!answer.ok && PASSING.test(answer.stderr)) {
    // A server that is started from within a worker is for all of them, and must not end with that worker.
    const { level } = containment;
    answer = await (level === 'cgroup' ? bornInside(containment.home, containment.home.path, start) : start());
  }
  const { ok, stdout, stderr: refusal } = answer;
  // It may be made and have ended again before the rest of the command came to its turn.
  if (!ok && stdout === '') {
    if (PASSING.test(refusal) && !refusal.includes('File name too long')) return { opened: null, refusal };
    throw new TmuxError(refusal);
  }
  const [pid, windowId = '', paneId = '', panePid, ...path] = stdout.trim().split(' ');
  // A server that has ended already, with a command that was quick, is known by what can still be known of it.
  const server = identify(Number(pid)) ?? { pid: Number(pid), startTime: '', boot: thisMachine().boot };
  const pane = identify(Number(panePid));
  return { opened: { address: { socketPath: path.join(' ') }, windowId, paneId, server, pane }, refusal };
}

/**
 * What a new pane runs first: it marks its window, has its output piped to a file, and becomes the command. A file, as
 * tmux takes no command line longer than 16 KB, and a variable in it must not be seen in the process list.
 */
function startScript(tmux: string, { folder, log, argv, env }: WindowRequest, planned: PlannedWindow): string {
  const { worker, nonce, leaf } = planned;
  // A leaf in which something still lives stays until the window is ended.
  const tidy = leaf === null ? '' : ` rmdir ${shellQuote(leaf)} 2>/dev/null;`;
  // tmux expands formats and the time in the command of a pipe.
  const pipe = pipeInto(log, filesOf(folder, planned).piped, tidy).replaceAll('#', '##').replaceAll('%', '%%');
  const entry = shellQuote(`${leaf}/cgroup.procs`);
  const here = ['-t', '"$TMUX_PANE"'];
  const commands = [
    ['set-option', '-w', ...here, NONCE_OPTION, nonce],
    ['set-option', '-w', ...here, '@swarm_worker', shellQuote(literal(worker))],
    ['set-option', '-p', ...here, NONCE_OPTION, nonce],
    // Whatever the user has set for other windows: a worker that has ended is seen in its log, not in a dead window.
    ['set-option', '-w', ...here, 'remain-on-exit', 'off'],
    ['pipe-pane', ...here, shellQuote(pipe)],
  ];
  const variables = Object.entries(env).map(([name, value]) => shellQuote(`${name}=${value}`));
  return [
    `${shellQuote(tmux)} ${commands.map((words) => words.join(' ')).join(" ';' ")} || exit 125`,
    // The leaf is the permission to start: a window that was ended before it began has none. One that is there but not
    // ours to enter, as when the server lives in another session of the machine, leaves the command to its mark.
    ...(leaf === null ? [] : [`{ echo 0 >${entry}; } 2>/dev/null || [ -d ${shellQuote(leaf)} ] || exit 125`]),
    // Its maker sees by this that the window is marked.
    'rm -f -- "$0"',
    `${MARK_VARIABLE}="\${${MARK_VARIABLE}:+$${MARK_VARIABLE} }"${shellQuote(markOf(planned))}`,
    `export ${MARK_VARIABLE}`,
    ['exec', ...(variables.length === 0 ? [] : ['env', ...variables]), ...argv.map(shellQuote)].join(' '),
    '',
  ].join('\n');
}
