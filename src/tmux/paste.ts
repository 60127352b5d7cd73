/**
 * Gives a prompt to what runs in a pane: a bracketed paste, then a separate Enter. That it was taken is proved by the
 * agent's own reaction (it works, or its input line is empty again), never by just any change on the screen.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Duration } from '../core/time.ts';
import type { Control, TmuxCommand } from './control.ts';
import { type AgentState, agentState, type Dialog, type PaneAgent } from './ready.ts';
import { lookAt } from './screen.ts';

export interface PromptPaste {
  readonly control: Control;
  readonly pane: string;
  readonly prompt: string;
  /** Of a command whose screen we do not know nothing can be proved. */
  readonly agent: PaneAgent;
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
  /** To a command whose reaction we do not know, or there was nothing to type. */
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
  const state = async (): Promise<AgentState> => agentState(agent, await lookAt(control, pane));
  if (agent.screen !== null) {
    const before = await state();
    if (before.is === 'asking') return before;
  }
  await leaveCopyMode(control, pane);
  await pasteText(control, pane, prompt, agent.screen === null ? 'if-asked' : 'marked');
  const enter = (): Promise<string> => control.send(['send-keys', '-t', pane, 'Enter']);
  if (agent.screen === null || pasteable(prompt) === '') {
    await enter();
    return { is: 'sent' };
  }

  const until = async (timeout: Duration, isEnough: (state: AgentState) => boolean): Promise<AgentState> => {
    const deadline = performance.now() + timeout;
    for (;;) {
      const now = await state();
      if (isEnough(now) || performance.now() >= deadline) return now;
      await sleep(patience.lookEvery, undefined, { ...(signal && { signal }) });
    }
  };
  const pasted = await until(patience.shown, (state) => state.is === 'asking' || isHolding(state));
  if (pasted.is === 'asking') return pasted;
  const wasHeld = isHolding(pasted);
  for (let pressed = 0; pressed < patience.enters; pressed++) {
    await enter();
    const after = await until(patience.reaction, (now) => reactionOf(now, wasHeld) !== null);
    const reaction = reactionOf(after, wasHeld);
    if (reaction !== null) return reaction;
    // An Enter that found no prompt in the input line would answer whatever comes next.
    if (!isHolding(after)) break;
  }
  return { is: 'unproved' };
}

function isHolding(state: AgentState): boolean {
  return (state.is === 'ready' || state.is === 'busy') && state.input !== '';
}

function reactionOf(state: AgentState, wasHeld: boolean): Submission | null {
  if (state.is === 'asking') return state;
  if (state.is === 'starting' || state.input !== '') return null;
  if (state.is === 'busy') return { is: 'proved', by: 'busy' };
  return wasHeld ? { is: 'proved', by: 'emptied' } : null;
}

/** While a person scrolls in the pane, keys would go to that, not to the agent. */
async function leaveCopyMode(control: Control, pane: string): Promise<void> {
  const inMode = await control.send(['display-message', '-p', '-t', pane, '#{pane_in_mode}']);
  if (inMode !== '0') await control.sendAll([['send-keys', '-t', pane, '-X', 'cancel']]);
}

/** Of one command; a longer text is appended in pieces, none of which ends in the middle of a character. */
const PIECE = /[\s\S]{1,16384}/gu;

/**
 * `marked`: between the marks of a bracketed paste in any case. tmux itself adds them (`-p`) only once the program has
 * asked for them, and some show their input line before: each key of a prompt was a command to it, `!` opened a shell.
 *
 * Throws TmuxRefusal when the pane is gone; the buffer is removed on every path.
 */
async function pasteText(control: Control, pane: string, text: string, marks: 'marked' | 'if-asked'): Promise<void> {
  const buffer = `ralph-${randomUUID()}`;
  const clean = pasteable(text);
  if (clean === '') return;
  const pieces = (marks === 'marked' ? `\u001b[200~${clean}\u001b[201~` : clean).match(PIECE) ?? [];
  const load = pieces.map((piece): TmuxCommand => ['set-buffer', '-a', '-b', buffer, '--', piece]);
  const bracketed = marks === 'marked' ? [] : ['-p'];
  // One write for all: the buffer is never seen half filled, and `-d` removes it with the paste.
  const answers = await control.sendAll([...load, ['paste-buffer', ...bracketed, '-d', '-b', buffer, '-t', pane]]);
  const refused = answers.find((answer) => !answer.ok);
  if (refused === undefined || refused.ok) return;
  await control.sendAll([['delete-buffer', '-b', buffer]]);
  throw refused.error;
}

/** As a file of lines would be typed: no line end at its end, none of another system, nothing that ends the paste early. */
function pasteable(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(PASTE_MARKS, '').replaceAll('\0', '').replace(/\n+$/, '');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the marks of a bracketed paste are escape sequences.
const PASTE_MARKS = /(?:\u001b\[|\u009b)20[01]~/g;
