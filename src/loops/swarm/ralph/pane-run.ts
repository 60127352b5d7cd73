/** Starts an agent's run in the worker's tmux window, at most once for each run key, and follows it to its end. */
import { createHash } from 'node:crypto';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { faultOnScreen } from '../../../agents/pane.ts';
import { partOf } from '../../../checks/log-file.ts';
import { type Action, type RunKey, runName } from '../../../core/action.ts';
import { RalphError } from '../../../core/error.ts';
import type { Exit, Fault } from '../../../core/outcome.ts';
import type { Ran, Result } from '../../../core/record.ts';
import { keyEnvironment, type PerformAt } from '../../../engine/performers/perform.ts';
import type { Containment } from '../../../process/containment/containment.ts';
import { makeFolders, whyNoFolder, writeFile } from '../../../process/files.ts';
import type { Host } from '../../../process/host.ts';
import { findProgram } from '../../../process/which.ts';
import { claimRun, outputFile, refuseFull, runsFolder } from '../../../state/run-files.ts';
import { TmuxError, tmuxAt } from '../../../tmux/command.ts';
import { createWindow } from '../../../tmux/create-window.ts';
import { terminalText } from '../../../tmux/done-pattern/text.ts';
import {
  exitedAt,
  killWindow,
  makeEmptyFolder,
  readMadeWindow,
  readWindow,
  serverIsAlive,
  type Window,
} from '../../../tmux/window.ts';
import type { WorkerSandbox } from '../workers/sandbox.ts';
import { workerFiles } from '../workers/swarm.ts';
import { refusalsFile } from './find.ts';
import type { RalphRequest } from './rules.ts';
import { commandWith, followOutput, promptVia, seeToEnd } from './watch-pane.ts';

export interface PaneRuns {
  readonly loop: { readonly id: string; readonly folder: string };
  readonly request: RalphRequest;
  readonly windowFolder: string;
  readonly cwd: string;
  readonly host: Host;
  readonly containment: Containment;
  /** The sandbox of its agents; null for none. */
  readonly sandbox: () => Promise<WorkerSandbox | null>;
}

type Of<Do extends Action['do']> = Extract<Action, { do: Do }>;

/** If the claim already exists, a supervisor that died has started this run, or was about to. */
export async function startInPane(runs: PaneRuns, { run, prompt }: Of<'start'>): Promise<Result> {
  const { loop, request, cwd, host, containment } = runs;
  const { command, session, socket, name: worker } = request;
  const problem = startProblem(command[0], host.env, cwd);
  if (problem !== null) return { kind: 'unstartable', reason: problem };
  const sandbox = await runs.sandbox();
  const { folder, name, isNew } = claimRun(loop.folder, runName(run));
  const started: Result = { kind: 'started', handle: { runner: 'swarm', name } };
  if (!isNew) return started;
  const promptFile = join(folder, `${name}.prompt`);
  writeFile(promptFile, prompt, { mode: 0o600 });
  await endLeftWindow(runs);
  const enclosed = sandbox === null ? command : sandbox.command(command, join(folder, refusalsFile(name)));
  try {
    await createWindow({
      tmux: tmuxAt({ socket }, host.env),
      session,
      worker,
      folder: runs.windowFolder,
      nonce: nonceOf(runs, run),
      log: join(folder, outputFile(name)),
      argv: commandWith(enclosed, promptVia(request), { text: prompt, file: promptFile }),
      cwd,
      containment,
      env: { ...request.env, ...keyEnvironment(loop.id, runName(run), 1) },
    });
  } catch (error) {
    if (!(error instanceof TmuxError)) throw error;
    return { kind: 'unstartable', reason: `failed to create tmux window: ${error.message}` };
  }
  // `swarm logs` reads the worker's log, so link it to the output of the current run.
  const { logsFolder, logs } = workerFiles(request.home, worker);
  makeFolders(logsFolder, 0o700);
  rmSync(logs.tmux, { force: true });
  symlinkSync(join(folder, outputFile(name)), logs.tmux);
  return started;
}

