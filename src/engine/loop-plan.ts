/** What a loop is about to begin with. It is handed out before anything is made or started, so that it can be looked at. */
import type { AgentChoice } from '../core/action.ts';
import { RalphError } from '../core/error.ts';
import type { Finding } from '../core/finding.ts';
import type { SandboxRequest } from '../runners/sandbox/request.ts';

/** `flag`: by which it was named, where it is not the loop's own. */
type PlannedAgent = Pick<AgentChoice, 'command' | 'flags'> & { readonly flag?: '--fallback' | '--review-agent' };

export interface LoopPlan {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly agents: readonly PlannedAgent[];
  /** How another agent is chosen; without it, by the settings. */
  readonly choosingHint?: string;
  /** As it was chosen; as it was asked for where that cannot be had. */
  readonly sandbox: SandboxRequest['kind'] | undefined;
  readonly runner: 'direct' | 'tmux';
  /** The shell commands that judge the work. */
  readonly checks: readonly string[];
  readonly scm?: { readonly command: string; readonly tasks: readonly string[] } | undefined;
  /** What the loop kind itself refuses to begin with. */
  readonly problems: readonly RalphError[];
}

/** Looks before a loop begins. Without it, a loop is only refused for its own problems. */
export interface Preflight {
  /** Throws where it must not begin. */
  check(plan: LoopPlan): void;
  /** What only shows once the loop is open, and before its first iteration. */
  warn(finding: Finding): void;
}

export function checkPlan(preflight: Preflight | undefined, plan: LoopPlan): void {
  preflight?.check(plan);
  const [problem] = plan.problems;
  if (problem !== undefined) throw problem;
}

/** What came of it, or the error that a person can act on; anything else is a bug, and thrown. */
export async function orProblem<Gives>(work: Promise<Gives>): Promise<Gives | RalphError> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof RalphError) return error;
    throw error;
  }
}
