/** `swarm spawn`: starts a worker. */
import type { PromptVia } from '../../doors/swarm/ralph/rules.ts';
import { isWorkerAlive, paneOf } from '../../doors/swarm/workers/life.ts';
import { describePlace, type WorkerRecord } from '../../doors/swarm/workers/record.ts';
import { type SpawnRequest, spawnWorker } from '../../doors/swarm/workers/spawn.ts';
import { refused, type Swarm } from '../../doors/swarm/workers/swarm.ts';
import { checkName } from '../../doors/swarm/workers/worker-name.ts';
import { sessionNameProblem } from '../../tmux/session.ts';
import { waitUntilReady } from '../../tmux/wait-ready.ts';

export interface SpawnFlags {
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
  readonly inactivityTimeout: number;
  readonly donePattern?: string;
  readonly promptVia?: PromptVia;
  readonly detach?: boolean;
}

const READY_TIMEOUT = 120;
const READY_TIMEOUT_IN_A_LOOP = 30;

export async function spawnCommand(
  swarm: Swarm,
  words: readonly string[],
  flags: SpawnFlags,
  release: string,
): Promise<number> {
  if (flags.ralph === true) {
    const { spawnRalph } = await import('./ralph/spawn.ts');
    const readyTimeout = flags.readyTimeout ?? READY_TIMEOUT_IN_A_LOOP;
    return spawnRalph(swarm, () => requestOf(words, { ...flags, tmux: true }), { ...flags, readyTimeout }, release);
  }
  const record = await spawnWorker(swarm, requestOf(words, flags));
  if (flags.readyWait === true && record.tmux !== null)
    await waitForReady(swarm, record, flags.readyTimeout ?? READY_TIMEOUT);
  swarm.say(`spawned ${record.name} (${describePlace(record)})`);
  return 0;
}

function requestOf(words: readonly string[], flags: SpawnFlags): SpawnRequest {
  const [program, ...args] = words[0] === '--' ? words.slice(1) : words;
  if (program === undefined) throw refused('no command provided (use -- command...)');
  checkName(flags.name);
  const problem = sessionNameProblem(flags.session);
  if (problem !== null) throw refused(`invalid session name '${flags.session}': ${problem}`);
  const parent = flags.worktreeDir;
  return {
    name: flags.name,
    argv: [program, ...args],
    env: Object.fromEntries(flags.env.map(parseVariable)),
    tags: flags.tag,
    tmux: flags.tmux === true ? { session: flags.session, socket: flags.tmuxSocket ?? null } : null,
    worktree: flags.worktree === true ? { branch: flags.branch ?? flags.name, parent } : null,
    cwd: flags.cwd,
    metadata: {},
  };
}

function parseVariable(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw refused(`invalid env format '${text}' (expected KEY=VAL)`);
  return [text.slice(0, at), text.slice(at + 1)];
}

async function waitForReady(swarm: Swarm, record: WorkerRecord, timeout: number): Promise<void> {
  const pane = await paneOf(swarm, record).catch(() => null);
  const readiness = await waitUntilReady({
    // A screen that is gone shows nothing; that the worker is gone too is seen at the next look.
    screen: () => pane?.capture().catch(() => '') ?? Promise.resolve(''),
    isAlive: () => pane !== null && isWorkerAlive(swarm, record),
    timeout: timeout * 1000,
  });
  if (readiness === 'gone') swarm.warn(`swarm: warning: agent '${record.name}' exited before it became ready`);
  if (readiness === 'timeout') {
    swarm.warn(`swarm: warning: agent '${record.name}' did not become ready within ${timeout}s`);
  }
}