export async function awaitInPane(runs: PaneRuns, action: Of<'await'>, at: PerformAt): Promise<Result> {
  const { loop, host, request, windowFolder } = runs;
  const { name } = action.handle;
  const { donePattern = null, inactivityMs = Number.POSITIVE_INFINITY } = action.screen ?? {};
  const folder = runsFolder(loop.folder);
  const window = readMadeWindow(windowFolder);
  if (window?.nonce !== nonceOf(runs, action.run)) {
    // The supervisor died before it had created the window, or before it had recorded where it is.
    await endLeftWindow(runs);
    await afterPaneRun(runs, true, at);
    return { kind: 'interrupted', reason: 'it was never seen in its window' };
  }
  const promptFile = join(folder, `${name}.prompt`);
  const output = followOutput({ folder, run: name, promptFile }, donePattern, at);
  try {
    const { by, exit } = await seeToEnd({ runs, window, promptFile, inactivityMs, output }, at);
    const bytes = output.bytes();
    const endedAt = exit.by === 'unseen' ? null : exitedAt(windowFolder, window);
    const isCutOff = by === 'exit' && exit.by === 'unseen' && (await serverEnds(window));
    await killWindow(window, host.env);
    const refusals = await output.end();
    // If it did not end by itself, it may still run where only its client was ended.
    await afterPaneRun(runs, by !== 'exit' || exit.by === 'unseen', at);
    if (by === 'command' || at.signal.aborted) return { kind: 'interrupted', reason: 'told to stop' };
    refuseRunWithoutRoom(runs, name);
    // A stable screen or a matched pattern ends an iteration normally; an exit can be a failure.
    const outcome: Ran['outcome'] = by === 'exit' ? outcomeOf(exit, isCutOff) : { kind: 'worked' };
    // By the seed's rules, an agent at a limit has failed, or is inactive, like any other; the fault is only named.
    const isWorkless = outcome.kind === 'failed' || by === 'inactivity';
    const shown = outcome.kind === 'failed' ? endOf(join(folder, outputFile(name))) : output.lastScreen();
    const fault = isWorkless ? faultOnScreen(request.command, shown, Date.now()) : null;
    return {
      kind: 'ran',
      outcome,
      said: { tag: null, firstLine: null },
      transcript: { path: join('runs', outputFile(name)), bytes },
      ...(by === 'exit' ? {} : { endedBy: by }),
      ...(endedAt === null ? {} : { endedAt }),
      ...(fault === null ? {} : { complaint: `${FAULTS[fault.kind] ?? 'service fault'}: ${fault.reason}` }),
      ...(refusals === 0 ? {} : { refusals }),
    };
  } finally {
    output.close();
  }
}

const FAULTS: Partial<Record<Fault['kind'], string>> = { limit: 'usage limit', auth: 'not logged in' };

const endOf = (log: string) => terminalText().push(Buffer.from(partOf(log, 64 * 1024, 'end').output));

/** Why no agent can be started; null if no reason is known. */
export function startProblem(program: string, { PATH }: NodeJS.ProcessEnv, cwd: string): string | null {
  const nowhere = whyNoFolder(cwd);
  if (nowhere !== null) return nowhere.reason;
  if (findProgram(program, PATH, cwd) === null) return `command not found: ${program}`;
  return findProgram('tmux', PATH, cwd) === null ? 'tmux is not installed' : null;
}

/** Throws if the disk is full. Clears the window's folder, so that a resume does not count the exit as a failure. */
function refuseRunWithoutRoom({ loop, windowFolder }: PaneRuns, name: string): void {
  try {
    refuseFull(runsFolder(loop.folder), outputFile(name));
  } catch (error) {
    makeEmptyFolder(windowFolder);
    throw error;
  }
}

/** In the OS sandbox, a run that ended by itself has cleaned up. If Docker is gone, the loop must still end. */
async function afterPaneRun({ request, sandbox }: PaneRuns, cutOff: boolean, at: PerformAt): Promise<void> {
  const { kind = 'none' } = request.sandbox ?? {};
  if (kind === 'none' || (kind === 'os' && !cutOff)) return;
  try {
    await (await sandbox())?.afterRun(cutOff);
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    at.progress({ type: 'notice', text: error.message });
  }
}

/** Whether the tmux server ends now. That takes a moment, and its panes end first. */
async function serverEnds(window: Window): Promise<boolean> {
  for (let looks = 0; looks < 25 && serverIsAlive(window); looks++) await sleep(20);
  return !serverIsAlive(window);
}

function outcomeOf(exit: Exit, isCutOff: boolean): Ran['outcome'] {
  // Not the agent's fault: the iteration starts again and does not count.
  if (isCutOff) return { kind: 'infrastructure', reason: 'the tmux server has ended' };
  return exit.by === 'code' && exit.code === 0 ? { kind: 'worked' } : { kind: 'failed', exit };
}

/** Ends a window that an earlier run, or a start that was cut off, may have left open. */
async function endLeftWindow({ windowFolder, host }: PaneRuns): Promise<void> {
  const left = readWindow(windowFolder);
  if (left !== null) await killWindow(left, host.env);
}

/** Derived from the run's key, so that a supervisor that adopts the run recognises its window. */
function nonceOf({ loop }: PaneRuns, run: RunKey): string {
  const key = `${loop.id}/${runName(run)}`;
  // It begins with the loop's id: the cgroup is named after it, and shows a process in it which loop it works for.
  return `${loop.id}-${createHash('sha256').update(key).digest('hex').slice(0, 32)}`;
}
