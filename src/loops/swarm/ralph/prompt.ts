/** How the prompt goes in, by the command: pasted where a person would type, piped where a program reads. */
import { readFileSync, statSync } from 'node:fs';
import { profileFor } from '../../../agents/index.ts';
import { paneAgent } from '../../../agents/pane.ts';
import type { Instant } from '../../../core/time.ts';
import { writeFile } from '../../../process/files.ts';
import type { Control } from '../../../tmux/control.ts';
import { submitPrompt } from '../../../tmux/paste.ts';
import { waitUntilReady } from '../../../tmux/ready.ts';
import type { PromptVia, RalphRequest } from './rules.ts';

/** A Docker Sandbox does not pass stdin on: there the prompt is an argument. */
export function promptVia(request: Pick<RalphRequest, 'command' | 'promptVia' | 'sandbox'>): PromptVia {
  if (request.promptVia !== null) return request.promptVia;
  const [program, ...args] = request.command;
  const { flags = [], words = [] } = profileFor(program).readsStdin ?? {};
  const firstWord = args.find((arg) => !arg.startsWith('-'));
  const reads = args.some((arg) => flags.includes(arg)) || (firstWord !== undefined && words.includes(firstWord));
  if (!reads) return 'paste';
  return request.sandbox?.kind === 'docker' ? 'arg' : 'stdin';
}

/** The command as it is started: with the prompt as its last argument, or on its stdin, or bare. */
export function commandWith(
  argv: readonly string[],
  via: PromptVia,
  prompt: { readonly text: string; readonly file: string },
): readonly string[] {
  if (via === 'arg') return [...argv, prompt.text];
  return via === 'stdin' ? ['sh', '-c', 'exec "$@" <"$0"', prompt.file, ...argv] : argv;
}

export interface Delivery {
  readonly request: RalphRequest;
  readonly control: Control;
  readonly pane: string;
  readonly promptFile: string;
  readonly signal: AbortSignal;
  warn(text: string): void;
}

/**
 * Gives an interactive agent its prompt, once it takes one, and resolves to when that was, or was given up. What stands
 * in the way is reported; nothing is answered blindly. A supervisor that died on the way has left a note: the next one
 * does not type the prompt again.
 */
export async function deliverPrompt(delivery: Delivery): Promise<Instant> {
  const { request, control, pane, promptFile, signal, warn } = delivery;
  const note = `${promptFile}ed`;
  const noted = statSync(note, { throwIfNoEntry: false });
  if (noted !== undefined) return noted.mtimeMs;
  const prompt = readFileSync(promptFile, 'utf8');
  const agent = paneAgent(request.command);
  if (agent.screen !== null) {
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
