/** What an agent in a pane is at: still starting, waiting for a prompt, working, or asking a person. Pure. */
import { type Dialog, findDialog } from '../dialogs.ts';
import type { Look } from '../screen-look.ts';
import type { InteractiveAgent } from './agents.ts';

export type AgentState =
  | { readonly is: 'starting' }
  /** Takes a prompt; `input` is what stands in its input line already. */
  | { readonly is: 'ready'; readonly input: string }
  | { readonly is: 'busy'; readonly input: string }
  | { readonly is: 'asking'; readonly dialog: Dialog };

export function agentState(agent: InteractiveAgent, look: Look): AgentState {
  const lines = look.screen.split('\n');
  const input = agent.input(lines);
  if (agent.isBusy(lines, look)) return { is: 'busy', input: input ?? '' };
  // A dialog takes the place of the input line; the same words above one are part of a conversation.
  if (input !== null) return { is: 'ready', input };
  const dialog = findDialog(look.screen);
  return dialog === null ? { is: 'starting' } : { is: 'asking', dialog };
}

/**
 * For commands that we know nothing about, when somebody wants to wait for them all the same: the original's patterns.
 * A captured line has lost the blanks at its end, so a bare prompt ends with the line.
 */
const READY_LINES: readonly RegExp[] = [
  /bypass\s+permissions/,
  /permissions?\s+mode/,
  /shift\+tab\s+to\s+cycle/,
  /Claude\s+Code\s+v\d+/,
  /^>(?:\s|$)/,
  /❯(?:\s|$)/,
  /opencode\s+v\d+/,
  /tab\s+switch\s+agent/,
  /ctrl\+p\s+commands/,
  /^\$(?:\s|$)/,
  /^>>>(?:\s|$)/,
];

/** A shell's prompt with a name or a path before its mark; `100%` is none. */
const SHELL_PROMPT = /[$#❯]$|[^\d\s]%$/;

export function looksReady({ screen }: Look): boolean {
  if (findDialog(screen) !== null) return false;
  const lines = screen.split('\n');
  return SHELL_PROMPT.test(lines.at(-1) ?? '') || lines.some((line) => READY_LINES.some((sign) => sign.test(line)));
}
