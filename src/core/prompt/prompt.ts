/** Builds an iteration's prompt from the base prompt and the failures of the last iteration's guardrails. */
import type { Checked } from '../check.ts';
import { linesOf } from '../text/lines-of.ts';

export interface Feedback extends Pick<Checked, 'log' | 'output' | 'truncated'> {
  readonly command: string;
  /** Null for a check that is not a command: then `how` describes the failure. */
  readonly exitCode: number | null;
  readonly how: string;
  readonly failAction: FailAction;
  readonly hint: string | null;
  /** The end of the output was kept instead of the start. */
  readonly isEnd?: boolean;
}

export type FailAction = 'APPEND' | 'PREPEND' | 'REPLACE';

/** Failures are applied in the order of the settings; a REPLACE discards everything before it. */
export function promptWithFeedback(base: string, feedback: readonly Feedback[]): string {
  return feedback.reduce((prompt, failure) => {
    const message = failureMessage(failure);
    const parts = { APPEND: [prompt, message], PREPEND: [message, prompt], REPLACE: [message] };
    return parts[failure.failAction].join('\n\n');
  }, base);
}

export function promptWithCount(prompt: string, iteration: number, limit: number): string {
  return `Iteration ${iteration} of ${limit}, ${limit - iteration} remaining.\n\n${prompt}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about; tab and newline stay.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Makes output safe for a prompt: an argument cannot hold a NUL, and an agent's terminal obeys other controls. */
export function shownInPrompt(output: string): string {
  return output.replaceAll('\r\n', '\n').replaceAll(CONTROLS, '\uFFFD');
}

function failureMessage({ command, exitCode, how, hint, log, output, truncated, isEnd }: Feedback): string {
  return linesOf(
    `Guardrail "${command}" failed${exitCode === null ? `: ${shownInPrompt(how)}` : ` with exit code ${exitCode}`}.`,
    hint !== null && `Hint: ${hint}`,
    `Output file: ${log}`,
    ...(isEnd === true
      ? [
          truncated ? 'The end of its output:' : 'Output:',
          `${truncated ? '[truncated] ...' : ''}${shownInPrompt(output)}`,
        ]
      : ['Output (truncated):', `${shownInPrompt(output)}${truncated ? '... [truncated]' : ''}`]),
  ).join('\n');
}
