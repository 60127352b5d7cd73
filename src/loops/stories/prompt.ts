/** The prompt of an iteration: the project's own text, the assignment, and what came of the last iterations. Pure. */
import { pivotPrompt, progressSections } from '../../core/prompt/pivot.ts';
import type { LoopState } from '../../core/state.ts';
import { linesOf } from '../../core/text/lines-of.ts';
import { CAP_PREFIX } from './list/allowed-changes.ts';
import { commandsOf, known, openListOf, type Running, reviewsOf, type StoriesData } from './state.ts';

type Prompted = Pick<LoopState<StoriesData>, 'iteration' | 'data' | 'progress' | 'terms'>;

/** The project's own text with its placeholders filled in, and what the loop adds. */
export function storiesPrompt(state: Prompted): string {
  const { data, progress, terms } = state;
  const { note, answer } = data;
  const notes = note === null ? [] : ['', 'The last iteration did not count:', '', quoted(note)];
  const answers = answer === null ? [] : ['', "A person has answered the loop's question:", '', quoted(answer)];
  // A reviewer needs a fresh view: it gets no notes about the author's work.
  const isReview = assigned(data).mode === 'review';
  const sections = isReview ? [] : progressSections(progress, terms.carryNotes === true);
  return [...taskText(state), ...notes, ...answers, ...sections.flatMap((section) => ['', section]), ''].join('\n');
}

/** For a pivot: a run that only reads, and is asked for a different plan. */
export function planPrompt(state: Prompted): string {
  return pivotPrompt(taskText(state).join('\n'), state.progress, []);
}

function taskText({ iteration, data }: Prompted): string[] {
  const { request } = data;
  // Both spellings in one pass, so that inserted text is not searched again.
  const forms = /\$RALPH_(ITERATION|MAX_ITERATIONS)(?![A-Za-z0-9_])|\{\{RALPH_(ITERATION|MAX_ITERATIONS)\}\}/g;
  const number = (_all: string, plain: string | undefined, braced: string | undefined): string =>
    String((plain ?? braced) === 'ITERATION' ? iteration : request.maxIterations);
  const text = known(data, 'inputs').prompt.replaceAll(forms, number).trimEnd();
  return [text, '', '## This iteration', '', assignment(data)];
}

/** The mode and story of the iteration under way, or of the next one if none is. */
function assigned(data: StoriesData): Pick<Running, 'mode' | 'story'> {
  return data.running ?? openListOf(data);
}

function assignment(data: StoriesData): string {
  const { mode, story } = assigned(data);
  const { ralphDir, skipReview, reviewCap } = data.request;
  const folder =
    ralphDir === 'ralph' ? '' : `\n- Folder: \`${ralphDir}/\`; read it wherever a file of \`ralph/\` is meant.`;
  const what = `- Mode: ${mode}\n- Story: ${story.id} (${story.title.split(/\s+/).join(' ')})${folder}`;
  if (skipReview) return `${what}\n- There are no reviews (\`skipReview\`).`;
  if (mode !== 'review') return what;
  const review = reviewsOf(data, story) + 1;
  const last = `: the last one, so approve it; what is left to say goes into reviewFeedback, prefixed with \`${CAP_PREFIX}\``;
  const verify =
    '- If you approve it, the loop runs `verifyCommands` itself: if one fails, the approval does not count.';
  return linesOf(
    what,
    `- This is review ${review} of at most ${reviewCap}${review >= reviewCap ? last : ''}.`,
    commandsOf(data).length > 0 && verify,
  ).join('\n');
}

function quoted(text: string): string {
  const lines = text.split('\n').map((line) => `> ${line}`.trimEnd());
  return lines.join('\n');
}
