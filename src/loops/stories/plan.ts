/** What a stories loop is about to begin with, and what must hold before its agents run without asking. */
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
  // In a sandbox, the agent knows that it is in one.
  return isSandboxed(request) ? [] : agentsOf(request).flatMap((command) => rootProblem(command, env) ?? []);
}

/** Before a new loop takes the place of an earlier one. In a Docker Sandbox there is an agent of its own. */
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

/** What a loop of these stories is about to begin with. `noSandbox`: why it cannot have the one that was asked for. */
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

/** Where the settings alone ask for it, a list without commands has just nothing to prove. */
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
