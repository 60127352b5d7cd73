/** The loop inside one session: the agent is told to go on until it promises that it is done. */
import { crank } from '../../core/crank.ts';
import type { Created } from '../../core/record.ts';
import type { DoorRules } from '../../core/rules.ts';

export interface SessionRequest {
  readonly prompt: string;
  readonly maximumIterations: number;
  readonly promise: string;
}

export interface SessionData {
  readonly request: SessionRequest;
}

export const PROMISE_TAG = 'promise';

const rules: DoorRules<SessionData> = {
  door: 'insession',
  // Written by this door's own start.
  begin: (created: Created) => ({ request: created.options as unknown as SessionRequest }),
  takeInputs: (data) => data,
  limit: (data) => data.request.maximumIterations,
  backoffUnit: () => 0,
  agent: () => ({ command: 'session', flags: [], mode: 'text' }),
  prompt: (state) => state.data.request.prompt,
  listen: () => ({ tag: PROMISE_TAG, multiline: true }),
  timeout: () => null,
  check: () => never('a check'),
  publish: () => never('a publication'),
  afterRun: (state, _purpose, ran) => {
    const isDone = ran.said.tag === state.data.request.promise;
    return { data: state.data, go: isDone ? { to: 'end', ending: { kind: 'done' } } : { to: 'next-iteration' } };
  },
  afterCheck: () => never('a check'),
  afterPublish: () => never('a publication'),
};

export const sessionCrank = crank(rules);

function never(what: string): never {
  throw new Error(`the loop inside a session has no ${what}`);
}
