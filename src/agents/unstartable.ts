/** Why the program that an agent's command names cannot be started, and what to do about it. */
import { RalphError } from '../core/error.ts';
import { findProgram, whyNoProgram } from '../process/which.ts';
import { profileFor } from './index.ts';

export interface Unstartable {
  readonly reason: string;
  readonly hint: string;
}

export interface AgentSearch {
  readonly path: string | undefined;
  readonly cwd: string;
  /** How another agent is chosen; without it, by the settings. */
  readonly choosingHint?: string | undefined;
}

/** Of a command for which there is no program. */
export function missingAgent(command: string, search: AgentSearch): Unstartable {
  const instead = whyNoProgram(command, search.path, search.cwd);
  const reason = instead === null ? `agent command not found: ${command}` : `agent command cannot be run: ${instead}`;
  return { reason, hint: startHint(command, search) };
}

/** Some work without asking for root only where they are told that it is safe: they would end at once, each time. */
export function refuseForRoot(command: string, isRoot: boolean, env: NodeJS.ProcessEnv): void {
  const { title, autonomy = [], refusesRootUnless } = profileFor(command);
  if (refusesRootUnless === undefined || !isRoot || isSet(env[refusesRootUnless])) return;
  throw new RalphError('ROOT', `${title} refuses ${autonomy.join(' ')} to root`, {
    hint: `Run ralph as another user; or, in a container that may be lost, set ${refusesRootUnless}=1.`,
  });
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false', 'no', 'off'].includes(value.toLowerCase());
}

export function startHint(command: string, { path, cwd, choosingHint }: AgentSearch): string {
  const [program = '', ...flags] = command.trim().split(/\s+/);
  if (flags.length > 0 && findProgram(program, path, cwd) !== null) {
    return `The command is the program alone: "${program}", with the flags ${JSON.stringify(flags)}.`;
  }
  const { install } = profileFor(command);
  const how = install === null ? 'Install it' : `Install it (${install})`;
  return `${how}, or ${choosingHint ?? 'set agent.command in .ralph/settings.json to the program you use.'}`;
}
