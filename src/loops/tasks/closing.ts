/** The closing lines of a task's loop. */

import { plural } from '../../core/budget/usage.ts';
import type { Clock, ClosingSummary, Left, WorkState } from '../../core/closing/closing-summary.ts';
import { describeLeft, endingDetails } from '../../core/closing/closing-summary.ts';
import { type LoopState, startedIterations } from '../../core/state.ts';
import type { TaskRequest } from './request.ts';
import type { LastRun, TaskData } from './state.ts';

export function taskClosing(state: LoopState<TaskData>, left: Left, work: WorkState, clock: Clock): ClosingSummary {
  const { workedMs: durationMs, usage, data } = state;
  const { request } = data;
  const isLaterLeg = request.kind === 'task' && request.isResumed;
  const leg = isLaterLeg ? ['What was done before this resume is not counted here.'] : [];
  const details = [...reasonOf(left, clock), ...lastRunDetails(data, left, clock), ...leg];
  return { ...outcomeOf(state, left), durationMs, usage, red: [], details, work, next: nextCommands(data, left, work) };
}

/** A job has only one run, so nothing fails "in a row". Tasks count "attempts", as in their flag, console and bus. */
function outcomeOf(state: LoopState<TaskData>, left: Left): ReturnType<typeof describeLeft> {
  const isFailedJob = state.data.request.kind === 'job' && left.kind === 'kept-failing';
  if (isFailedJob) return { mark: 'failed', outcome: 'The agent failed' };
  if (left.kind !== 'iteration-limit') return describeLeft(left, startedIterations(state));
  return { mark: 'failed', outcome: `Stopped at the limit of ${plural(left.limit, 'attempt')}` };
}

/** Empty for endings whose reason is already shown above in the seed's own words, and for a stop, which has none. */
function reasonOf(left: Left, clock: Clock): string[] {
  if (left.kind === 'waiting') return [`Reason: ${left.reason}`];
  return ['auth', 'blocked', 'configuration', 'stopped'].includes(left.kind) ? [] : endingDetails(left, clock);
}

function lastRunDetails({ request, lastRun, reviews }: TaskData, left: Left, clock: Clock): string[] {
  if (left.kind === 'done') return request.kind === 'job' ? [] : [doneSentence(reviews)];
  if (lastRun === null) return [];
  const what = request.kind === 'job' ? 'The run' : 'The last run';
  const output = lastRun.log === null ? 'It printed nothing to stdout.' : `Its output is in ${lastRun.log}`;
  return [`${what} ${howItEnded(lastRun, clock)}`, output];
}

function doneSentence({ last }: TaskData['reviews']): string {
  if (last?.is !== 'approved') return 'It has a DONE file; nothing was checked.';
  return `It has a DONE file. Reviewed by ${last.by}: approved in round ${last.round}; no checks were run.`;
}

function howItEnded({ outcome, failure }: LastRun, clock: Clock): string {
  switch (outcome.kind) {
    case 'worked':
      return 'ended with exit 0.';
    case 'failed':
      return `failed: ${failure ?? ''}`;
    case 'limit': {
      const resets = outcome.resetAt === null ? '' : ` (it resets at ${clock(outcome.resetAt)})`;
      return `met the agent's usage limit${resets}: ${outcome.reason}`;
    }
    case 'auth':
      return 'could not authenticate.';
    default:
      return `was cut short: ${outcome.reason}`;
  }
}

function nextCommands({ request, inputs }: TaskData, left: Left, work: WorkState): ClosingSummary['next'] {
  const output = { command: `ralph task output ${flagsFor(request)}`, why: 'what the agent said' };
  if (left.kind === 'done' && work.kind === 'uncommitted')
    return [output, { command: 'git status', why: 'what is not committed' }];
  if (left.kind === 'done' || request.kind === 'job') return [output];
  const resume = resumeCommand(request);
  if (left.kind === 'iteration-limit') {
    const more = (inputs?.maxRestarts ?? left.limit) || 1;
    return [{ command: `${resume} --max-restarts ${more}`, why: `continue with ${plural(more, 'more attempt')}` }];
  }
  if (left.kind === 'waiting') return [{ command: `${resume} --answer "…"`, why: 'answer, and continue' }];
  return [{ command: resume, why: CONTINUE[left.kind] ?? 'continue' }];
}

type OneTask = Pick<TaskRequest, 'project' | 'task'>;

const flagsFor = ({ project, task }: OneTask): string => `--project ${project} --task ${task}`;

export const resumeCommand = (task: OneTask): string => `ralph task resume ${flagsFor(task)}`;

const CONTINUE: Readonly<Partial<Record<Left['kind'], string>>> = {
  auth: 'continue, once the agent is logged in',
  blocked: 'continue, once that is fixed',
  configuration: 'continue, once that is fixed',
};
