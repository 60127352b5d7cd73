/**
 * What the plugin tells the hook: one JSON object each; the hook answers with a `SessionAnswer`, or with nothing. opencode
 * has no hook programs of its own, so both ends are ours; the plugin runs inside opencode, the hook in node.
 */
import type { SessionCommand } from '../../session/host.ts';
import type { Message, Part } from './client.ts';

export type PluginEvent = { readonly session: string; readonly cwd: string } & Happening;

export type Happening =
  | {
      readonly hook: 'command';
      readonly command: SessionCommand;
      readonly arguments: string;
      /** When the newest message of the session was made, in opencode's milliseconds; 0 without any. */
      readonly newest: number;
    }
  /** Messages: oldest first; only the model's own. */
  | { readonly hook: 'idle'; readonly messages: readonly SaidAndDone[] };

export interface SaidAndDone {
  readonly at: number;
  readonly texts: readonly string[];
  readonly tools: number;
  readonly hasOutput: boolean;
}

/** Picks the agent's own words and deeds out of a session's messages: no user's, no tool's output, nothing from opencode. */
export function whatTheAgentDid(messages: readonly Message[]): SaidAndDone[] {
  // What was said before a person spoke was said of something else.
  const spokenAt = messages.findLastIndex(({ info, parts }) => info.role === 'user' && parts.some(isOwnText));
  return messages.flatMap((message, index) => {
    if (!isModels(message)) return [];
    const { info, parts } = message;
    // A command that fails is a tool's success; an error is a call that was denied, and `invalid` stands for one that is none.
    const calls = parts.filter(
      ({ type, tool, state }) => type === 'tool' && tool !== 'invalid' && state?.status !== 'error',
    );
    return {
      at: info.time.created,
      texts: index < spokenAt ? [] : parts.filter(isOwnText).map(({ text }) => text ?? ''),
      tools: calls.length,
      hasOutput: calls.some(({ state }) => (state?.output ?? '') !== ''),
    };
  });
}

/** A command that the user typed after `!` stands under the agent's name, too; only a model's answer has steps. */
export function isModels({ info, parts }: Message): boolean {
  return info.role === 'assistant' && parts.some(({ type }) => type === 'step-start');
}

function isOwnText({ type, synthetic = false }: Part): boolean {
  return type === 'text' && !synthetic;
}
