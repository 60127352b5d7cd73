/** Picks the agent's own words and deeds out of a session's messages: no user's, no tool's output, nothing from opencode. */
import type { Message, Part } from './client.ts';
import type { SaidAndDone } from './events.ts';

export function whatTheAgentDid(messages: readonly Message[]): SaidAndDone[] {
  // What was said before a person spoke was said of something else.
  const spokenAt = messages.findLastIndex(({ info, parts }) => info.role === 'user' && parts.some(isOwnText));
  return messages.flatMap((message, index) => {
    if (!isModels(message)) return [];
    const { info, parts } = message;
    const calls = parts.filter(isCarriedOut);
    return {
      at: info.time.created,
      texts: index < spokenAt ? [] : parts.filter(isOwnText).map(({ text }) => text ?? ''),
      tools: calls.length,
      hasOutput: calls.some(({ state }) => (state?.output ?? '') !== ''),
    };
  });
}

/** A command that fails is a tool's success; an error is a call that was denied, and `invalid` stands for one that is none. */
function isCarriedOut({ type, tool, state }: Part): boolean {
  return type === 'tool' && tool !== 'invalid' && state?.status !== 'error';
}

/** A command that the user typed after `!` stands under the agent's name, too; only a model's answer has steps. */
export function isModels({ info, parts }: Message): boolean {
  return info.role === 'assistant' && parts.some(({ type }) => type === 'step-start');
}

function isOwnText({ type, synthetic = false }: Part): boolean {
  return type === 'text' && !synthetic;
}
