/** What the loop's own run of `verifyCommands` means: the story counts, goes back, or needs a person. Pure. */
import type { Checked } from '../../core/check.ts';
import type { Step } from '../../core/rules.ts';
import type { LoopState } from '../../core/state.ts';
import type { SendBackGiven, SentBack, StoriesStep } from './step-payloads.ts';
import { isComplete, judgedOf, type StoriesData } from './story-state.ts';
import { counted, settled } from './transitions.ts';
import { commandsOf, feedbackOf, passedIn, redNames, redOf, type Verifying, whyCapped } from './verify-rules.ts';

type State = LoopState<StoriesData>;
type Result = Step<StoriesData, StoriesStep>;

/** Every command runs, also after one has failed: whoever mends it hears of all at once. */
export function afterCheck({ iteration, data: before }: State, checked: Checked): Result {
  const commands = commandsOf(before);
  const { stories, red: earlier } = verifyingOf(before);
  const red = [...earlier, ...redOf(before, checked)];
  const data = { ...before, verifying: { stories, red } };
  const following = checked.index + 1;
  if (following % commands.length !== 0) return { data, go: { to: 'check', index: following } };
  const verified = { ...data, verified: { iteration, commands, red } };
  if (red.length > 0) return afterRed(verified);
  const isOnceMore = following === commands.length && isComplete(verified.judged);
  return isOnceMore ? { data: verified, go: { to: 'check', index: following } } : afterGreen(verified);
}

function afterGreen(data: StoriesData): Result {
  if (verifyingOf(data).stories.length === 0) return { data, go: { to: 'end', ending: { kind: 'done' } } };
  const isAtCap = data.judged?.verdict.kind === 'at-cap';
  return isAtCap ? { data, go: { to: 'step', what: 'approve' } } : counted(data);
}

function afterRed(data: StoriesData): Result {
  const { stories, red } = verifyingOf(data);
  if (stories.length > 0) return { data, go: { to: 'step', what: 'send-back' } };
  // Nobody can tell which story broke it.
  const reason = `all stories are approved, but verifyCommands failed: ${redNames(red)}`;
  return { data, go: { to: 'end', ending: { kind: 'blocked', reason } } };
}

export function sendBackGiven(data: StoriesData): SendBackGiven {
  const { stories, red } = verifyingOf(data);
  const { skipReview } = data.request;
  return { stories, tasks: judgedOf(data).tasks, feedback: feedbackOf(red), skipReview };
}

/** The review counts, its approval does not. */
export function afterSendBack(before: StoriesData, { tasks, complete }: SentBack): Result {
  const judged = judgedOf(before);
  const { red } = verifyingOf(before);
  const capped = whyCapped(before, red);
  const [sentBack = null] = passedIn(judged);
  const { countBefore } = judged.verdict as { readonly countBefore?: number };
  const verdict = {
    kind: 'legal',
    isComplete: false,
    submitted: null,
    approved: null,
    sentBack: before.request.skipReview ? null : sentBack,
    isCapApproval: false,
    passed: [],
    ...(countBefore === undefined ? {} : { countBefore }),
  } as const;
  const done = counted({ ...before, judged: { ...judged, tasks, complete, verdict } });
  // Without reviews there is no field that the next iteration would read.
  const data = before.request.skipReview ? { ...done.data, note: feedbackOf(red) } : done.data;
  if (capped === null || done.go.to === 'step') return { data, go: done.go };
  return settled(data, { to: 'end', ending: { kind: 'blocked', reason: capped } });
}

function verifyingOf({ verifying }: StoriesData): Verifying {
  if (verifying === null) throw new Error('nothing is being verified');
  return verifying;
}
