/** The closing lines of a stories loop, shown below the lines that the seed prescribes. */

import { largerBudget } from '../../core/budget/terms.ts';
import { plural } from '../../core/budget/usage.ts';
import { describeOutcome } from '../../core/check.ts';
import type { Clock, Left, NextCommand, WorkState } from '../../core/closing/closing-summary.ts';
import { describeLeft, endingDetails } from '../../core/closing/closing-summary.ts';
import type { Ending } from '../../core/ending.ts';
import {
  changedPins,
  freedSentences,
  neverRedWords,
  uncountedSentences,
  whereChecked,
} from '../../core/proof/claims.ts';
import { type LoopState, startedIterations } from '../../core/state.ts';
import { linesOf } from '../../core/text/lines-of.ts';
import { quoteWords } from '../../core/text/quote-word.ts';
import { BLOCKED_FILE, DECIDE_FILE } from './files/messages.ts';
import { iterationLogName } from './iteration-log.ts';
import { tamperedBy } from './proof.ts';
import { runAgain } from './request.ts';
import { commandsOf, type StoriesData } from './state.ts';

type State = LoopState<StoriesData>;
type Counts = { readonly complete: number; readonly total: number };

export function storiesClosing(state: State, left: Left, work: WorkState, stories: Counts, clock: Clock) {
  const { data, usage } = state;
  const red = data.verified?.red ?? [];
  return {
    ...describeLeft(left, startedIterations(state)),
    durationMs: state.workedMs,
    usage,
    ...(left.kind === 'done' && commandsOf(data).length > 0 ? { checked: whereChecked(data.proof) } : {}),
    red: red.map(({ command, outcome, log }) => ({ command, exit: describeOutcome(outcome), log })),
    details: [
      ...reasonOf(state, left, clock),
      `${stories.complete} of ${stories.total} ${stories.total === 1 ? 'story' : 'stories'} complete.`,
      ...(left.kind === 'done'
        ? [
            verifiedBy(data),
            ...neverRedWords(data.proof, commandsOf(data)),
            ...uncountedSentences(data.proof),
            ...freedSentences(data.proof),
          ]
        : []),
    ],
    work,
    next: nextCommands(state, left, work),
  };
}

function reasonOf(state: State, left: Left, clock: Clock): string[] {
  const { data, iteration, failures } = state;
  const { request, lastFailure, promised } = data;
  const logs = `${request.ralphDir}/logs/`;
  switch (left.kind) {
    // Shown right above, with what to do about it.
    case 'configuration':
      return [];
    case 'kept-failing': {
      const reason = lastFailure ?? left.reason;
      const log = `${logs}${iterationLogName(iteration)}`;
      return linesOf(reason !== undefined && `The last failure: ${reason}`, `Its log: ${log}`);
    }
    case 'iteration-limit': {
      if (lastFailure === null || failures === 0) return [];
      const failed = `${failures} of ${plural(iteration, 'iteration')} failed`;
      return [`${failed}; the last failure: ${lastFailure}`, `Logs: ${logs}`];
    }
    case 'blocked': {
      const isTold = promised?.kind === 'blocked' && promised.reason === left.reason;
      return linesOf(...endingDetails(left, clock), isTold && `It is kept in ${request.ralphDir}/${BLOCKED_FILE}`);
    }
    default:
      return endingDetails(left, clock);
  }
}

function verifiedBy(data: StoriesData): string {
  const commands = commandsOf(data).join(', ');
  if (commands === '') return 'Checked by the reviews only: ralph ran no checks of its own.';
  return `Run by ralph, and green: ${commands}.`;
}

function nextCommands(state: State, left: Left, work: WorkState): NextCommand[] {
  const { request } = state.data;
  const next = (command: string, why: string): NextCommand[] => [{ command, why }];
  switch (left.kind) {
    case 'done':
      return [
        ...(work.kind === 'uncommitted' ? next('git status', 'what is not committed') : []),
        ...next('ralph stories archive', 'archive this plan, and begin the next one'),
      ];
    case 'stopped':
    case 'waiting':
      return [];
    case 'interrupted':
      return next(continueCommand(state, null), 'continue');
    case 'tampered': {
      const freed = changedPins(state.data.proof);
      if (freed.length > 0 && tamperedBy(state.data) !== null) {
        const flags = freed.flatMap((path) => ['--allow-edit', path]);
        return next(quoteWords(['ralph', 'stories', 'resume', ...flags]), 'if the agent may change it');
      }
      return next(runAgain(request), 'start again, once you have looked at what was changed (git log -p)');
    }
    case 'decision': {
      const answered = `continue, once you have answered in ${request.ralphDir}/${DECIDE_FILE}`;
      return next(continueCommand(state, left), answered);
    }
    default:
      return next(continueCommand(state, left), CONTINUE[left.kind] ?? 'continue, once the reason is gone');
  }
}

export function continueCommand({ iteration, data }: State, ending: Ending | null): string {
  if (ending?.kind === 'budget' && ending.of !== 'until') return `ralph stories resume ${largerBudget(ending)}`;
  const isAtLimit = isIterationOver(ending) && iteration >= data.request.maxIterations;
  return isAtLimit ? `ralph stories resume -n ${iteration * 2}` : 'ralph stories resume';
}

/** If the loop is continued after such an ending, it begins with the next iteration. */
export function isIterationOver(ending: Ending | null): boolean {
  return ending?.kind === 'iteration-limit' || ending?.kind === 'kept-failing';
}

const CONTINUE: Readonly<Partial<Record<Left['kind'], string>>> = {
  auth: 'continue, once the agent is logged in',
  'usage-limit': 'continue, once the limit is reset',
  configuration: 'continue, once that is fixed',
  'kept-failing': 'continue, once the agent works again',
  infrastructure: 'continue, once the agent works again',
  'iteration-limit': 'continue with more iterations',
  budget: 'continue with a larger budget',
};
