/**
 * Runs an agent in a tmux pane that a person can attach to, on a server of its own: nothing of the user's is touched.
 * Its output and exit status go into files, so that a supervisor that comes after a crash can adopt the running agent.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Handle } from '../core/action.ts';
import type { Exit } from '../core/outcome.ts';
import { digestOf } from '../core/text/digest.ts';
import type { Duration } from '../core/time.ts';
import { readExitFile, withExitFile } from '../process/containment/exit-wrapper.ts';
import { endOnAbort, endRun, isGone } from '../process/end.ts';
import { watchFolder } from '../process/folder-watch.ts';
import { follow } from '../process/follow.ts';
import type { Host } from '../process/host.ts';
import { LaunchError, launch } from '../process/launch.ts';
import { readLastTrace, readTrace, type Trace } from '../process/trace.ts';
import { findProgram } from '../process/which.ts';
import { outputFile } from '../state/run-files.ts';
import { COLUMNS, literal, outsideOfTmux, pipeInto, ROWS } from '../tmux/command.ts';
import { appears } from '../tmux/window.ts';
import { type RunFiles, type Runner, stderrName } from './runner.ts';

export function tmuxRunner({ host, grace }: { readonly host: Host; readonly grace: Duration }): Runner {
  return {
    name: 'tmux',
    outlives: true,
    missing(cwd) {
      return findTmux(host.env, cwd) === null ? noTmux : null;
    },
    async start(run) {
      const { folder, mark, argv, cwd, env, stdin } = run;
      const program = stdin === undefined ? argv : ['sh', '-c', 'exec "$@" <"$0"', join(folder, stdin), ...argv];
      const { exited } = await launch({
        argv: tmuxCommand(run, cwd, program),
        cwd,
        // A pane does not belong to the terminal that ralph was started in.
        env: outsideOfTmux(env),
        folder,
        mark,
        stdout: stderrName(run),
        stderr: stderrName(run),
        // A pid namespace would end the server together with the command that starts it.
        containment: host.containment.level === 'cgroup' ? host.containment : { level: 'group' },
      });
      const exit = await exited;
      if (exit.by === 'code' && exit.code === 0) return { pid: null };
      throw new LaunchError('tmux', new Error(readFileSync(join(folder, stderrName(run)), 'utf8')));
    },
    async await(run, watch) {
      const trace = readTrace(run.folder, run.mark);
      if (trace === null) return { by: 'unseen' };
      const output = { name: outputFile(run.name), onChunk: (chunk: Buffer) => watch.onOutput(chunk) };
      const follower = follow(run.folder, [output], watch.ready);
      try {
        const exit = await endOnAbort(trace, { signal: watch.signal, grace }, () => exitOf(run, trace));
        await appears(pipedFile(run));
        await endRun(trace, grace);
        await follower.drain();
        return exit;
      } finally {
        follower.close();
      }
    },
    async close() {
      // A pane continues by itself until it is adopted.
    },
  };
}

export const findTmux = (env: NodeJS.ProcessEnv, cwd: string): string | null => findProgram('tmux', env.PATH, cwd);

export const noTmux = {
  reason: 'tmux is not installed',
  hint: 'Install it, or start a new loop without --runner tmux.',
} as const;

export const hasPane = ({ runner }: Handle): boolean => runner === 'tmux';

/** The command that shows the pane of the latest run; null if there was none. */
export function attachWords(runs: string): readonly [string, ...string[]] | null {
  const mark = readLastTrace(runs)?.plan.mark;
  return mark === undefined ? null : ['tmux', '-L', socketOf(mark), 'attach-session'];
}

const socketOf = (mark: string): string => `ralph-${digestOf(mark)}`;

const exitName = ({ name }: RunFiles) => `${name}.exit`;
const pipedFile = ({ folder, name }: RunFiles) => join(folder, `${name}.piped`);

/** The pane waits until its output is piped: no first line is lost. */
function tmuxCommand(run: RunFiles, cwd: string, argv: readonly string[]): [string, ...string[]] {
  const tmux = ['tmux', '-L', socketOf(run.mark), '-f', '/dev/null'] as const;
  const waiting = ['sh', '-c', 'tmux wait-for piped; exec "$@"', 'ralph-pane'];
  const pane = [...waiting, ...withExitFile(argv, join(run.folder, exitName(run)))].map(literal);
  const pipe = pipeInto(join(run.folder, outputFile(run.name)), pipedFile(run));
  const newSession = ['new-session', '-d', '-x', String(COLUMNS), '-y', String(ROWS), '-c', cwd, ...pane];
  return [...tmux, ...newSession, ';', 'pipe-pane', pipe, ';', 'wait-for', '-S', 'piped'];
}

/** On macOS, each look starts a program. */
const LOOK_AT_PANE_EVERY_MS = process.platform === 'linux' ? 200 : 1000;

function exitOf(run: RunFiles, trace: Trace): Promise<Exit> {
  const watch = watchFolder(run.folder);
  return new Promise((resolve) => {
    const look = (ended: boolean): void => {
      const exit = readExitFile(join(run.folder, exitName(run)));
      if (exit === null && !ended) return;
      watch.close();
      clearInterval(timer);
      resolve(exit ?? { by: 'unseen' });
    };
    // Look at the pane first: a status that was written in between is still found.
    const lookAtPane = (): void => look(isGone(trace));
    watch.on(exitName(run), () => look(false));
    // For a pane that dies without writing its status.
    const timer = setInterval(lookAtPane, LOOK_AT_PANE_EVERY_MS);
    lookAtPane();
  });
}
