/** The files in which a loop tells a person why it cannot go on, and in which that person answers. */
import { join } from 'node:path';
import type { TellGiven } from '../step-payloads.ts';
import { replaceFile } from './project-file.ts';

export const BLOCKED_FILE = 'blocked.txt';
export const DECIDE_FILE = 'decide.txt';
export const TOLD_FILES = [BLOCKED_FILE, DECIDE_FILE] as const;
const ANSWER_HEADING = '## Answer';

export function tell(cwd: string, folder: string, { kind, reason, iteration, at }: TellGiven): void {
  const from = `(from iteration ${iteration}, ${new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')})`;
  if (kind === 'blocked') replaceFile(cwd, join(folder, BLOCKED_FILE), `## Blocked ${from}\n\n${reason}\n`);
  else replaceFile(cwd, join(folder, DECIDE_FILE), `## Question ${from}\n\n${reason}\n\n---\n${ANSWER_HEADING}\n\n`);
}

/**
 * Question and answer, once there is an answer to this very question: a question may bring an answer of its own. Below the
 * heading or on its line; what an editor does to blanks and the ends of lines matters to nobody.
 */
export function answerTo(question: string, text: string): string | null {
  const whole = plainLines(text).replace(/^## Question \([^\n]*\)\n+/, '');
  const asked = plainLines(question);
  if (!whole.startsWith(asked)) return null;
  const [, answer = ''] = /^\n+---\n+## Answer(?![^\s:]):?(.*)$/s.exec(whole.slice(asked.length)) ?? [];
  return answer.trim() === '' ? null : text.trim();
}

function plainLines(text: string): string {
  return text.replaceAll(/[^\S\n]+$/gm, '').trim();
}
