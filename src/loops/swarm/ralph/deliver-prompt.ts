/** Gives an interactive agent its prompt, once it takes one. What stands in the way is told; nothing is answered blindly. */
import { readFileSync, statSync } from 'node:fs';
import type { Instant } from '../../../core/time.ts';
import { writeFile } from '../../../process/files.ts';
import type { Control } from '../../../tmux/control.ts';
import { submitPrompt } from '../../../tmux/paste.ts';
import { agentCommand } from '../../../tmux/ready/command.ts';
import { waitUntilReady } from '../../../tmux/ready/wait.ts';
import type { RalphRequest } from './rules.ts';

export interface Delivery {
  readonly request: RalphRequest;
  readonly control: Control;
  readonly pane: string;
  readonly promptFile: string;
  readonly signal: AbortSignal;
  warn(text: string): void;
}

/**
 * Resolves to when that was, or was given up. A supervisor that died on the way has left a note; whoever adopts the agent
 * does not type the prompt again.
 */
export async function deliverPrompt(delivery: Delivery): Promise<Instant> {
  const { request, control, pane, promptFile, signal, warn } = delivery;
  const note = `${promptFile}ed`;
  const noted = statSync(note, { throwIfNoEntry: false });
  if (noted !== undefined) return noted.mtimeMs;
  const prompt = readFileSync(promptFile, 'utf8');
  const known = agentCommand(request.command);
  const agent = known.kind === 'interactive' ? known.agent : null;
  if (agent !== null) {
    const timeout = request.readyTimeout * request.secondMs;
    const onDialog = ({ message }: { message: string }): void => warn(message);
    const readiness = await waitUntilReady({ control, pane, agent, timeout, signal, onDialog });
    if (readiness.is === 'timed-out') {
      warn(`agent '${request.name}' did not become ready within ${request.readyTimeout}s`);
      // An Enter there would answer the question, and several stand on "No, exit".
      if (readiness.dialog !== null) return Date.now();
    }
  }
  writeFile(note, '', { mode: 0o600 });
  const submission = await submitPrompt({ control, pane, prompt, agent, signal });
  if (submission.is === 'asking') warn(submission.dialog.message);
  if (submission.is === 'unproved') warn('the prompt was typed, but the agent did not react to it');
  return Date.now();
}
