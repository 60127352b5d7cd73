/**
 * Gives a prompt to what runs in a pane: a bracketed paste, then a separate Enter. That it was taken is proved by the
 * agent's own reaction (it works, or its input line is empty again), never by just any change on the screen.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Duration } from '../core/time.ts';
import type { Control } from './control.ts';
import type { Dialog } from './dialogs.ts';
import { pasteable, pasteText } from './paste-buffer.ts';
import type { InteractiveAgent } from './ready/agents.ts';
import { type AgentState, agentState } from './ready/ready.ts';
import { lookAt } from './screen-look.ts';

export interface PromptPaste {
  readonly control: Control;
  readonly pane: string;
  readonly prompt: string;
  /** Null for a command that we do not know: then nothing can be proved. */
  readonly agent: InteractiveAgent | null;
  readonly patience?: Partial<Patience>;
  readonly signal?: AbortSignal;
}

export interface Patience {
  readonly lookEvery: Duration;
  /** For the paste to stand in the input line. */
  readonly shown: Duration;
  /** For a reaction to one Enter. */
  readonly reaction: Duration;
  /** How often Enter is pressed at most. */
  readonly enters: number;
}

export type Submission =
  | { readonly is: 'proved'; readonly by: 'busy' | 'emptied' }
  /** There was nobody whose reaction we know, or nothing to type. */
  | { readonly is: 'sent' }
  /** A dialog stands where the prompt should go; no key was pressed that it could take for an answer. */
  | { readonly is: 'asking'; readonly dialog: Dialog }
  /** Sent, but nothing that we know happened. */
  | { readonly is: 'unproved' };

const PATIENCE: Patience = { lookEvery: 100, shown: 10_000, reaction: 3000, enters: 4 };

/** Throws TmuxRefusal when the pane is gone. */
export async function submitPrompt(paste: PromptPaste): Promise<Submission> {
  const { control, pane, prompt, agent, signal } = paste;
  const patience = { ...PATIENCE, ...paste.patience };
  if (agent !== null) {
    const before = agentState(agent, await lookAt(control, pane));
    if (before.is === 'asking') return before;
  }
  await leaveCopyMode(control, pane);
  await pasteText(control, pane, prompt, agent === null ? 'if-asked' : 'marked');
  const enter = (): Promise<string> => control.send(['send-keys', '-t', pane, 'Enter']);
  if (agent === null || pasteable(prompt) === '') {
    await enter();
    return { is: 'sent' };
  }

  const until = async (timeout: Duration, isEnough: (state: AgentState) => boolean): Promise<AgentState> => {
    const deadline = performance.now() + timeout;
    for (;;) {
      const state = agentState(agent, await lookAt(control, pane));
      if (isEnough(state) || performance.now() >= deadline) return state;
      await sleep(patience.lookEvery, undefined, { ...(signal && { signal }) });
    }
  };
  const pasted = await until(patience.shown, (state) => state.is === 'asking' || isHolding(state));
  if (pasted.is === 'asking') return pasted;
  const wasHeld = isHolding(pasted);
  for (let pressed = 0; pressed < patience.enters; pressed++) {
    await enter();
    const state = await until(patience.reaction, (now) => reactionOf(now, wasHeld) !== null);
    const reaction = reactionOf(state, wasHeld);
    if (reaction !== null) return reaction;
    // An Enter that found no prompt in the input line would answer whatever comes next.
    if (!isHolding(state)) break;
  }
  return { is: 'unproved' };
}

function isHolding(state: AgentState): boolean {
  return (state.is === 'ready' || state.is === 'busy') && state.input !== '';
}

function reactionOf(state: AgentState, wasHeld: boolean): Submission | null {
  switch (state.is) {
    case 'starting':
      return null;
    case 'asking':
      return state;
    case 'busy':
      return state.input === '' ? { is: 'proved', by: 'busy' } : null;
    case 'ready':
      return wasHeld && state.input === '' ? { is: 'proved', by: 'emptied' } : null;
  }
}

/** Somebody may be scrolling in the pane: keys would go to that, not to the agent. */
async function leaveCopyMode(control: Control, pane: string): Promise<void> {
  const inMode = await control.send(['display-message', '-p', '-t', pane, '#{pane_in_mode}']);
  if (inMode !== '0') await control.sendAll([['send-keys', '-t', pane, '-X', 'cancel']]);
}
