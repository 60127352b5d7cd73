/** Seed 003's loop: one story per iteration, which only a separate review may approve. Forbidden changes are undone. */

import { readOnlyFlags } from '../../agents/installed.ts';
import type { RunLimits } from '../../core/action.ts';
import type { LoopTerms } from '../../core/budget/terms.ts';
import { HANG_AFTER, OUTAGE_BUDGET } from '../../core/faults/outage.ts';
import { loopMachine } from '../../core/machine/machine.ts';
import { PIVOT } from '../../core/progress/progress.ts';
import { NO_PROOFS } from '../../core/proof/claims.ts';
import type { StepRule } from '../../core/rules.ts';
import type { LoopState } from '../../core/state.ts';
import { planPrompt, storiesPrompt } from './prompt.ts';
import { baseAsked, claimAsked, needsBase, rejectedBy } from './proof.ts';
import { agentFor, isSandboxed } from './request.ts';
import type {
  Gave,
  Given,
  InputsGiven,
  Result,
  SeenFiles,
  Spoilt,
  StoriesData,
  StoriesRules,
  StoriesStep,
} from './state.ts';
import { costOf, ended, isComplete, known, openListOf, putBack, setAside, stepTo, withoutCommit } from './state.ts';
import { stepSummary } from './step-summary.ts';
import {
  afterBaseProof,
  afterProof,
  afterPutBack,
  afterSendBack,
  afterVerdict,
  checks,
  counted,
  feedbackFor,
  verifyFirst,
} from './transitions.ts';

type State = LoopState<StoriesData>;

export const storiesRules: StoriesRules = {
  loopKind: 'stories',
  begin: (request) => ({
    request,
    answer: request.answer,
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
    storyCosts: {},
    chargedUsd: 0,
    proof: NO_PROOFS,
    unproved: null,
  }),
  about: ({ request, running, inputs }) => ({
    task: running === null ? `the stories in ${request.ralphDir}/tasks.json` : `${running.mode} ${running.story.id}`,
    limit: request.maxIterations,
    agent: request.agent,
    checks: inputs?.verifyCommands ?? [],
  }),
  stepSummary,
  takeInputs: (data, inputs) => ({ ...data, inputs }),
  inputsGiven: ({ seen, ...data }, terms): InputsGiven => ({ ...seen, setAside: setAside(data, terms) }),
  afterStandstill: (data) => ({ ...data, seen: { last: null, beforePause: data.seen.last } }),
  // A person has continued the loop, so counts of things in a row, which can end it, start over.
  takeOptions: (data, { answer = data.answer, ...options }) => {
    const request = { ...data.request, ...options };
    const proof = { ...data.proof, tampered: 0 };
    return { ...data, request, answer, stuckCount: 0, emptyInARow: 0, tamperedInARow: 0, proof };
  },
  afterInputs,
  limit: ({ request }) => request.maxIterations,
  backoffUnit: ({ request }) => request.backoffUnitMs,
  hangAfter: HANG_AFTER,
  outages: ({ request }) => ({
    waits: true,
    budgetMs: OUTAGE_BUDGET,
    ...request.outages,
    unitMs: request.backoffUnitMs,
  }),
  agent: ({ data }, purpose) => {
    const { request, running } = data;
    // Between iterations, it is also called to find out who would work next.
    const agent = agentFor(request, running?.mode ?? 'implement', known(data, 'inputs').pluginDir);
    const flags = purpose === PIVOT ? readOnlyFlags(agent.command, agent.flags, isSandboxed(request)) : null;
    return flags === null ? agent : { ...agent, flags };
  },
  prompt: (state, purpose) => (purpose === PIVOT ? planPrompt(state) : storiesPrompt(state)),
  listen: (_state, purpose) => ({ tag: purpose === PIVOT ? 'response' : 'promise', multiline: true }),
  // Restore the prompt: a pivot's edits would steer the reviewer. List and PRD are compared with the next inputs.
  afterPivot: ({ data }) => stepTo(data, 'prompt-back'),
  deferFailureCount: true,
  afterEveryRun: (state, ran) => {
    const data = { ...charged(state), ran, ranIn: state.iteration };
    // Its story has cost too much. Whatever it wrote into the list is undone when the inputs are read again.
    return ran.endedBy === 'budget' ? { data, go: { to: 'again' } } : stepTo(data, 'judge');
  },
  afterRun: ({ data }) =>
    isComplete(data.judged) ? ended(data, { kind: 'done' }) : { data, go: { to: 'next-iteration' } },
  checks,
  // Loops of older releases have no `agentTimeoutMs`.
  limits: ({ data, terms }, purpose) => ({
    timeMs: data.request.agentTimeoutMs ?? null,
    idleMs: null,
    ...(purpose === PIVOT ? {} : storyLimit(data, terms)),
  }),
  steps: {
    mark: step<'mark'>(({ iteration, data }) => {
      const { mode, story } = openListOf(data);
      return { iteration, mode, story: story.id, tasks: known(data, 'inputs').tasks, stuckCount: data.stuckCount };
    }, afterMark),
    judge: step<'judge'>(
      ({ data }) => {
        const { reviewCap, skipReview } = data.request;
        return { ...known(data, 'running'), reviews: data.reviews, reviewCap, skipReview };
      },
      ({ data }, judged) => afterLook(seeing(data, judged), judged),
    ),
    'prompt-back': outward<'prompt-back'>(
      ({ data: { running, inputs } }) => running ?? { prompt: inputs?.promptCopy ?? null, head: null },
      ({ data }) =>
        data.running === null ? { data, go: { to: 'next-iteration' } } : afterVerdict(data, known(data, 'judged')),
    ),
    'put-back': outward<'put-back'>(
      ({ data }) => known(data, 'pending'),
      ({ data }) => afterPutBack(seeing(data, known(data, 'pending'))),
    ),
    approve: outward<'approve'>(
      ({ data }) => approveGiven(data),
      ({ data }) => counted(seeingList(data, approveGiven(data).approved)),
    ),
    'send-back': outward<'send-back'>(
      ({ data }) => {
        const { stories } = known(data, 'verifying');
        const { skipReview } = data.request;
        const proof = rejectedBy(data) === null ? {} : { isProof: true as const };
        return { stories, tasks: known(data, 'judged').tasks, feedback: feedbackFor(data), skipReview, ...proof };
      },
      ({ data }, sentBack) => afterSendBack(seeingList(data, sentBack.tasks), sentBack),
    ),
    'prove-base': { given: ({ data }) => baseAsked(data), after: ({ data }, gave) => afterBaseProof(data, gave) },
    prove: { given: claimAsked, after: ({ data }, gave) => afterProof(data, gave) },
    tell: outward<'tell'>(
      ({ iteration, at, data }) => ({ ...messageOf(data), iteration, at }),
      ({ data }) => ended(data, messageOf(data)),
    ),
  },
};

