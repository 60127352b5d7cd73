/**
 * What a new pane runs first: it marks its own window, has its output piped to a file, and becomes the command. Nothing
 * of the command runs unmarked or unrecorded. A file, because tmux takes no command line longer than 16 KB, and because
 * a variable in it is nobody's to read in the process list.
 */
import { MARK_VARIABLE } from '../process/mark.ts';
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
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** User options of the window, and of the pane, which a person may move to another window. */
export const NONCE_OPTION = '@swarm_nonce';
export const WORKER_OPTION = '@swarm_worker';

export function startScript({ tmux, nonce, mark, worker, log, piped, argv, env }: Start): string {
  const pipe = `cat >>${quoted(log)}; : >${quoted(piped)}`;
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
    // Whoever made the window sees by this that it is marked.
    'rm -f -- "$0"',
    `${MARK_VARIABLE}="\${${MARK_VARIABLE}:+$${MARK_VARIABLE} }"${quoted(mark)}`,
    `export ${MARK_VARIABLE}`,
    ['exec', ...(variables.length === 0 ? [] : ['env', ...variables]), ...argv.map(quoted)].join(' '),
    '',
  ].join('\n');
}

export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** tmux expands formats and the time in the command of a pipe. */
function unexpanded(command: string): string {
  return command.replaceAll('#', '##').replaceAll('%', '%%');
}
