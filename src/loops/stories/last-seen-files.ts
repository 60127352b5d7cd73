/** What this process has seen last of the list and the PRD, so that a change between two iterations is noticed. */
import type { Action } from '../../core/action.ts';
import type { Result } from '../../core/record.ts';
import type { ApproveGiven } from './rules.ts';
import type { Judged, PutBackGiven, SeenFiles, SentBack } from './step-payloads.ts';

export interface LastSeenFiles {
  /** Null at the start and after a pause: then a person has had time to edit. */
  last(): SeenFiles | null;
  /** What was there before the pause that has just ended; null unless there was one. */
  beforePause(): SeenFiles | null;
  after(action: Action, result: Result): void;
}

export function lastSeenFiles(): LastSeenFiles {
  let seen: SeenFiles | null = null;
  let paused: SeenFiles | null = null;
  return {
    last: () => seen,
    beforePause: () => paused,
    after(action, result) {
      if (result.kind === 'waited' && result.command === 'resume') {
        paused = seen;
        seen = null;
      }
      if (action.do !== 'step' || result.kind !== 'stepped') return;
      paused = null;
      // Given to and by this door's own performers.
      if (action.what === 'judge') seen = namesOf(result.gave as unknown as Judged);
      if (action.what === 'put-back') seen = namesOf(action.given as unknown as PutBackGiven);
      if (action.what === 'send-back' && seen !== null)
        seen = { ...seen, tasks: (result.gave as unknown as SentBack).tasks };
      if (action.what === 'approve' && seen !== null)
        seen = { ...seen, tasks: (action.given as unknown as ApproveGiven).approved };
    },
  };
}

function namesOf({ tasks, prd }: SeenFiles): SeenFiles {
  return { tasks, prd };
}