export const storiesMachine = loopMachine(storiesRules);

/** Adds to every step: if the loop's own copies were changed, nothing can be judged, and the loop ends as tampered. */
function step<What extends StoriesStep>(
  given: (state: State) => Given<What>,
  after: (state: State, gave: Gave<What>) => Result,
): StepRule<StoriesData, Given<What>, Gave<What> | Spoilt, StoriesStep> {
  return {
    given,
    after: (state, gave) => {
      if (gave === null || !('spoilt' in gave)) return after(state, gave);
      return ended(state.data, { kind: 'tampered', reason: gave.spoilt });
    },
  };
}

function outward<What extends StoriesStep>(...rule: Parameters<typeof step<What>>) {
  return { ...step<What>(...rule), outward: true } as const;
}

/** Charges the cost since the last charge to the current story, including runs that were cut off. */
function charged({ data, usage }: State): StoriesData {
  const { id } = known(data, 'running').story;
  const more = Math.max(0, usage.costUsd - data.chargedUsd);
  return { ...data, chargedUsd: usage.costUsd, storyCosts: { ...data.storyCosts, [id]: costOf(data, id) + more } };
}

function storyLimit(data: StoriesData, { budget = {} }: LoopTerms): Pick<RunLimits, 'budget' | 'spending'> {
  const { costPerStoryUsd: limit, isSoft } = budget;
  if (limit === undefined) return {};
  const { id: story } = known(data, 'running').story;
  const used = costOf(data, story);
  const left = isSoft === true ? {} : { budget: { costUsd: Math.max(0, limit - used) } };
  return { spending: [{ of: 'cost', limit, used, story }], ...left };
}

