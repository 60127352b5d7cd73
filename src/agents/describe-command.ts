/** A command line as a person would type it, without the prompt. Only for reading: nothing ever runs this text. */
import type { AgentChoice } from '../core/action.ts';
import type { AgentAdapter } from './adapter.ts';

export function describeCommand(adapter: AgentAdapter, agent: AgentChoice): string {
  const { argv, promptOnStdin } = adapter.commandLine({ ...agent, prompt: PLACEHOLDER });
  const words = argv.filter((word) => word !== PLACEHOLDER).map(quoteWord);
  return promptOnStdin ? `${words.join(' ')} <prompt` : words.join(' ');
}

const PLACEHOLDER = 'the prompt stands here';

export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
