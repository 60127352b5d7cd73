/**
 * Seed 003's loop: one story per iteration, and only a review with a fresh context may approve it. Every run is judged by
 * what it left in the list; what it may not do is put back.
 */
import type { Ran } from '../../core/record.ts';
import type { LoopRules, Step } from '../../core/rules.ts';
import type { LoopState } from '../../core/state.ts';
import { agentFor } from './agent.ts';
import { storiesPrompt } from './prompt.ts';
import type { StoriesRequest } from './request.ts';
import type {
  ApproveGiven,
  Judged,
  JudgeGiven,
  Marked,
  MarkGiven,
  PromptBackGiven,
  PutBackGiven,
  Running,
  SeenFiles,
  Spoilt,
  StoriesInputs,
  StoriesStep,
  StoriesSteps,
  TellGiven,
} from './step-payloads.ts';
import {
  inputsOf,
  isComplete,
  judgedOf,
  nowRunning,
  reviewsOf,
  type StoriesData,
  withoutCommit,
} from './story-state.ts';
import { afterApproval, afterJudge, afterPutBack, putBack, putBackBetween } from './transitions.ts';
import { commandsOf, verifyCheck, verifyFirst } from './verify-rules.ts';
import { afterCheck, afterSendBack, sendBackGiven } from './verify-transitions.ts';

type State = LoopState<StoriesData>;
type Result = Step<StoriesData, StoriesStep>;

export const storiesRules: LoopRules<StoriesData, StoriesSteps, StoriesRequest, StoriesInputs> = {
  loopKind: 'stories',
  begin: (request) => ({
    request,
    // Older loops had none.
    answer: request.answer ?? null,
    inputs: null,
    running: null,
    ran: null,
    judged: null,
    pending: null,
    note: null,
    reviews: {},
    tamperedInARow: 0,
    emptyInARow: 0,
    stuckCount: 0,
    promised: null,
    verifying: null,
    verified: null,
    repository: null,
    seen: { last: null, beforePause: null },
    lastFailure: null,
    ranIn: 0,
  }),
  takeInputs: (data, inputs) => ({ ...data, inputs }),
  inputsGiven: ({ seen }) => seen,
  afterStandstill: (data) => ({ ...data, seen: { last: null, beforePause: data.seen.last } }),
  takeOptions: continuedWith,
  afterInputs,
  limit: ({ request }) => request.maxIterations,
  backoffUnit: ({ request }) => request.backoffUnitMs,
  agent: ({ data }) => agentFor(data.request, nowRunning(data).mode, inputsOf(data).pluginDir),
  prompt,
  listen: () => ({ tag: 'promise', multiline: true }),
  deferFailureCount: true,
  afterEveryRun: ({ data, iteration }, ran: Ran) => ({
    data: { ...data, ran, ranIn: iteration },
    go: { to: 'step', what: 'judge' },
  }),
  afterRun: ({ data }) => ({
    data,
    go: isComplete(data.judged) ? { to: 'end', ending: { kind: 'done' } } : { to: 'next-iteration' },
  }),
  checks: { spec: verifyCheck, after: afterCheck },
  steps: {
    mark: { given: markGiven, after: unlessSpoilt(afterMark) },
    judge: {
      given: ({ data }) => judgeGiven(data),
      after: unlessSpoilt(({ data: before }, judged) => {
        const data = seeing(before, judged);
        return withoutRepository(data, judged) ?? afterLook(data, judged);
      }),
    },
    'prompt-back': {
      outward: true,
      given: ({ data }) => promptBackGiven(data),
      after: unlessSpoilt(({ data }) => afterJudge(data, judgedOf(data))),
    },
    'put-back': {
      outward: true,
      given: ({ data }) => putBackGiven(data),
      after: unlessSpoilt(({ data }) => afterPutBack(seeing(data, putBackGiven(data)))),
    },
    approve: {
      outward: true,
      given: ({ data }) => approveGiven(data),
      after: unlessSpoilt(({ data }) => afterApproval(seeingList(data, approveGiven(data).approved))),
    },
    'send-back': {
      outward: true,
      given: ({ data }) => sendBackGiven(data),
      after: unlessSpoilt(({ data }, sentBack) => afterSendBack(seeingList(data, sentBack.tasks), sentBack)),
    },
    tell: { outward: true, given: tellGiven, after: ({ data }) => afterTelling(data) },
  },
};

/** Without the loop's own copies nothing can be judged, whatever the step was for. */
function unlessSpoilt<Gave extends object>(
  after: (state: State, gave: Gave) => Result,
): (state: State, gave: Gave | Spoilt) => Result {
  return (state, gave) =>
    'spoilt' in gave
      ? { data: state.data, go: { to: 'end', ending: { kind: 'tampered', reason: gave.spoilt } } }
      : after(state, gave);
}

/** A person has asked to go on: what an ending counts in a row begins anew. */
function continuedWith(data: StoriesData, { answer = data.answer, ...options }: Partial<StoriesRequest>): StoriesData {
  const request = { ...data.request, ...options };
  return { ...data, request, answer, stuckCount: 0, emptyInARow: 0, tamperedInARow: 0 };
}

