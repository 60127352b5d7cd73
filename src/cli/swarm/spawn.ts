/** `swarm spawn`: starts a worker. */
import { paneAgent } from '../../agents/pane.ts';
import { describeExit } from '../../core/outcome.ts';
import type { PromptVia } from '../../loops/swarm/ralph/rules.ts';
import { windowFolder } from '../../loops/swarm/workers/home.ts';
import { controlOf, windowOf } from '../../loops/swarm/workers/life.ts';
import { checkName, describePlace, type WorkerRecord } from '../../loops/swarm/workers/record.ts';
import { type SpawnRequest, spawnWorker } from '../../loops/swarm/workers/spawn.ts';
import { refused, type Swarm } from '../../loops/swarm/workers/swarm.ts';
import { resolvedRequest, type SandboxFlags, sandboxFromFlags } from '../../runners/sandbox/request.ts';
import { TmuxGone, TmuxRefusal } from '../../tmux/control.ts';
import { waitUntilReady } from '../../tmux/ready.ts';
import { sessionNameProblem } from '../../tmux/session.ts';
import { exitOf } from '../../tmux/window.ts';

export interface SpawnFlags extends SandboxFlags {
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
  /** In seconds. */
  readonly readyTimeout?: number;
  readonly ralph?: boolean;
  readonly promptFile?: string;
  readonly maxIterations?: number;
  /** In seconds. */
  readonly inactivityTimeout: number;
  readonly donePattern?: string;
  readonly promptVia?: PromptVia;
  readonly detach?: boolean;
  readonly dryRun?: boolean;
}

/** In seconds. */
const READY_TIMEOUT = 120;
const READY_TIMEOUT_IN_A_LOOP = 30;

export async function spawnCommand(swarm: Swarm, words: readonly string[], flags: SpawnFlags): Promise<number> {
  if (flags.ralph === true) {
    const { spawnRalph } = await import('./ralph/spawn.ts');
    const readyTimeout = flags.readyTimeout ?? READY_TIMEOUT_IN_A_LOOP;
    return spawnRalph(swarm, () => spawnRequest(words, { ...flags, tmux: true }), { ...flags, readyTimeout });
  }
  const request = await withSandbox(swarm, spawnRequest(words, flags), false);
  if (flags.dryRun === true) return (await import('./dry-run.ts')).dryRun(swarm, request);
  const record = await undisturbed(() => spawnWorker(swarm, request));
  if (flags.readyWait === true && record.tmux !== null) {
    await waitForReady(swarm, record, flags.readyTimeout ?? READY_TIMEOUT);
  }
  swarm.say(`spawned ${record.name} (${describePlace(record)})`);
  return 0;
}

/** Its sandbox is one that can be had; refused where it was asked for by its name and cannot. */
export async function withSandbox(swarm: Swarm, request: SpawnRequest, hasLoop: boolean): Promise<SpawnRequest> {
  const { argv, sandbox } = request;
  if (sandbox === null) return request;
  const { resolveWorkerSandbox } = await import('../../loops/swarm/workers/sandbox.ts');
  const { env, cwd } = swarm;
  const resolved = await resolveWorkerSandbox(sandbox, { argv, env, cwd, hasLoop });
  if (resolved.sandbox === null) {
    const { docker, os } = resolved.passedOver;
    swarm.warn(`swarm: warning: no sandbox: ${docker}; ${os}`);
    swarm.say('Isolation: none, the agent can do whatever you can');
  }
  return { ...request, sandbox: resolved.sandbox };
}

/** A Ctrl-C ends git or tmux, which fails the step and undoes those before it; it must not end the undoing too. */
async function undisturbed<T>(work: () => Promise<T>): Promise<T> {
  const hold = (): void => undefined;
  process.on('SIGINT', hold).on('SIGTERM', hold);
  try {
    return await work();
  } finally {
    process.off('SIGINT', hold).off('SIGTERM', hold);
  }
}

/** A command that is no agent we know is waited for by what prompts look like. */
async function waitForReady(swarm: Swarm, record: WorkerRecord, seconds: number): Promise<void> {
  const { name } = record;
  const warn = (text: string): void => swarm.warn(`swarm: warning: ${text}`);
  const window = windowOf(swarm.home, name);
  const control = controlOf(swarm, record);
  try {
    if (window === null) throw new TmuxGone('nowhere', 'it has no window');
    const readiness = await waitUntilReady({
      control,
      pane: window.paneId,
      agent: paneAgent(record.cmd),
      timeout: seconds * 1000,
      onDialog: ({ message }) => warn(message),
    });
    if (readiness.is === 'timed-out') warn(`agent '${name}' did not become ready within ${seconds}s`);
  } catch (error) {
    if (!(error instanceof TmuxRefusal || error instanceof TmuxGone)) throw error;
    const exit = window === null ? null : exitOf(windowFolder(swarm.home, name), window);
    warn(`agent '${name}' exited before it became ready${exit === null ? '' : ` (${describeExit(exit)})`}`);
  } finally {
    control.close();
  }
}

function spawnRequest(words: readonly string[], flags: SpawnFlags): SpawnRequest {
  const [program, ...args] = words[0] === '--' ? words.slice(1) : words;
  if (program === undefined) throw refused('no command provided (use -- command...)');
  checkName(flags.name);
  const problem = sessionNameProblem(flags.session);
  if (problem !== null) throw refused(`invalid session name '${flags.session}': ${problem}`);
  // `swarm` has no settings that could ask for one.
  const sandbox = resolvedRequest(sandboxFromFlags(flags), undefined);
  return {
    name: flags.name,
    argv: [program, ...args],
    env: Object.fromEntries(flags.env.map(parseVariable)),
    tags: flags.tag,
    tmux: flags.tmux === true ? { session: flags.session, socket: flags.tmuxSocket ?? null } : null,
    worktree: flags.worktree === true ? { branch: flags.branch ?? flags.name, parent: flags.worktreeDir } : null,
    cwd: flags.cwd,
    metadata: {},
    sandbox: sandbox.kind === 'none' ? null : sandbox,
  };
}

function parseVariable(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw refused(`invalid env format '${text}' (expected KEY=VAL)`);
  return [text.slice(0, at), text.slice(at + 1)];
}
