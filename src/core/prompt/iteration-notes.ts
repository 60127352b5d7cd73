/** What the next prompt says about the last iterations: newest first, as many as fit. Pure. */
import type { IterationNote } from '../progress/notes.ts';
import { linesOf } from '../text/lines-of.ts';
import { shownInPrompt } from './prompt.ts';

const MOST_CHARS = 2000;
const HEADING =
  '## What the last iterations came to\nNewest first; each agent starts without the memory of the one before.';

/** Empty if there is nothing to say. */
export function notesSection(notes: readonly IterationNote[]): string[] {
  const texts = notes.toReversed().map(noteText);
  let room = MOST_CHARS - HEADING.length;
  const kept: string[] = [];
  for (const text of texts) {
    room -= text.length + 2;
    if (room < 0) break;
    kept.push(text);
  }
  return kept.length === 0 ? [] : [[HEADING, ...kept].join('\n\n')];
}

function noteText(note: IterationNote): string {
  return shownInPrompt(
    linesOf(
      `Iteration ${note.iteration}: ${outcomeOf(note)}`,
      note.words !== null && `The agent's last words: ${note.words}`,
    ).join('\n'),
  );
}

/** Commands can be of any length. */
const LONGEST_OUTCOME = 600;

function outcomeOf({ failure, isClaimed, red }: IterationNote): string {
  if (failure !== null) return `the agent failed (${failure}).`;
  const said = isClaimed ? 'the agent said that it is done' : 'the agent did not say that it is done';
  const checks = red.map(({ command, how }) => `${command} failed (${how})`).join(', ');
  const words = `${said}; ${checks === '' ? 'no check failed' : checks}`;
  return words.length > LONGEST_OUTCOME ? `${words.slice(0, LONGEST_OUTCOME)}…` : `${words}.`;
}
