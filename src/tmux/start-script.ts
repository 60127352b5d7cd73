/**
 * What a new pane runs first: it marks its own window, has its output piped to a file, and becomes the command. Nothing
 * of the command runs unmarked or unrecorded. A file, because tmux takes no command line longer than 16 KB, and because
 * a variable in it is nobody's to read in the process list.
 */
import { MARK_VARIABLE } from '../process/containment/mark.ts';
import { literal } from './command.ts';

export interface Start {
  readonly tmux: string;
  readonly nonce: string;
  readonly mark: string;
  readonly worker: string;
  /** The whole output goes to its end. */
  readonly log: string;
  /** Made when the last of the output is in the log. */
  readonly piped: string;
  /** The cgroup that the command lives in. */
  readonly leaf: string | null;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** User options of the window, and of the pane, which a person may move to another window. */
export const NONCE_OPTION = '@swarm_nonce';
export const WORKER_OPTION = '@swarm_worker';

export function startScript({ tmux, nonce, mark, worker, log, piped, leaf, argv, env }: Start): string {
  // A leaf in which something still lives stays, for whoever ends the window.
  const tidy = leaf === null ? '' : ` rmdir ${quoted(leaf)} 2>/dev/null;`;
  const pipe = `cat >>${quoted(log)};${tidy} : >${quoted(piped)}`;
  const here = ['-t', '"$TMUX_PANE"'];
  const commands = [
    ['set-option', '-w', ...here, quoted(NONCE_OPTION), quoted(nonce)],
    ['set-option', '-w', ...here, quoted(WORKER_OPTION), quoted(literal(worker))],
    ['set-option', '-p', ...here, quoted(NONCE_OPTION), quoted(nonce)],
    // Whatever the user has set for other windows: a worker that has ended is seen in its log, not in a dead window.
    ['set-option', '-w', ...here, 'remain-on-exit', 'off'],
    ['pipe-pane', ...here, quoted(unexpanded(pipe))],
  ];
  const variables = Object.entries(env).map(([name, value]) => quoted(`${name}=${value}`));
  return [
    `${quoted(tmux)} ${commands.map((words) => words.join(' ')).join(" ';' ")} || exit 125`,
    ...(leaf === null ? [] : [enter(leaf)]),
    // Whoever made the window sees by this that it is marked.
    'rm -f -- "$0"',
    `${MARK_VARIABLE}="\${${MARK_VARIABLE}:+$${MARK_VARIABLE} }"${quoted(mark)}`,
    `export ${MARK_VARIABLE}`,
    ['exec', ...(variables.length === 0 ? [] : ['env', ...variables]), ...argv.map(quoted)].join(' '),
    '',
  ].join('\n');
}

/**
 * The leaf is the permission to start: a window that was ended before it began has none. One that is there but not
 * ours to enter, as when the server lives in another session of the machine, leaves the command to its mark.
 */
function enter(leaf: string): string {
  return `{ echo 0 >${quoted(`${leaf}/cgroup.procs`)}; } 2>/dev/null || [ -d ${quoted(leaf)} ] || exit 125`;
}

export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** tmux expands formats and the time in the command of a pipe. */
function unexpanded(command: string): string {
  return command.replaceAll('#', '##').replaceAll('%', '%%');
}
