/** The plan of a stories loop, and what is required before its agents run without asking for permission. */
import { missingAgent, rootProblem } from '../../agents/command.ts';
import { RalphError } from '../../core/error.ts';
import { whyIdle } from '../../core/proof/terms.ts';
import type { LoopPlan } from '../../engine/loop-plan.ts';
import { findProgram } from '../../process/which.ts';
import { whyNoProof } from '../../proof/why-no-proof.ts';
import type { TasksFile } from './list/tasks.ts';
import { noPlugin } from './project.ts';
import type { StoriesRequest } from './request.ts';
import { agentsOf, isSandboxed, needsPlugin, sandboxOf } from './request.ts';

export function refuseUnsafe(request: StoriesRequest, pluginDir: string | null, env: NodeJS.ProcessEnv): void {
  const [problem] = whyUnsafe(request, pluginDir, env);
  if (problem !== undefined) throw problem;
}

function whyUnsafe(request: StoriesRequest, pluginDir: string | null, env: NodeJS.ProcessEnv): RalphError[] {
  if (!needsPlugin(request)) return [];
  if (pluginDir === null) {
    const why = isSandboxed(request)
      ? 'a loop cannot start without its Stop hook'
      : 'without its guard, agents run only in a sandbox';
    return [noPlugin(`the ralph plugin was not found, and ${why}`)];
  }
  // Agents that refuse to run as root accept it in a sandbox.
  return isSandboxed(request) ? [] : agentsOf(request).flatMap((command) => rootProblem(command, env) ?? []);
}

/** Checked before a new loop replaces an earlier one. A Docker Sandbox has its own agent. */
function missingAgents(request: StoriesRequest, cwd: string, path: string | undefined): RalphError[] {
  if (sandboxOf(request) === 'docker') return [];
  const missing = agentsOf(request).filter((command) => findProgram(command, path, cwd) === null);
  return missing.map((command) => {
    const { reason, hint } = missingAgent(command, { path, cwd, choosingHint: choosingHint(command, request) });
    return new RalphError('NO_AGENT', reason, { hint });
  });
}

function choosingHint(command: string, { agent, reviewAgent }: StoriesRequest): string {
  if (command === agent) return CHOOSING_HINT;
  return `name another with ${command === reviewAgent ? '--review-agent' : '--fallback'}.`;
}

/** The plan of a loop over these stories. `noSandbox`: why the sandbox that was asked for is not available. */
export function planOf(
  request: StoriesRequest,
  { cwd, env, pluginDir, tasks, noSandbox }: PlanPlace & { readonly tasks: TasksFile; readonly noSandbox?: RalphError },
): LoopPlan {
  const unsafe = noSandbox === undefined ? whyUnsafe(request, pluginDir, env) : [noSandbox];
  return {
    cwd,
    env,
    agents: agentsOf(request).map((command) => ({ command, flags: [] })),
    choosingHint: CHOOSING_HINT,
    sandbox: request.sandbox?.kind,
    runner: 'direct',
    checks: request.verify ? (tasks.verifyCommands ?? []) : [],
    problems: [...unsafe, ...missingAgents(request, cwd, env.PATH), ...whyUnproved(request, cwd, tasks)],
  };
}

/** A list without commands is an error only with `--prove`; if just the settings ask for proofs, nothing is proved. */
function whyUnproved({ proof, prove, sandbox, verify, ralphDir }: StoriesRequest, cwd: string, tasks: TasksFile) {
  const problem = proof === undefined ? whyIdle(prove) : whyNoProof(cwd, sandbox?.kind ?? null);
  if (problem !== null) return [problem];
  if (proof === undefined || prove?.isOn !== true || (verify && (tasks.verifyCommands ?? []).length > 0)) return [];
  const what = verify ? `${ralphDir}/tasks.json has none` : '--no-verify leaves them out';
  const hint = verify ? 'Name them there, such as "npm test".' : 'Leave out --no-verify.';
  return [new RalphError('NO_PROOF', `--prove runs verifyCommands in a clean checkout, and ${what}`, { hint })];
}

interface PlanPlace extends Pick<LoopPlan, 'cwd' | 'env'> {
  readonly pluginDir: string | null;
}

export const CHOOSING_HINT = 'name another with --agent.';
