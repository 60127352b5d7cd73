/** Commit messages: the prompt that asks for one, how the answer is read, and one made from the task. Pure. */
import type { Said } from '../../core/record.ts';
import { isFence } from '../../core/text/fence.ts';

export const COMMIT_MESSAGE_PROMPT =
  'Provide a short imperative commit message for the changes. Output only the message, no explanation.';

/** Removes code fences: some agents put the message into a code block. */
export function messageIn({ tag, firstLine }: Said): string {
  if (tag === null) return firstLine ?? '';
  return tag
    .split('\n')
    .filter((line) => !isFence(line))
    .join('\n')
    .trim();
}

/** How much of a subject git's own tools show. */
const SUBJECT_CHARS = 72;

/** `Fix the failing tests (iteration 2)`: the first words of the prompt, without the marks of a heading or a list. */
export function templateMessage(prompt: string, iteration: number): string {
  const lines = prompt.split('\n').map((line) => line.replace(/^[\s#>*-]+/, '').trim());
  const subject = [...(lines.find((line) => line !== '') ?? 'Work')];
  const which = ` (iteration ${iteration})`;
  const room = SUBJECT_CHARS - which.length;
  const shown =
    subject.length <= room
      ? subject.join('')
      : `${subject
          .slice(0, room - 1)
          .join('')
          .trimEnd()}…`;
  return `${shown}${which}`;
}
