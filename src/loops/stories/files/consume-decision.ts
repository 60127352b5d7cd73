/**
 * Takes a person's answer at the start of a loop, and at no other time: an agent can write the file, too. Only the question
 * with which the last loop ended can be answered, and the file is taken away, so that it is an answer once. Until then no
 * other loop begins: its iterations would be spent without the answer.
 */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Ending, EXIT_CODES } from '../../../core/ending.ts';
import { RalphError } from '../../../core/error.ts';
import { readPlain } from '../../../state/plain-file.ts';
import { writeProjection } from '../../../state/projection.ts';
import type { ListedLoop } from '../../../state/registry.ts';
import { answerTo, DECIDE_FILE } from './messages.ts';
import { replaceFile } from './project-file.ts';

export interface TakenAnswer {
  /** Question and answer, for the prompt. */
  readonly answer: string | null;
  /** Once it is written down elsewhere; gives what is to be said about it. */
  putAway(loop: string): string[];
}

export function consumeDecision(cwd: string, ralphDir: string, last: ListedLoop | null): TakenAnswer {
  const file = resolve(cwd, ralphDir, DECIDE_FILE);
  const text = readPlain(file);
  const question = last?.ending?.kind === 'decision' ? last.ending.reason : null;
  const answer = text === null || question === null ? null : answerTo(question, text);
  // Whoever takes the file away has said enough.
  if (question !== null && answer === null && existsSync(file))
    throw unanswered(question, `${ralphDir}/${DECIDE_FILE}`);
  return {
    answer,
    putAway(loop) {
      if (!existsSync(file)) return [];
      const kept = join(loop, DECIDE_FILE);
      // Never by renaming: the two may lie on different disks.
      writeProjection(kept, text ?? '');
      replaceFile(cwd, file, null);
      return answer === null
        ? [`${ralphDir}/${DECIDE_FILE} holds no answer to a question of the last loop; it is kept in ${kept}`]
        : [`The answer in ${ralphDir}/${DECIDE_FILE} is taken; the file is kept in ${kept}`];
    },
  };
}

/** The loop ended with a question that nobody has answered yet. */
export function awaitsAnswer(cwd: string, ralphDir: string, ending: Ending | null): boolean {
  if (ending?.kind !== 'decision') return false;
  const text = readPlain(resolve(cwd, ralphDir, DECIDE_FILE));
  return text !== null && answerTo(ending.reason, text) === null;
}

function unanswered(question: string, path: string): RalphError {
  return new RalphError(
    'UNANSWERED',
    `the last loop asked a question, and ${path} holds no answer to it: ${question.split(/\s+/).join(' ')}`,
    {
      hint: 'Write the answer below "## Answer" and leave the lines above it as they are; to go on without one, remove the file.',
      exitCode: EXIT_CODES.decision,
    },
  );
}
