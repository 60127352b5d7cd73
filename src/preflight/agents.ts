/** Checks whether the agents can be started and will work, and lists the installed ones. */
import { isUnattended, missingAgent, otherAgentHint, rootProblem, versionOf } from '../agents/command.ts';
import { AGENTS, profileFor } from '../agents/index.ts';
import { loginOf } from '../agents/login.ts';
import type { AgentProfile } from '../agents/profile.ts';
import { type Finding, fine, fromError, note, warning } from '../core/finding.ts';
import type { LoopPlan } from '../engine/loop-plan.ts';
import { findProgram, whyNoProgram } from '../process/which.ts';

export const NO_AGENT = 'NO_AGENT';

/** Starts no program. A Docker Sandbox has its own agent, with its own login. */
export function agentFindings({ agents, sandbox, cwd, env, choosingHint }: LoopPlan): Finding[] {
  if (sandbox === 'docker') return [];
  const each = agents.filter(({ command }, index) => agents.findIndex((one) => one.command === command) === index);
  return each.flatMap((agent): Finding[] => {
    const { command, flag } = agent;
    const program = findProgram(command, env.PATH, cwd);
    if (program === null) {
      const how = flag === undefined ? choosingHint : otherAgentHint(flag);
      const { reason, hint } = missingAgent(command, { path: env.PATH, cwd, choosingHint: how });
      return [{ level: 'error', what: reason, fix: hint, code: NO_AGENT }];
    }
    // In a sandbox, the agent is told that it is in one.
    const root = (sandbox ?? 'none') === 'none' && isUnattended(agent) ? rootProblem(command, env) : null;
    return [
      fine(`agent: ${program}`),
      ...(root === null ? [] : [fromError(root)]),
      ...loginFindings(command, env, cwd),
    ];
  });
}

function loginFindings(command: string, env: NodeJS.ProcessEnv, cwd: string): Finding[] {
  const profile = profileFor(command);
  const login = loginOf(profile, env, cwd);
  if (login.is === 'unknown') return [];
  if (login.is === 'in') return [fine(`login of ${profile.title}: ${login.by}`)];
  return [warning(`no login of ${profile.title} was found`, `to log in: ${profile.login?.how}`)];
}

/** Path and version are null for an agent that is not installed; the version also if the agent does not print one. */
export interface Surveyed {
  readonly adapter: AgentProfile;
  readonly path: string | null;
  readonly version: string | null;
}

/** Asks every installed agent for its version. */
export function surveyAgents(env: NodeJS.ProcessEnv, cwd: string): Promise<Surveyed[]> {
  return Promise.all(
    AGENTS.map(async (adapter) => {
      const path = findProgram(adapter.name, env.PATH, cwd);
      return { adapter, path, version: path === null ? null : await versionOf(adapter, path, env) };
    }),
  );
}

export function surveyFinding({ adapter, path, version }: Surveyed, env: NodeJS.ProcessEnv, cwd: string): Finding {
  const { title, name, install, login } = adapter;
  if (path === null) {
    const instead = whyNoProgram(name, env.PATH, cwd);
    if (instead !== null) return warning(`${title} cannot be run: ${instead}`, `to install it: ${install}`);
    return note(`${title} is not installed`, install ?? 'see its own instructions');
  }
  const known = `${title} ${version ?? '(it does not say its version)'}`;
  const found = loginOf(adapter, env, cwd);
  if (found.is === 'out') return warning(`${known}, no login found`, `to log in: ${login?.how}`);
  return fine(found.is === 'in' ? `${known}, login: ${found.by}` : known);
}
