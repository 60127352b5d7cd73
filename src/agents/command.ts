/** An agent's command line: which flags its release takes, and how it would be started here. */
import { spawnSync } from 'node:child_process';
import type { AgentChoice } from '../core/action.ts';
import { quoteWord } from '../core/text/quote-word.ts';
import { findProgram } from '../process/which.ts';
import { profileFor } from './index.ts';
import type { AgentCall, AgentProfile, CommandLine } from './profile.ts';

const ANSWER_WITHIN_MS = 20_000;
const asked = new Map<string, string | null>();

/**
 * Asks a program which flags it takes: releases of one agent differ, and an unknown flag ends a run at once. Null where
 * there is nothing to ask, or no answer. A program is asked once.
 */
export function helpOf(
  { helpArguments, environment }: AgentProfile,
  program: string | null,
  env: NodeJS.ProcessEnv,
): string | null {
  if (helpArguments === undefined || program === null) return null;
  const known = asked.get(program);
  if (known !== undefined) return known;
  const { status, stdout } = spawnSync(program, helpArguments, {
    env: { ...environment, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: ANSWER_WITHIN_MS,
  });
  const help = status === 0 ? stdout : null;
  asked.set(program, help);
  return help;
}

export interface CommandOptions extends Pick<AgentCall, 'prompt' | 'wantsStdin' | 'isEnclosed'> {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** As it would be started in this directory and environment; `program` is null where there is none. */
export function plannedCommand(
  agent: AgentChoice,
  { cwd, env, ...call }: CommandOptions,
): CommandLine & { readonly program: string | null } {
  const profile = profileFor(agent.command);
  const program = findProgram(agent.command, env.PATH, cwd);
  const help = helpOf(profile, program, env);
  return { ...profile.commandLine({ ...agent, ...call, help, answerFile: ANSWER_FILE }), program };
}

/** As a person would type it, without the prompt. Only for reading: nothing ever runs this text. */
export function describeCommand(agent: AgentChoice, cwd: string, env: NodeJS.ProcessEnv): string {
  const { argv, promptOnStdin } = plannedCommand(agent, { prompt: PLACEHOLDER, cwd, env });
  const words = argv.filter((word) => word !== PLACEHOLDER).map(quoteWord);
  return promptOnStdin ? `${words.join(' ')} <prompt` : words.join(' ');
}

/** Stands for a file among the loop's own. */
const ANSWER_FILE = 'answer.txt';
const PLACEHOLDER = 'the prompt stands here';
