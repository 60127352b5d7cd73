/**
 * What a new pane runs first: it marks its own window, has its output piped to a file, and becomes the command. Nothing
 * of the command runs unmarked or unrecorded. A file, because tmux takes no command line longer than 16 KB, and because
 * a variable in it must not be seen in the process list.
 */
import { shellQuote } from '../core/text/quote-word.ts';
import { MARK_VARIABLE } from '../process/identity/process-table.ts';
import { literal, pipeInto } from './command.ts';
import type { WindowRequest } from './window.ts';
import type { Window } from './window-file.ts';

export interface Start extends Pick<WindowRequest, 'worker' | 'log' | 'argv' | 'env'>, Pick<Window, 'nonce' | 'leaf'> {
  /** The program. */
  readonly tmux: string;
  readonly mark: string;
  /** Made when the last of the output is in the log. */
  readonly piped: string;
}

/** User options of the window, and of the pane, which a person may move to another window. */
export const NONCE_OPTION = '@swarm_nonce';
const WORKER_OPTION = '@swarm_worker';

export function startScript({ tmux, nonce, mark, worker, log, piped, leaf, argv, env }: Start): string {
  // A leaf in which something still lives stays until the window is ended.
  const tidy = leaf === null ? '' : ` rmdir ${shellQuote(leaf)} 2>/dev/null;`;
  const pipe = pipeInto(log, piped, tidy);
  const here = ['-t', '"$TMUX_PANE"'];
  const commands = [
    ['set-option', '-w', ...here, shellQuote(NONCE_OPTION), shellQuote(nonce)],
    ['set-option', '-w', ...here, shellQuote(WORKER_OPTION), shellQuote(literal(worker))],
    ['set-option', '-p', ...here, shellQuote(NONCE_OPTION), shellQuote(nonce)],
    // Whatever the user has set for other windows: a worker that has ended is seen in its log, not in a dead window.
    ['set-option', '-w', ...here, 'remain-on-exit', 'off'],
    ['pipe-pane', ...here, shellQuote(unexpanded(pipe))],
  ];
  const variables = Object.entries(env).map(([name, value]) => shellQuote(`${name}=${value}`));
  return [
    `${shellQuote(tmux)} ${commands.map((words) => words.join(' ')).join(" ';' ")} || exit 125`,
    ...(leaf === null ? [] : [enter(leaf)]),
    // Its maker sees by this that the window is marked.
    'rm -f -- "$0"',
    `${MARK_VARIABLE}="\${${MARK_VARIABLE}:+$${MARK_VARIABLE} }"${shellQuote(mark)}`,
    `export ${MARK_VARIABLE}`,
    ['exec', ...(variables.length === 0 ? [] : ['env', ...variables]), ...argv.map(shellQuote)].join(' '),
    '',
  ].join('\n');
}

/**
 * The leaf is the permission to start: a window that was ended before it began has none. One that is there but not
 * ours to enter, as when the server lives in another session of the machine, leaves the command to its mark.
 */
function enter(leaf: string): string {
  return `{ echo 0 >${shellQuote(`${leaf}/cgroup.procs`)}; } 2>/dev/null || [ -d ${shellQuote(leaf)} ] || exit 125`;
}

/** tmux expands formats and the time in the command of a pipe. */
function unexpanded(command: string): string {
  return command.replaceAll('#', '##').replaceAll('%', '%%');
}
