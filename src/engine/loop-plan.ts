/** What a loop is about to begin with. It can be inspected before anything is made or started. */
import type { AgentChoice } from '../core/action.ts';
import { RalphError } from '../core/error.ts';
import type { Finding } from '../core/finding.ts';
import type { SandboxRequest } from '../runners/sandbox/request.ts';

/** `flag`: the option that named it, unless it is the loop's own agent. */
type PlannedAgent = Pick<AgentChoice, 'command' | 'flags'> & { readonly flag?: '--fallback' | '--review-agent' };

export interface LoopPlan {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly agents: readonly PlannedAgent[];
  /** How to choose another agent; by default, in the settings. */
  readonly choosingHint?: string;
  /** The kind that was chosen, or the one that was asked for if it is not available. */
  readonly sandbox: SandboxRequest['kind'] | undefined;
  readonly runner: 'direct' | 'tmux';
  /** The shell commands that judge the work. */
  readonly checks: readonly string[];
  readonly scm?: { readonly command: string; readonly tasks: readonly string[] } | undefined;
  /** The loop kind's own reasons to refuse to begin. */
  readonly problems: readonly RalphError[];
}

/** Checks before a loop begins. Without it, only the plan's own problems prevent the loop. */
export interface Preflight {
  /** Throws if the loop must not begin. */
  check(plan: LoopPlan): void;
  /** Reports what only shows once the loop is open, before its first iteration. */
  warn(finding: Finding): void;
}

export function checkPlan(preflight: Preflight | undefined, plan: LoopPlan): void {
  preflight?.check(plan);
  const [problem] = plan.problems;
  if (problem !== undefined) throw problem;
}

/** The result, or the error if it is one that a person can act on; anything else is a bug, and thrown. */
export async function orProblem<Gives>(work: Promise<Gives>): Promise<Gives | RalphError> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof RalphError) return error;
    throw error;
  }
}
