/** Runs the machine of the stories loop through iterations of one story, with the results of its steps. */

import { loopMachine } from '../../../src/core/machine/machine.ts';
import type { Result } from '../../../src/core/record.ts';
import type { Json } from '../../../src/core/text/json.ts';
import type { IterationMode } from '../../../src/loops/stories/list/allowed-changes.ts';
import { storiesRequest } from '../../../src/loops/stories/request.ts';
import { storiesRules } from '../../../src/loops/stories/rules.ts';
import type { Judged, KeptVerdict, ListState, StoriesInputs } from '../../../src/loops/stories/state.ts';
import { firstRecord, play } from '../loops/play.ts';
import { STARTED } from '../loops/results.ts';

export const machine = loopMachine(storiesRules);
export const begun = machine.begin(firstRecord('stories', { ...storiesRequest({ reviewCap: 3 }) }));

export const list = (mode: IterationMode, reviewCount = 0): ListState => ({
  is: 'open',
  mode,
  story: { id: 'A', title: 'Shop', reviewCount },
});
export const inputs = (given: Partial<StoriesInputs>): Result => {
  const read = {
    prompt: 'p',
    promptCopy: 'p',
    tasks: 't1',
    prd: 'd1',
    between: null,
    list: list('implement'),
    pluginDir: null,
  };
  return { kind: 'inputs', digest: JSON.stringify(given), inputs: { ...read, ...given } as unknown as Json };
};
export const stepped = (what: string, gave: object = {}): Result => ({ kind: 'stepped', what, gave });
export const MARKED = stepped('mark', { head: 'h1', code: 'c1' });
export const PUT_BACK = stepped('put-back', { kept: [], commit: null, problem: null });
export const legal = (given: Partial<Extract<KeptVerdict, { kind: 'legal' }>> = {}): KeptVerdict => ({
  kind: 'legal',
  isComplete: false,
  submitted: null,
  approved: null,
  sentBack: null,
  isCapApproval: false,
  countBefore: 0,
  passed: given.approved == null ? [] : [given.approved],
  ...given,
});
export const judged = (given: Partial<Judged> = {}): Result =>
  stepped('judge', {
    tasks: 't1',
    prd: 'd1',
    prompt: 'p',
    head: 'h2',
    code: 'c2',
    verdict: legal(),
    complete: 0,
    total: 1,
    ...given,
  });
/** An iteration of this mode, up to the result of its run. */
export const ranIn = (mode: IterationMode, result: Result, reviewCount = 0) =>
  play(machine, begun, inputs({ list: list(mode, reviewCount) }), MARKED, STARTED, result);