function afterInputs({ data, iteration }: State): Result | null {
  const { running } = data;
  const { tasks, prd, list, between } = inputsOf(data);
  // A run that was cut off is no iteration, and what it wrote into the list is nobody's verdict.
  if (running !== null && (running.tasks !== tasks || running.prd !== prd)) return putBack(data, 'interrupted');
  if (between !== null) return putBackBetween(data, between);
  switch (list.is) {
    case 'invalid': {
      const { reason, hint } = list;
      const ending = { kind: 'configuration', reason, ...(hint === undefined ? {} : { hint }) } as const;
      return { data, go: { to: 'end', ending } };
    }
    case 'complete':
      return verifyFirst(data, []) ?? { data, go: { to: 'end', ending: { kind: 'done' } } };
    case 'waiting':
      return { data, go: { to: 'end', ending: { kind: 'blocked', reason: list.reason } } };
    case 'open': {
      const stuck = whyStuck(data);
      if (stuck !== null) return { data, go: { to: 'end', ending: { kind: 'stuck', reason: stuck } } };
      // The machine says that the limit is reached.
      if (iteration > data.request.maxIterations) return null;
      return { data, go: { to: 'step', what: 'mark' } };
    }
  }
}

function whyStuck({ stuckCount, request: { stuckAfter } }: StoriesData): string | null {
  if (stuckAfter == null || stuckCount < stuckAfter) return null;
  return `${withoutCommit(stuckCount)} (--stuck-after ${stuckAfter})`;
}

function markGiven({ iteration, data }: State): MarkGiven {
  const { tasks, list } = inputsOf(data);
  if (list.is !== 'open') throw new Error(`a list that is ${list.is} has nothing to mark`);
  return { iteration, mode: list.mode, story: list.story.id, tasks, stuckCount: data.stuckCount };
}

function judgeGiven(data: StoriesData): JudgeGiven {
  const { mode, story, tasks, head } = nowRunning(data);
  const { reviewCap, skipReview } = data.request;
  return { mode, story: story.id, before: tasks, reviews: data.reviews, reviewCap, skipReview, head };
}

function promptBackGiven(data: StoriesData): PromptBackGiven {
  const { prompt: text, head } = nowRunning(data);
  return { prompt: text, head };
}

function putBackGiven({ pending }: StoriesData): PutBackGiven {
  if (pending === null) throw new Error('nothing is to be put back');
  return pending;
}

function approveGiven({ judged }: StoriesData): ApproveGiven {
  if (judged?.verdict.kind !== 'at-cap') throw new Error('only a review at the cap is approved by the loop');
  const { story, approved } = judged.verdict;
  return { story, approved };
}

function tellGiven({ iteration, at, data: { promised } }: State): TellGiven {
  if (promised === null || promised.kind === 'complete') throw new Error('there is nothing to tell a person');
  return { kind: promised.kind, reason: promised.reason, iteration, at };
}

/** What the list and the PRD are now was judged, or is the loop's own doing. */
function seeing(data: StoriesData, last: SeenFiles | null): StoriesData {
  return { ...data, seen: { last: last && { tasks: last.tasks, prd: last.prd }, beforePause: null } };
}

function seeingList(data: StoriesData, tasks: SeenFiles['tasks']): StoriesData {
  const { last } = data.seen;
  return seeing(data, last && { ...last, tasks });
}

function afterTelling(data: StoriesData): Result {
  const { promised } = data;
  const reason = promised === null || promised.kind === 'complete' ? '' : promised.reason;
  return { data, go: { to: 'end', ending: { kind: promised?.kind === 'decision' ? 'decision' : 'blocked', reason } } };
}

function afterMark(state: State, marked: Marked): Result {
  const { data } = state;
  const gone = withoutRepository(data, marked);
  if (gone !== null) return gone;
  const repository = marked.repository ?? data.repository;
  const seen = { ...data.seen, beforePause: null };
  return { data: { ...data, repository, seen, running: begun(state, marked) }, go: { to: 'run', purpose: 'work' } };
}

/** Without the repository that was there, what an iteration changed cannot be told, and its work is not kept. */
function withoutRepository(data: StoriesData, { repository }: Pick<Marked, 'repository'>): Result | null {
  const was = data.repository;
  if (was === null || repository === undefined || repository === was) return null;
  const reason = `the git repository in ${was} is gone, or its history is: it was there when the loop began`;
  return { data, go: { to: 'end', ending: { kind: 'tampered', reason } } };
}

/** What an iteration writes into the prompt is not the next one's: an author would steer its reviewer by it. */
function afterLook(data: StoriesData, judged: Judged): Result {
  const before = nowRunning(data).prompt;
  // An older journal does not say what it was.
  if (before === undefined || before === judged.prompt) return afterJudge(data, judged);
  return { data: { ...data, judged }, go: { to: 'step', what: 'prompt-back' } };
}

function begun({ at, data }: State, { head, code }: Marked): Running {
  const { tasks, prd, list, promptCopy } = inputsOf(data);
  if (list.is !== 'open') throw new Error(`a list that is ${list.is} has nothing to begin`);
  return { mode: list.mode, story: list.story, tasks, prd, prompt: promptCopy, head, code, beganAt: at };
}

function prompt({ iteration, data }: State): string {
  const { request, note } = data;
  const { mode, story } = nowRunning(data);
  const { prompt: text } = inputsOf(data);
  const { ralphDir, maxIterations, skipReview, reviewCap } = request;
  const counted = { ...story, reviewCount: reviewsOf(data, story) };
  return storiesPrompt({
    text,
    iteration,
    maxIterations,
    mode,
    story: counted,
    ralphDir,
    skipReview,
    reviewCap,
    verifies: commandsOf(data).length > 0,
    note,
    answer: data.answer,
  });
}
