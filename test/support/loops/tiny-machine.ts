/** The smallest loop kind that goes through every phase, and its state in each of them. */
import { loopMachine } from '../../../src/core/machine/machine.ts';
import type { Result } from '../../../src/core/record.ts';
import type { LoopRules } from '../../../src/core/rules.ts';
import type { LoopState } from '../../../src/core/state.ts';
import { firstRecord, play } from './play.ts';
import { checked, STARTED, WAITED, worked } from './results.ts';

/** A run of work, one check, a second run, one publishing task. */
export const rules: LoopRules<readonly string[]> = {
  loopKind: 'tiny',
  begin: () => [],
  takeInputs: (data, inputs) => [...data, typeof inputs === 'string' ? inputs : ''],
  limit: () => 3,
  backoffUnit: () => 10,
  agent: (_state, purpose) => ({ command: `${purpose}-agent`, flags: [], mode: 'stream' }),
  prompt: (state, purpose) => `${purpose} of iteration ${state.iteration}`,
  listen: () => ({ tag: 't', multiline: false }),
  limits: () => ({ timeMs: 7000, idleMs: null }),
  afterRun: ({ data }, purpose) => ({
    data: [...data, purpose],
    go: purpose === 'work' ? { to: 'check', index: 0 } : { to: 'publish', index: 0 },
  }),
  checks: {
    spec: (_state, index) => ({
      kind: 'command',
      given: { command: 'check' },
      index,
      log: 'log',
      keepChars: 100,
      timeoutMs: null,
    }),
    after: ({ data }, { outcome }) => ({
      data,
      go: outcome.is === 'passed' ? { to: 'run', purpose: 'second' } : { to: 'next-iteration' },
    }),
  },
  publishing: {
    spec: (_state, index) => ({ index, command: 'git', task: 'commit', message: 'm', stage: 'tracked' }),
    after: ({ data }, { status }) => ({
      data,
      go: status === 'done' ? { to: 'end', ending: { kind: 'done' } } : { to: 'next-iteration' },
    }),
  },
};
export const tiny = loopMachine(rules);

export type State = LoopState<readonly string[]>;

export const INPUTS: Result = { kind: 'inputs', digest: 'd1', inputs: 'first' };
export const NEXT: readonly Result[] = [WAITED, INPUTS, STARTED];
export const begun = tiny.begin(firstRecord('tiny'));
export const working = play(tiny, begun, INPUTS, STARTED);
export const checking = play(tiny, working, worked());
export const second = play(tiny, checking, checked(0, true), STARTED);
export const publishing = play(tiny, second, worked());
