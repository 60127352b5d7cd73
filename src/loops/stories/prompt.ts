/** The prompt of an iteration: the project's own text with its numbers, and what the loop has to add. */

import { CAP_PREFIX, type IterationMode } from './list/allowed-changes.ts';
import type { StoriesRequest } from './request.ts';
import type { ChosenStory } from './step-payloads.ts';

export interface PromptParts
  extends Pick<StoriesRequest, 'maxIterations' | 'ralphDir' | 'skipReview' | 'reviewCap' | 'answer'> {
  readonly text: string;
  readonly iteration: number;
  readonly mode: IterationMode;
  readonly story: ChosenStory;
  /** The loop runs `verifyCommands` itself before an approval counts. */
  readonly verifies: boolean;
  readonly note: string | null;
}

export function storiesPrompt(parts: PromptParts): string {
  const { note, answer } = parts;
  const notes = note === null ? [] : ['', 'The last iteration did not count:', '', quoted(note)];
  const answers = answer === null ? [] : ['', "A person has answered the loop's question:", '', quoted(answer)];
  return [withNumbers(parts).trimEnd(), '', '## This iteration', '', assignment(parts), ...notes, ...answers, ''].join(
    '\n',
  );
}

/** Both spellings, in one pass: what is put in is not looked at again. */
function withNumbers({ text, iteration, maxIterations }: PromptParts): string {
  const forms = /\$RALPH_(ITERATION|MAX_ITERATIONS)(?![A-Za-z0-9_])|\{\{RALPH_(ITERATION|MAX_ITERATIONS)\}\}/g;
  return text.replaceAll(forms, (_all, plain: string | undefined, braced: string | undefined) =>
    String((plain ?? braced) === 'ITERATION' ? iteration : maxIterations),
  );
}

function assignment({ mode, story, ralphDir, skipReview, reviewCap, verifies }: PromptParts): string {
  const folder =
    ralphDir === 'ralph' ? '' : `\n- Folder: \`${ralphDir}/\`; read it wherever a file of \`ralph/\` is meant.`;
  const what = `- Mode: ${mode}\n- Story: ${story.id} (${story.title.split(/\s+/).join(' ')})${folder}`;
  if (skipReview) return `${what}\n- There are no reviews (\`skipReview\`).`;
  if (mode !== 'review') return what;
  const review = story.reviewCount + 1;
  const last =
    review >= reviewCap
      ? `: the last one, so approve it; what is left to say goes into reviewFeedback, prefixed with \`${CAP_PREFIX}\``
      : '';
  const verify = verifies
    ? '\n- If you approve it, the loop runs `verifyCommands` itself: if one fails, the approval does not count.'
    : '';
  return `${what}\n- This is review ${review} of at most ${reviewCap}${last}.${verify}`;
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}
