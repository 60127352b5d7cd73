/**
 * What the plugin sends to the hook: one JSON object per event. The hook answers with a `SessionAnswer`, or with
 * nothing. opencode has no hook programs, so both ends are ours; the plugin runs inside opencode, the hook in node.
 */
import type { SessionCommand } from '../../session/host.ts';
import type { Message, Part } from './client.ts';

export type PluginEvent = { readonly session: string; readonly cwd: string } & Happening;

export type Happening =
  | {
      readonly hook: 'command';
      readonly command: SessionCommand;
      readonly arguments: string;
      /** When the session's newest message was created, in opencode's milliseconds; 0 if there is none. */
      readonly newest: number;
    }
  /** `messages`: oldest first; only the model's own. */
  | { readonly hook: 'idle'; readonly messages: readonly SaidAndDone[] };

export interface SaidAndDone {
  readonly at: number;
  readonly texts: readonly string[];
  readonly tools: number;
  readonly hasOutput: boolean;
}

/** Picks the agent's own words and tool calls out of a session's messages: none of the user, a tool or opencode. */
export function whatTheAgentDid(messages: readonly Message[]): SaidAndDone[] {
  // Anything said before a person last spoke was about something else.
  const spokenAt = messages.findLastIndex(({ info, parts }) => info.role === 'user' && parts.some(isOwnText));
  return messages.flatMap((message, index) => {
    if (!isModels(message)) return [];
    const { info, parts } = message;
    // A failing command is a successful tool call; an error means that the call was denied, `invalid` an unknown tool.
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

/** A command that the user typed after `!` also has the role `assistant`; only a model's answer has steps. */
export function isModels({ info, parts }: Message): boolean {
  return info.role === 'assistant' && parts.some(({ type }) => type === 'step-start');
}

function isOwnText({ type, synthetic = false }: Part): boolean {
  return type === 'text' && !synthetic;
}
