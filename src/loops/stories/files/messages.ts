/**
 * The files in which a loop tells a person why it cannot continue, and in which the person answers the last loop's
 * question. An answer is read only once, when a loop starts, because an agent can write the file, too.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Ending, EXIT_CODES } from '../../../core/ending.ts';
import { RalphError } from '../../../core/error.ts';
import { readPlain } from '../../../process/files.ts';
import { isoSeconds, writeProjection } from '../../../state/projection.ts';
import type { StoriesProject } from '../project.ts';
import type { Given } from '../state.ts';
import { replaceFile } from './work-tree.ts';

export const BLOCKED_FILE = 'blocked.txt';
export const DECIDE_FILE = 'decide.txt';
export const MESSAGE_FILES = [BLOCKED_FILE, DECIDE_FILE] as const;

export function writeMessage(cwd: string, folder: string, { kind, reason, iteration, at }: Given<'tell'>): void {
  const from = `(from iteration ${iteration}, ${isoSeconds(at)})`;
  if (kind === 'blocked') replaceFile(cwd, join(folder, BLOCKED_FILE), `## Blocked ${from}\n\n${reason}\n`);
  else replaceFile(cwd, join(folder, DECIDE_FILE), `## Question ${from}\n\n${reason}\n\n---\n## Answer\n\n`);
}

/** Moves `blocked.txt` away, which is outdated once the loop continues. Returns the lines to show about it. */
export function putBlockAway({ cwd, folder, ralphDir }: StoriesProject, loop: string, whose = ''): string[] {
  const file = join(folder, BLOCKED_FILE);
  if (!existsSync(file)) return [];
  const kept = takeAway(cwd, file, readPlain(file), join(loop, BLOCKED_FILE));
  return [`${ralphDir}/${BLOCKED_FILE}${whose} is kept in ${kept}`];
}

/** Refuses to continue while the question has no answer: further iterations would be wasted without it. */
export function consumeDecision({ cwd, folder, ralphDir }: StoriesProject, ending: Ending | null, isAnswered = false) {
  const file = join(folder, DECIDE_FILE);
  const text = readPlain(file);
  const question = ending?.kind === 'decision' ? ending.reason : null;
  const answer = text === null || question === null ? null : answerTo(question, text);
  // A person who removes the file wants to continue without an answer.
  if (question !== null && answer === null && !isAnswered && existsSync(file)) {
    const asked = question.split(/\s+/).join(' ');
    const what = `the last loop asked a question, and ${ralphDir}/${DECIDE_FILE} contains no answer to it: ${asked}`;
    throw new RalphError('UNANSWERED', what, {
      hint: 'Write the answer below "## Answer" and leave the lines above it as they are; to continue without one, remove the file.',
      exitCode: EXIT_CODES.decision,
    });
  }
  return {
    answer,
    /** To be called once the answer is on record. Returns the lines to show about it. */
    putAway(loop: string): string[] {
      if (!existsSync(file)) return [];
      const kept = takeAway(cwd, file, text, join(loop, DECIDE_FILE));
      if (answer !== null)
        return [`The answer in ${ralphDir}/${DECIDE_FILE} was accepted; the file is kept in ${kept}`];
      if (isAnswered) return [`The question is answered; ${ralphDir}/${DECIDE_FILE} is kept in ${kept}`];
      return [`${ralphDir}/${DECIDE_FILE} contains no answer to a question of the last loop; it is kept in ${kept}`];
    },
  };
}

export function awaitsAnswer({ folder }: StoriesProject, ending: Ending | null): boolean {
  if (ending?.kind !== 'decision') return false;
  const text = readPlain(join(folder, DECIDE_FILE));
  return text !== null && answerTo(ending.reason, text) === null;
}

/** Copies and deletes instead of renaming: the two paths may be on different disks. */
function takeAway(cwd: string, file: string, text: string | null, kept: string): string {
  writeProjection(kept, text ?? '');
  replaceFile(cwd, file, null);
  return kept;
}

/** The whole text if exactly this question has an answer, below the heading or on its line; null otherwise. */
function answerTo(question: string, text: string): string | null {
  const whole = plainLines(text).replace(/^## Question \([^\n]*\)\n+/, '');
  const asked = plainLines(question);
  if (!whole.startsWith(asked)) return null;
  const [, answer = ''] = /^\n+---\n+## Answer(?![^\s:]):?(.*)$/s.exec(whole.slice(asked.length)) ?? [];
  return answer.trim() === '' ? null : text.trim();
}

function plainLines(text: string): string {
  return text.replaceAll(/[^\S\n]+$/gm, '').trim();
}
