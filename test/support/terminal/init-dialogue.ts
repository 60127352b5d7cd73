/** The questions of `ralph init`, word for word, and a way to type the answers in a terminal. */
import type { Terminal } from './terminal.ts';

export const COMMAND = 'Agent command (e.g., claude, codex, amp, or other LLM CLI):';
export const FLAGS = 'Agent flags (comma-separated, optional):';
export const LIMIT = 'Maximum iterations [10]:';
export const RESPONSE = 'Completion response [DONE]:';
export const GUARDRAIL = 'Add guardrail command (leave blank to finish):';
export const ACTION = '  Fail action (APPEND|PREPEND|REPLACE):';
export const HINT = '  Hint (optional, guidance for agent on failure):';
export const SCM = 'Configure SCM? (y/N):';
export const SCM_COMMAND = '  SCM command (e.g., git):';
export const SCM_TASKS = '  SCM tasks (comma-separated, e.g., commit,push):';
export const OVERWRITE = 'Overwrite? (y/N):';

export const BLANKS = [
  [FLAGS, ''],
  [LIMIT, ''],
  [RESPONSE, ''],
  [GUARDRAIL, ''],
  [SCM, ''],
] as const;
export const WHOLE = [[COMMAND, 'claude'], ...BLANKS] as const;

/** Answers each question when it is at the end of the screen. */
export async function answer(
  terminal: Terminal,
  answers: readonly (readonly [question: string, answer: string])[],
): Promise<void> {
  for (const [question, text] of answers) {
    await terminal.asks(question);
    terminal.type(text);
  }
}
