/** `swarm spawn`: starts a worker; with `--ralph` one whose agent is started again and again. */
import { resolve } from 'node:path';
import { withModel } from '../../agents/installed.ts';
import { paneAgent } from '../../agents/pane.ts';
import { readEnvironment } from '../../config/environment.ts';
import { handled } from '../../core/error.ts';
import { describeExit } from '../../core/outcome.ts';
import { spawnedLine } from '../../loops/swarm/ralph/console.ts';
import { isTurned } from '../../loops/swarm/ralph/find.ts';
import { createRalph, readPromptFile } from '../../loops/swarm/ralph/loop.ts';
import { startProblem } from '../../loops/swarm/ralph/pane-run.ts';
import type { PromptVia, RalphRequest } from '../../loops/swarm/ralph/rules.ts';
import { promptVia } from '../../loops/swarm/ralph/watch-pane.ts';
import { startSupervisor } from '../../loops/swarm/ralph/worker.ts';
import { endWorker, windowOf } from '../../loops/swarm/workers/liveness.ts';
import {
  checkName,
  describePlace,
  sandboxMetadata,
  sandboxOf,
  type WorkerRecord,
} from '../../loops/swarm/workers/record.ts';
import { putWorker, readWorkers, removeWorker } from '../../loops/swarm/workers/registry.ts';
import { type SpawnRequest, spawnWorker, startedNow, startWorker } from '../../loops/swarm/workers/spawn.ts';
import { refused, type Swarm, workerFiles } from '../../loops/swarm/workers/swarm.ts';
import { agentFindings, NO_AGENT } from '../../preflight/agents.ts';
import { diskFindings } from '../../preflight/disk.ts';
import { diskPlaces } from '../../preflight/preflight.ts';
import { resolvedRequest, type SandboxFlags, sandboxFromFlags } from '../../runners/sandbox/request.ts';
import { TmuxError } from '../../tmux/command.ts';
import { parseDonePattern } from '../../tmux/done-pattern/done-pattern.ts';
import { waitUntilReady } from '../../tmux/ready.ts';
import { exitOf, paneOfWindow } from '../../tmux/window.ts';
import { turnInForeground } from './ralph/run.ts';

interface SpawnFlags extends SandboxFlags {
  readonly name: string;
  readonly tmux?: boolean;
  readonly session: string;
  readonly tmuxSocket?: string;
  readonly worktree?: boolean;
  readonly branch?: string;
  readonly worktreeDir?: string;
  readonly tag: readonly string[];
  readonly env: readonly string[];
  readonly cwd?: string;
  readonly readyWait?: boolean;
  readonly readyTimeout?: number;
  readonly ralph?: boolean;
  readonly promptFile?: string;
  readonly maxIterations?: number;
  readonly inactivityTimeout: number;
  readonly donePattern?: string;
  readonly promptVia?: PromptVia;
  readonly detach?: boolean;
  readonly dryRun?: boolean;
  readonly agent?: string;
  readonly model?: string;
}

export async function spawnCommand(swarm: Swarm, words: readonly string[], flags: SpawnFlags): Promise<number> {
  if (flags.ralph === true) return spawnRalph(swarm, words, flags);
  const request = await spawnRequest(swarm, words, flags);
  if (flags.dryRun === true) return (await import('./dry-run.ts')).dryRun(swarm, request);
  const record = await undisturbed(() => spawnWorker(swarm, request, startWorker));
  if (flags.readyWait === true && record.tmux !== null) await waitForReady(swarm, record, flags.readyTimeout ?? 120);
  swarm.say(`spawned ${record.name} (${describePlace(record)})`);
  return 0;
}

/** Ctrl-C ends git or tmux, so that a step fails and those before it are undone; it must not end the undoing, too. */
async function undisturbed<T>(work: () => Promise<T>): Promise<T> {
  const hold = (): void => undefined;
  process.on('SIGINT', hold).on('SIGTERM', hold);
  try {
    return await work();
  } finally {
    process.off('SIGINT', hold).off('SIGTERM', hold);
  }
}