/** The ending if the remaining stories have cost too much, or wait for one that has. */
function endedByStory({ data, terms, usage }: State): Result | null {
  const [story] = setAside(data, terms);
  const limit = terms.budget?.costPerStoryUsd;
  if (story === undefined || limit === undefined) return null;
  const isEstimated = usage.estimatedRuns === undefined ? {} : { isEstimated: true as const };
  return ended(data, { kind: 'budget', of: 'cost', limit, used: costOf(data, story), ...isEstimated, story });
}

function afterInputs(state: State): Result | null {
  const { data, iteration } = state;
  const { running } = data;
  const { tasks, prd, list, between } = known(data, 'inputs');
  // A run that was cut off is no iteration: what it wrote into the list does not count.
  if (running !== null && (running.tasks !== tasks || running.prd !== prd)) return putBack(data, 'interrupted');
  // A person would have paused the loop first, so a change between two iterations is undone.
  if (between !== null) {
    const pending = { why: 'between', tasks: between.tasks, prd: between.prd, head: null } as const;
    return stepTo({ ...data, note: between.reason, tamperedInARow: data.tamperedInARow + 1, pending }, 'put-back');
  }
  switch (list.is) {
    case 'invalid': {
      const { reason, hint } = list;
      return ended(data, { kind: 'configuration', reason, ...(hint === undefined ? {} : { hint }) });
    }
    case 'complete':
      return verifyFirst(data, []) ?? ended(data, { kind: 'done' });
    case 'waiting':
      return endedByStory(state) ?? ended(data, { kind: 'blocked', reason: list.reason });
    case 'open': {
      const { stuckCount, request } = data;
      const { stuckAfter, maxIterations } = request;
      if (stuckAfter != null && stuckCount >= stuckAfter)
        return ended(data, { kind: 'stuck', reason: `${withoutCommit(stuckCount)} (--stuck-after ${stuckAfter})` });
      // The machine itself ends the loop at its limit.
      if (iteration > maxIterations) return null;
      return stepTo(data, needsBase(state) ? 'prove-base' : 'mark');
    }
  }
}

function afterMark({ at, data }: State, { head, code, repository }: Gave<'mark'>): Result {
  const gone = withoutRepository(data, { repository });
  if (gone !== null) return gone;
  const { tasks, prd, promptCopy } = known(data, 'inputs');
  const { mode, story } = openListOf(data);
  const running = { mode, story, tasks, prd, prompt: promptCopy, head, code, beganAt: at };
  const marked = { repository: repository ?? data.repository, seen: { ...data.seen, beforePause: null }, running };
  return { data: { ...data, ...marked }, go: { to: 'run', purpose: 'work' } };
}

/** Ends the loop if its repository is gone: without it, the loop cannot know what an iteration changed. */
function withoutRepository(data: StoriesData, { repository }: Pick<Gave<'mark'>, 'repository'>): Result | null {
  const was = data.repository;
  if (was === null || repository === undefined || repository === was) return null;
  const reason = `the git repository in ${was} is gone, or its history is: it was there when the loop began`;
  return ended(data, { kind: 'tampered', reason });
}

/** Restores the prompt if the iteration changed it: otherwise an author could steer its reviewer. */
function afterLook(data: StoriesData, judged: Gave<'judge'>): Result {
  const gone = withoutRepository(data, judged);
  if (gone !== null || known(data, 'running').prompt === judged.prompt) return gone ?? afterVerdict(data, judged);
  return stepTo({ ...data, judged }, 'prompt-back');
}

function approveGiven({ judged }: StoriesData): Given<'approve'> {
  if (judged?.verdict.kind !== 'at-cap') throw new Error('only a review at the cap is approved by the loop');
  const { story, approved } = judged.verdict;
  return { story, approved };
}

function messageOf({ promised }: StoriesData): Pick<Given<'tell'>, 'kind' | 'reason'> {
  if (promised === null || promised.kind === 'complete') throw new Error('there is nothing to tell a person');
  return promised;
}

/** Remembers list and PRD as they are now: they were judged, or the loop itself wrote them. */
function seeing(data: StoriesData, last: SeenFiles | null): StoriesData {
  return { ...data, seen: { last: last && { tasks: last.tasks, prd: last.prd }, beforePause: null } };
}

function seeingList(data: StoriesData, tasks: SeenFiles['tasks']): StoriesData {
  const { last } = data.seen;
  return seeing(data, last && { ...last, tasks });
}
