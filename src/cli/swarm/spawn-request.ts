/** The flags of `swarm spawn`, checked, as a request. */
import type { PromptVia } from '../../loops/swarm/ralph/rules.ts';
import type { SpawnRequest } from '../../loops/swarm/workers/spawn.ts';
import { refused } from '../../loops/swarm/workers/swarm.ts';
import { checkName } from '../../loops/swarm/workers/worker-name.ts';
import {
  type SandboxFlags,
  type SandboxRequest,
  sandboxFromFlags,
  settledSandbox,
} from '../../runners/sandbox/request.ts';
import { sessionNameProblem } from '../../tmux/session.ts';

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

export function spawnRequest(words: readonly string[], flags: SpawnFlags): SpawnRequest {
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
    sandbox: askedSandbox(flags),
  };
}

/** Null for none: `swarm` has no settings that could ask for one. */
function askedSandbox(flags: SandboxFlags): SandboxRequest | null {
  const given = sandboxFromFlags(flags);
  const settled = settledSandbox(given, undefined);
  return settled.kind === 'none' ? null : settled;
}

function parseVariable(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw refused(`invalid env format '${text}' (expected KEY=VAL)`);
  return [text.slice(0, at), text.slice(at + 1)];
}