/** Whether a command that is not a known agent is ready is judged by what prompts look like. */
async function waitForReady(swarm: Swarm, record: WorkerRecord, seconds: number): Promise<void> {
  const { name } = record;
  const warn = (text: string): void => swarm.warn(`swarm: warning: ${text}`);
  const window = windowOf(swarm.home, name);
  try {
    if (window === null) throw new TmuxError('it has no window');
    const readiness = await waitUntilReady({
      pane: paneOfWindow(window, swarm.env),
      agent: paneAgent(record.cmd),
      timeout: seconds * 1000,
      onDialog: ({ message }) => warn(message),
    });
    if (readiness.is === 'timed-out') warn(`agent '${name}' did not become ready within ${seconds}s`);
  } catch (error) {
    if (!(error instanceof TmuxError)) throw error;
    const exit = window === null ? null : exitOf(workerFiles(swarm.home, name).window, window);
    warn(`agent '${name}' exited before it became ready${exit === null ? '' : ` (${describeExit(exit)})`}`);
  }
}

async function spawnRequest(swarm: Swarm, words: readonly string[], flags: SpawnFlags): Promise<SpawnRequest> {
  const { name, session, branch = name, ralph: hasLoop = false } = flags;
  const cmd = commandOf(words, flags);
  if (cmd.length === 0) throw refused('no command provided (use -- command...)');
  checkName(name);
  // tmux would use another name instead, or none at all.
  const problem = session === '' ? 'it is empty' : 'tmux names cannot contain ".", ":", "#" or control characters';
  if (/^$|[.:#]|\p{Cc}/u.test(session)) throw refused(`invalid session name '${session}': ${problem}`);
  // `swarm` has no settings that could ask for a sandbox.
  const sandbox = resolvedRequest(sandboxFromFlags(flags), undefined);
  const worker: WorkerRecord = {
    name,
    status: 'running',
    cmd,
    started: '',
    cwd: resolve(swarm.cwd, flags.cwd ?? '.'),
    env: Object.fromEntries(flags.env.map(parseVariable)),
    tags: flags.tag,
    tmux: flags.tmux === true || hasLoop ? { session, window: name, socket: flags.tmuxSocket ?? null } : null,
    worktree: null,
    pid: null,
    metadata: hasLoop ? { ralph: true, ralph_iteration: 1 } : {},
  };
  const worktree = flags.worktree === true ? { branch, parent: flags.worktreeDir } : null;
  if (sandbox.kind === 'none') return { worker, worktree };
  const { resolveWorkerSandbox } = await import('../../loops/swarm/workers/sandbox.ts');
  const place = { argv: cmd, cwd: swarm.cwd };
  const { sandbox: had, noSandbox } = await resolveWorkerSandbox(sandbox, place, swarm, hasLoop);
  if (had === null) {
    swarm.warn(`swarm: warning: no sandbox: ${noSandbox}`);
    swarm.say('Isolation: none, the agent can do whatever you can');
  }
  return { worker: { ...worker, metadata: { ...worker.metadata, ...sandboxMetadata(had) } }, worktree };
}

/** The agent can be named by a flag, as in the other loops. */
function commandOf(words: readonly string[], { agent, model }: SpawnFlags): readonly string[] {
  const given = words[0] === '--' ? words.slice(1) : words;
  if (agent !== undefined && given.length > 0) throw refused('give the command after -- or with --agent, not both');
  const command = agent === undefined ? given : [agent];
  const [program, ...args] = command;
  if (model === undefined || program === undefined) return command;
  const hint = 'Give the whole command after --';
  const flags = handled(
    () => withModel(program, args, model),
    ({ message }) => {
      throw refused(message, 1, hint);
    },
  );
  return [program, ...flags];
}

function parseVariable(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw refused(`invalid env format '${text}' (expected KEY=VAL)`);
  return [text.slice(0, at), text.slice(at + 1)];
}

async function spawnRalph(swarm: Swarm, words: readonly string[], flags: SpawnFlags): Promise<number> {
  // Checked first, whatever else is missing.
  if (flags.promptFile === undefined) throw refused('--ralph requires --prompt-file');
  if (flags.maxIterations === undefined) throw refused('--ralph requires --max-iterations');
  const spawn = await spawnRequest(swarm, words, flags);
  const request = ralphRequest(swarm, spawn.worker, flags);
  if (flags.dryRun === true) {
    const { promptFile, maxIterations, donePattern } = request;
    const until = donePattern === null ? '' : `, until its output matches ${donePattern}`;
    const planned = `up to ${maxIterations} iterations${until}; ${promptFile} is passed by ${promptVia(request)}`;
    return (await import('./dry-run.ts')).dryRun(swarm, spawn, planned);
  }
  const { name, sandbox = null } = request;
  for (const { what, fix } of warningsOf(swarm, request, spawn.worker.cwd))
    swarm.warn(`swarm: warning: ${what}: ${fix}`);
  const loop = await spawnWorker(swarm, spawn, async (_, worker, undo) => {
    const { cwd } = worker;
    // Checked here, so that it is reported even if nothing waits for the first iteration.
    const problem = startProblem(request.command[0], swarm.env, cwd);
    if (problem !== null) throw refused(`failed to spawn worker: ${problem}`);
    if (sandbox?.kind === 'docker') refuseSharedMachine(swarm, worker);
    await endWorker(swarm, name);
    if (sandbox !== null) {
      const { rememberRepository } = await import('../../loops/swarm/workers/sandbox.ts');
      rememberRepository(swarm.home, name, cwd, swarm.env);
    }
    undo.push({ what: 'remove the record', run: () => removeWorker(swarm, name) });
    await putWorker(swarm, startedNow(worker));
    return createRalph(swarm, request, cwd);
  });
  if (flags.detach !== true) return turnInForeground(swarm, loop);
  loop.close();
  await startSupervisor(swarm, name);
  swarm.say(spawnedLine(name, request.session, request.maxIterations));
  swarm.show(`
Monitor:
  swarm ralph status ${name}    # loop progress
  swarm peek ${name}            # terminal output
  swarm ralph logs ${name}      # iteration history
  swarm kill ${name}            # stop worker
`);
  return 0;
}

/** Problems that would make each iteration fail. A missing program is not among them: the seed words that error. */
function warningsOf({ env }: Swarm, { command: [command, ...flags], sandbox, env: own }: RalphRequest, cwd: string) {
  const { root } = readEnvironment(env);
  const place = {
    cwd,
    env: { ...env, ...own },
    sandbox: sandbox?.kind,
    runner: 'tmux',
    checks: [],
    problems: [],
  } as const;
  const agents = agentFindings({ ...place, agents: [{ command, flags }] });
  const found = [...agents, ...diskFindings(diskPlaces(root.path, cwd))];
  return found.filter(({ level, code }) => level !== 'ok' && code !== NO_AGENT);
}

function ralphRequest(swarm: Swarm, worker: WorkerRecord, flags: SpawnFlags): RalphRequest {
  const { promptFile = '', maxIterations = 0, inactivityTimeout, donePattern = null } = flags;
  const path = resolve(swarm.cwd, promptFile);
  readPromptFile(path, promptFile);
  if (donePattern !== null) parseDonePattern(donePattern);
  if (maxIterations > 50) {
    swarm.warn('swarm: warning: high iteration count (>50) may consume significant resources');
  }
  const { swarmSecondMs: secondMs } = readEnvironment(swarm.env);
  const sandbox = sandboxOf(worker);
  const [program = '', ...args] = worker.cmd;
  return {
    name: worker.name,
    home: swarm.home,
    command: [program, ...args],
    env: worker.env,
    session: flags.session,
    socket: flags.tmuxSocket ?? null,
    promptFile: path,
    promptVia: flags.promptVia ?? null,
    maxIterations,
    inactivityTimeout,
    donePattern,
    readyTimeout: flags.readyTimeout ?? 30,
    // Files that a run wrote come out of Docker within three seconds.
    sandbox: sandbox?.kind === 'docker' ? { ...sandbox, settleMs: 3 * secondMs } : sandbox,
    secondMs,
  };
}

/** A work tree has one Docker Sandbox, which is stopped between runs: that would also end a second loop's agent. */
function refuseSharedMachine(swarm: Swarm, { name, cwd }: WorkerRecord): void {
  const others = readWorkers(swarm).filter((record) => record.name !== name && record.cwd === cwd);
  const other = others.find((each) => sandboxOf(each)?.kind === 'docker' && isTurned(swarm, each.name));
  if (other === undefined) return;
  const hint = 'Give it its own work tree: --worktree';
  throw refused(`the Docker Sandbox of ${cwd} is used by worker '${other.name}'`, 2, hint);
}
