/** Waits until an agent takes its prompt, and tells which dialogs it meets meanwhile; a person may answer them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Duration } from '../../core/time.ts';
import type { Control } from '../control.ts';
import { type Dialog, findDialog } from '../dialogs.ts';
import { type Look, lookAt } from '../screen-look.ts';
import type { InteractiveAgent } from './agents.ts';
import { agentState, looksReady } from './ready.ts';

export interface ReadyWait {
  readonly control: Control;
  readonly pane: string;
  /** Null: a command that we do not know, which is waited for by the original's patterns. */
  readonly agent: InteractiveAgent | null;
  readonly timeout: Duration;
  /** The original's half second unless told otherwise. */
  readonly every?: Duration;
  readonly signal?: AbortSignal;
  /** Once for each message. */
  onDialog?(dialog: Dialog): void;
}

export type Readiness =
  | { readonly is: 'ready' }
  /** The dialog that still stands there, if it is one that we know. */
  | { readonly is: 'timed-out'; readonly dialog: Dialog | null };

const EVERY: Duration = 500;
/** An agent that just began to draw may clear its screen once more; a second look must agree. */
const SETTLES: Duration = 150;

/** Throws TmuxRefusal when the pane is gone. */
export async function waitUntilReady(wait: ReadyWait): Promise<Readiness> {
  const { control, pane, agent, timeout, every = EVERY, signal, onDialog } = wait;
  const deadline = performance.now() + timeout;
  const told = new Set<string>();
  for (let wasReady = false; ; ) {
    const { isReady, dialog } = judge(agent, await lookAt(control, pane));
    if (isReady && wasReady) return { is: 'ready' };
    wasReady = isReady;
    if (dialog !== null && !told.has(dialog.message)) {
      told.add(dialog.message);
      onDialog?.(dialog);
    }
    const left = deadline - performance.now();
    if (left <= 0) return { is: 'timed-out', dialog };
    await sleep(Math.min(isReady ? SETTLES : every, every, left), undefined, { ...(signal && { signal }) });
  }
}

function judge(agent: InteractiveAgent | null, look: Look): { isReady: boolean; dialog: Dialog | null } {
  if (agent === null) return { isReady: looksReady(look), dialog: findDialog(look.screen) };
  const state = agentState(agent, look);
  return { isReady: state.is === 'ready', dialog: state.is === 'asking' ? state.dialog : null };
}
