/** The files in which a loop tells a person why it cannot go on, and in which that person answers. */
import { join } from 'node:path';
import type { TellGiven } from './facts.ts';
import { replaceFile } from './project-file.ts';

const BLOCKED_FILE = 'blocked.txt';
export const DECIDE_FILE = 'decide.txt';
export const TOLD_FILES = [BLOCKED_FILE, DECIDE_FILE] as const;
const ANSWER = '---\n## Answer\n';

export function tell(folder: string, { kind, reason, iteration, at }: TellGiven): void {
  const from = `(from iteration ${iteration}, ${new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')})`;
  if (kind === 'blocked') replaceFile(join(folder, BLOCKED_FILE), `## Blocked ${from}\n\n${reason}\n`);
  else replaceFile(join(folder, DECIDE_FILE), `## Question ${from}\n\n${reason}\n\n${ANSWER}\n`);
}

/** Question and answer, once there is an answer to this very question: a question may bring an answer of its own. */
export function answerTo(question: string, text: string): string | null {
  const whole = text.replaceAll('\r\n', '\n').replace(/^## Question \([^\n]*\)\n\n/, '');
  const asked = `${question}\n\n${ANSWER}`;
  if (!whole.startsWith(asked) || whole.slice(asked.length).trim() === '') return null;
  return text.trim();
}
