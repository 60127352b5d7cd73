/** Picks the agent's own words and deeds out of a session's messages: no user's, no tool's output, nothing from opencode. */
import type { Message, Part } from './client.ts';
import type { SaidAndDone } from './events.ts';

export function whatTheAgentDid(messages: readonly Message[]): SaidAndDone[] {
  return messages.filter(isModels).map(({ info, parts }) => ({
    at: info.time.created,
    texts: parts.filter(isOwnText).map(({ text }) => text ?? ''),
    tools: parts.filter(({ type }) => type === 'tool').length,
    hasOutput: parts.some(({ state }) => (state?.output ?? '') !== ''),
  }));
}

/** A command that the user typed after `!` stands under the agent's name, too; only a model's answer has steps. */
export function isModels({ info, parts }: Message): boolean {
  return info.role === 'assistant' && parts.some(({ type }) => type === 'step-start');
}

function isOwnText({ type, synthetic = false }: Part): boolean {
  return type === 'text' && !synthetic;
}
