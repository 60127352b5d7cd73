/** An agent's program: its version and flags, the command line that would start it here, and why it cannot start. */
import { execFile, spawnSync } from 'node:child_process';
import type { AgentChoice } from '../core/action.ts';
import { RalphError } from '../core/error.ts';
import { nearest } from '../core/text/nearest.ts';
import { quoteWord } from '../core/text/quote-word.ts';
import { fileStamp } from '../process/files.ts';
import { findProgram, whyNoProgram } from '../process/which.ts';
import { AGENTS, profileFor } from './index.ts';
import type { AgentCall, AgentProfile, CommandLine } from './profile.ts';

const HELP_WITHIN_MS = 20_000;
const VERSION_WITHIN_MS = 30_000;
/** Help texts by program, shared by the console that shows a command and the performer that starts it. */
const asked = new Map<string, { readonly stamp: string | null; readonly help: string | null }>();

/**
 * Asks a program which flags it takes: releases of the same agent differ, and an unknown flag ends a run at once. Null
 * if there is nothing to ask, or no answer. A program is asked once, and again after an update.
 */
export function helpOf(
  { helpArguments, environment }: AgentProfile,
  program: string | null,
  env: NodeJS.ProcessEnv,
): string | null {
  if (helpArguments === undefined || program === null) return null;
  const stamp = fileStamp(program);
  const known = asked.get(program);
  if (known !== undefined && known.stamp === stamp) return known.help;
  const { status, stdout } = spawnSync(program, helpArguments, {
    env: { ...environment, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: HELP_WITHIN_MS,
  });
  const help = status === 0 ? stdout : null;
  asked.set(program, { stamp, help });
  return help;
}

export interface CommandOptions extends Pick<AgentCall, 'prompt' | 'wantsStdin' | 'isEnclosed'> {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The command line in this directory and environment; `program` is null if it is not installed. */
export function plannedCommand(
  agent: AgentChoice,
  { cwd, env, ...call }: CommandOptions,
): CommandLine & { readonly program: string | null } {
  const profile = profileFor(agent.command);
  const program = findProgram(agent.command, env.PATH, cwd);
  const help = helpOf(profile, program, env);
  return { ...profile.commandLine({ ...agent, ...call, help, answerFile: ANSWER_FILE }), program };
}

/** The command as a person would type it, without the prompt. For display only: this text is never run. */
export function describeCommand(agent: AgentChoice, cwd: string, env: NodeJS.ProcessEnv): string {
  const { argv, promptOnStdin } = plannedCommand(agent, { prompt: PLACEHOLDER, cwd, env });
  const words = argv.filter((word) => word !== PLACEHOLDER).map(quoteWord);
  return promptOnStdin ? `${words.join(' ')} <prompt` : words.join(' ');
}

const ANSWER_FILE = 'answer.txt';
const PLACEHOLDER = 'the prompt stands here';

/** Asks for the version once, in the background; `known` returns an empty string until the answer arrives. */
export function askVersion(
  adapter: AgentProfile,
  command: string,
  env: NodeJS.ProcessEnv,
  cwd: string,
): { readonly known: () => string; close(): void } {
  const asking = new AbortController();
  let version = '';
  const path = adapter.install === null ? null : findProgram(command, env.PATH, cwd);
  const ask = async (program: string): Promise<void> => {
    version = (await versionOf(adapter, program, env, asking.signal)) ?? '';
  };
  if (path !== null) void ask(path);
  return { known: () => version, close: () => asking.abort() };
}

export function versionOf(
  { environment }: AgentProfile,
  path: string,
  env: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<string | null> {
  const options = { env: { ...environment, ...env }, timeout: VERSION_WITHIN_MS, ...(signal && { signal }) };
  return new Promise((resolve) => {
    const child = execFile(path, ['--version'], options, (error, stdout) =>
      resolve(error === null ? (/\d+\.\d+[\w.+-]*/.exec(stdout)?.[0] ?? null) : null),
    );
    // Some agents wait for a prompt while stdin is open.
    child.stdin?.end();
  });
}

interface AgentSearch {
  readonly path: string | undefined;
  readonly cwd: string;
  /** How to choose another agent; the default hint names the settings file. */
  readonly choosingHint?: string | undefined;
}

export function missingAgent(command: string, search: AgentSearch): { readonly reason: string; readonly hint: string } {
  const instead = whyNoProgram(command, search.path, search.cwd);
  const reason =
    instead === null
      ? `agent command not found: ${command}${meant(command)}`
      : `agent command cannot be run: ${instead}`;
  return { reason, hint: startHint(command, search) };
}

/** For an agent that a flag names. */
export const otherAgentHint = (flag: string): string =>
  `choose another with ${flag}; to see what is installed: ralph agents`;

/** Some agents refuse to run unattended as root unless a variable says that it is safe: each run would fail at once. */
export function rootProblem(command: string, env: NodeJS.ProcessEnv): RalphError | null {
  const { title, autonomy = [], refusesRootUnless } = profileFor(command);
  if (refusesRootUnless === undefined || process.getuid?.() !== 0) return null;
  const isSafe = !['', '0', 'false', 'no', 'off'].includes((env[refusesRootUnless] ?? '').toLowerCase());
  if (isSafe) return null;
  return new RalphError('ROOT', `${title} refuses ${autonomy.join(' ')} when run as root`, {
    hint: `Run ralph as another user, or, in a disposable container, set ${refusesRootUnless}=1.`,
  });
}

export function isUnattended({ command, flags }: Pick<AgentChoice, 'command' | 'flags'>): boolean {
  const { unattended } = profileFor(command);
  return unattended !== undefined && flags.some((flag) => unattended.test(flag));
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

/** Suggests the agent whose name is close to a misspelt one. */
function meant(command: string): string {
  const name = nearest(
    command,
    AGENTS.map((agent) => agent.name),
  );
  return name === null || name === command ? '' : `; did you mean ${name}?`;
}

/** The part of an environment that the agent gets. */
export function environmentOf(
  { notInherited = [], environment }: AgentProfile,
  env: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  return { ...environment, ...without(env, notInherited) };
}

function without(env: NodeJS.ProcessEnv, beginnings: readonly string[]): NodeJS.ProcessEnv {
  const isKept = (name: string): boolean => !beginnings.some((beginning) => name.startsWith(beginning));
  return Object.fromEntries(Object.entries(env).filter(([name]) => isKept(name)));
}

/** For programs that are started inside an agent's session but do not belong to it. */
export function outsideOfSessions(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return without(
    env,
    AGENTS.flatMap(({ session }) => session?.variables ?? []),
  );
}

/** For callers that start agents repeatedly: remembers the last result, so as not to filter variables every time. */
export function environmentFinder(): typeof environmentOf {
  let last: {
    readonly profile: AgentProfile;
    readonly env: NodeJS.ProcessEnv;
    readonly found: NodeJS.ProcessEnv;
  } | null = null;
  return (profile, env) => {
    if (last?.profile !== profile || last.env !== env) last = { profile, env, found: environmentOf(profile, env) };
    return last.found;
  };
}
