/** A command line as a person would type it, without the prompt. Only for reading: nothing ever runs this text. */

import type { AgentChoice } from '../core/action.ts';
import { quoteWord } from '../core/text/quote-word.ts';
import { findProgram } from '../process/which.ts';
import { helpOf } from './help.ts';
import { profileFor } from './index.ts';
import type { AgentProfile } from './profile.ts';

/** As it would be started in this directory and environment. */
export function commandOf(agent: AgentChoice, cwd: string, env: NodeJS.ProcessEnv): string {
  const adapter = profileFor(agent.command);
  const help = helpOf(adapter, findProgram(agent.command, env.PATH, cwd), env);
  return describeCommand(adapter, agent, help);
}

export function describeCommand(adapter: AgentProfile, agent: AgentChoice, help: string | null): string {
  const { argv, promptOnStdin } = adapter.commandLine({ ...agent, prompt: PLACEHOLDER, help, answerFile: ANSWER_FILE });
  const words = argv.filter((word) => word !== PLACEHOLDER).map(quoteWord);
  return promptOnStdin ? `${words.join(' ')} <prompt` : words.join(' ');
}

/** Stands for a file among the loop's own. */
export const ANSWER_FILE = 'answer.txt';
const PLACEHOLDER = 'the prompt stands here';
