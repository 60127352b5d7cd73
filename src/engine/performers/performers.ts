/**
 * Who does the work of each kind of action. A loop kind brings what it does in its own way; runs, checks, publishing and
 * waiting on this machine are the same for all of them.
 */
import type { Action } from '../../core/action.ts';
import type { Result } from '../../core/record.ts';
import type { NoSteps, StepTypes } from '../../core/rules.ts';
import { INTERRUPTED, type LocalPerformers } from './local.ts';
import type { Perform, PerformAt, Performed, StepAt, StepPerformers } from './perform.ts';
import { performCheck, performPublish } from './perform-command.ts';
import { awaitRun, startRun } from './perform-run.ts';
import { waitFor } from './waiting.ts';

type Of<Do extends Action['do']> = Extract<Action, { do: Do }>;

/** `check`, `publish` and `steps` are absent where the loop kind's rules have none. */
export interface Performers<Steps extends StepTypes = NoSteps> {
  readInputs(action: Of<'read-inputs'>): Result;
  start(action: Of<'start'>): Promise<Result>;
  await(action: Of<'await'>, at: PerformAt): Promise<Result>;
  check?(action: Of<'check'>, at: PerformAt): Promise<Performed>;
  publish?(action: Of<'publish'>, at: PerformAt): Promise<Performed>;
  wait(action: Of<'wait'>, at: PerformAt): Promise<Result>;
  readonly steps?: StepPerformers<Steps>;
}

/** Everything but the inputs and the steps of a loop kind's own, on this machine. */
export function localPerformers(local: LocalPerformers): Required<Omit<Performers, 'readInputs' | 'steps'>> {
  return {
    start: (action) => startRun(local, action),
    await: (action, at) => awaitRun(local, action, at),
    check: (action, at) => performCheck(local, action, at),
    publish: (action, at) => performPublish(local, action, at),
    wait: (action, { signal }) => waitFor(action, { loop: local.loop.folder, now: local.now, signal }),
  };
}

export function performerOf<Steps extends StepTypes>(performers: Performers<Steps>): Perform {
  return async (action, at) => {
    switch (action.do) {
      case 'read-inputs':
        return { result: performers.readInputs(action), attempt: 1 };
      case 'start':
        return { result: await performers.start(action), attempt: 1 };
      case 'await':
        return { result: await performers.await(action, at), attempt: 1 };
      case 'check':
        if (performers.check === undefined) break;
        return performers.check(action, at);
      case 'publish':
        if (performers.publish === undefined) break;
        return performers.publish(action, at);
      case 'step':
        return { result: await performStep(performers.steps ?? {}, action, at), attempt: 1 };
      case 'wait':
        return { result: await performers.wait(action, at), attempt: 1 };
      case 'end':
        // A loop ends in its driver.
        break;
    }
    throw new Error(`nothing performs "${action.do}" here`);
  };
}

/** Which performer a step has, and what it is given, the rules of the same loop kind have said. */
async function performStep(
  steps: Readonly<Record<string, (given: never, at: StepAt) => Promise<unknown>>>,
  { what, given, key }: Of<'step'>,
  at: PerformAt,
): Promise<Result> {
  const step = steps[what];
  if (step === undefined) throw new Error(`nothing performs the step "${what}" here`);
  try {
    return { kind: 'stepped', what, gave: await step(given as never, { ...at, key }) };
  } catch (error) {
    if (at.signal.aborted) return INTERRUPTED;
    throw error;
  }
}
