/** What `ralph init` detects, as rows for people and as settings. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { missingAgent } from '../../agents/command.ts';
import { installedAgent, noAgentInstalled, unattendedFlags } from '../../agents/installed.ts';
import { detectChecksIn, type FoundChecks, filesIn } from '../../checks/detect.ts';
import { RalphError } from '../../core/error.ts';
import { chooseSandbox } from '../../engine/sandbox.ts';
import { findProgram } from '../../process/which.ts';
import { detectSetup } from '../../proof/setup.ts';
import { NO_SANDBOX } from '../../runners/sandbox/request.ts';
import { findGit } from '../../state/git-place.ts';
import { inOneLine } from '../../views/verdict-lines.ts';

export interface Found {
  /** `flags`: those with which it works unattended. */
  readonly agent: { readonly command: string; readonly flags: readonly string[] } | null;
  readonly checks: FoundChecks | null;
  /** Which one, or why there is none. */
  readonly sandbox: { readonly kind: string } | { readonly kind: null; readonly why: string };
  readonly isGit: boolean;
  /** The command that prepares a fresh clone; null if none was detected. */
  readonly setup: string | null;
  readonly hasPromptFile: boolean;
}

interface Place {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly self: readonly [string, ...string[]];
}

/** `named`: the agent to use instead of the one that is installed. */
export async function findAll({ cwd, env, self }: Place, named?: string): Promise<Found> {
  if (named !== undefined) refuseMissing(named, { cwd, env });
  const agent = named ?? installedAgent(env.PATH, cwd)?.name ?? null;
  const agents = agent === null ? [] : [agent];
  const strongest = { ...NO_SANDBOX, kind: 'auto' as const };
  const { sandbox, noSandbox } = await chooseSandbox(strongest, undefined, { env, agents, cwd, self });
  return {
    agent: agent === null ? null : { command: agent, flags: unattendedFlags(agent, []) },
    checks: detectChecksIn(cwd),
    sandbox: noSandbox === undefined ? { kind: sandbox.kind } : { kind: null, why: noSandbox },
    isGit: findGit(cwd) !== null,
    setup: detectSetup(filesIn(cwd)),
    hasPromptFile: existsSync(join(cwd, 'PROMPT.md')),
  };
}

function refuseMissing(command: string, { cwd, env }: Pick<Place, 'cwd' | 'env'>): void {
  if (findProgram(command, env.PATH, cwd) !== null) return;
  const choosingHint = 'choose another with --agent';
  const { reason, hint } = missingAgent(command, { path: env.PATH, cwd, choosingHint });
  throw new RalphError('NO_AGENT', reason, { hint });
}

const SANDBOXES: Readonly<Record<string, string>> = { os: "the operating system's", docker: "Docker's" };

/** What was found, shown before the questions. */
export function foundRows({ agent, checks, sandbox, isGit }: Found): string[] {
  const flags =
    agent === null || agent.flags.length === 0 ? [] : [row('flags', `${agent.flags.join(' ')}  (unattended)`)];
  return [
    row('agent', agent?.command ?? 'none is installed (ralph agents)'),
    ...flags,
    row('checks', checks === null ? 'none' : checksWords(checks)),
    row('sandbox', sandbox.kind === null ? `none (${sandbox.why})` : (SANDBOXES[sandbox.kind] ?? sandbox.kind)),
    row('git', isGit ? 'yes' : 'no repository'),
  ];
}

/** The settings that `--yes` writes, and rows that describe them. */
export function foundSettings({ agent, checks, sandbox, isGit, setup }: Found) {
  if (agent === null) throw noAgentInstalled();
  const isHeld = sandbox.kind !== null;
  // Whether an agent works unattended without a sandbox is for a person to decide.
  const flags = isHeld ? agent.flags : [];
  const left =
    isHeld || agent.flags.length === 0 ? [] : [`  ${agent.flags.join(' ')} is left out: there is no sandbox here`];
  const canProve = isGit && sandbox.kind !== 'docker';
  const settings = {
    maximumIterations: 10,
    completionResponse: 'DONE',
    outputTruncateChars: 5000,
    streamAgentOutput: true,
    agent: { command: agent.command, flags },
    guardrails: foundGuardrails({ checks }),
    ...(isGit ? { scm: { command: 'git', tasks: ['commit'], stage: 'all' } } : {}),
    sandbox: { kind: 'auto' },
    ...(canProve ? { proof: setup === null ? {} : { setup } } : {}),
  };
  const rows = [
    row('agent', [agent.command, ...flags].join(' ')),
    ...left,
    row('checks', checks === null ? 'none found: nothing will check DONE (guardrails)' : checksWords(checks)),
    row(
      'sandbox',
      sandbox.kind === null ? `auto, and there is none here: ${sandbox.why}` : `auto, here ${SANDBOXES[sandbox.kind]}`,
    ),
    row('commits', isGit ? 'by git when the checks pass, new files too (scm)' : NO_GIT),
    row('proof', canProve ? proofWords(setup) : isGit ? "none: it does not work with Docker's sandbox" : NO_GIT),
  ];
  return { settings, rows };
}

const NO_GIT = 'none: this is not a git repository';

const proofWords = (setup: string | null): string =>
  `DONE is proved in a clean checkout${setup === null ? '' : `, after ${inOneLine(setup)}`} (proof)`;

export const foundGuardrails = ({ checks }: Pick<Found, 'checks'>): object[] =>
  (checks?.commands ?? []).map((command) => ({ command, failAction: 'APPEND' }));

const checksWords = ({ commands, file }: FoundChecks): string => `${commands.join(' · ')}  (${inOneLine(file)})`;

/** As wide as `commits`. */
const row = (name: string, words: string): string => `  ${name.padEnd(7)}  ${words}`;
