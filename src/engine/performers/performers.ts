/** Assigns each kind of action to a performer: the loop kind's own, or one of this machine's. */
import { environmentFinder } from '../../agents/command.ts';
import { runCheck } from '../../checks/index.ts';
import type { CheckSpec } from '../../core/check.ts';
import type { Result } from '../../core/record.ts';
import type { StepTypes } from '../../core/rules.ts';
import { endCutOff, refusalsOf } from '../../process/command.ts';
import { programFinder } from '../../process/which.ts';
import { describeRefusal, readRefusals } from '../../runners/sandbox/refusals.ts';
import { publish } from '../../scm/publish.ts';
import { type AttemptClaim, claimAttempt } from '../../state/run-files.ts';
import { waitFor } from '../wait.ts';
import { timeLimit } from './limits.ts';
import type { LocalPerformers, Of, Perform, PerformAt, Performed, Performers, StepAt } from './perform.ts';
import { INTERRUPTED, keyEnvironment, markOf } from './perform.ts';
import { awaitRun, startRun } from './perform-run.ts';

/** Everything except the inputs and the steps of a loop kind, on this machine. */
export function localPerformers(local: LocalPerformers): Required<Omit<Performers, 'readInputs' | 'steps'>> {
  const known = { find: programFinder(), environmentOf: environmentFinder() };
  return {
    start: (action) => startRun(local, action, known),
    await: (action, at) => awaitRun(local, action, at),
    check: (action, at) => performCheck(local, action, at),
    publish: (action, at) => performPublish(local, action, at),
    wait: (action, { signal }) => waitFor(action, { loop: local.loop.folder, signal }),
  };
}

export function performerOf<Steps extends StepTypes>(performers: Performers<Steps>): Perform {
  return async (action, at) => {
    switch (action.do) {
      case 'read-inputs':
        return { result: performers.readInputs(action) };
      case 'start':
        return { result: await performers.start(action) };
      case 'await':
        return { result: await performers.await(action, at) };
      case 'check':
        if (performers.check === undefined) break;
        return performers.check(action, at);
      case 'publish':
        if (performers.publish === undefined) break;
        return performers.publish(action, at);
      case 'step':
        return { result: await performStep(performers.steps ?? {}, action, at) };
      case 'wait':
        return { result: await performers.wait(action, at) };
      case 'end':
        // The driver itself ends a loop.
        break;
    }
    throw new Error(`nothing performs "${action.do}" here`);
  };
}

/** The cast is safe: the rules of the same loop kind name the step and give its input. */
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

async function performCheck(local: LocalPerformers, { key, check }: Of<'check'>, at: PerformAt): Promise<Performed> {
  const { attempt, checked } = await checkOnce(local, { key, check, signal: at.signal });
  return { attempt, result: checked === null ? INTERRUPTED : { kind: 'checked', ...checked } };
}

export interface CheckOnce {
  readonly key: string;
  readonly check: CheckSpec;
  readonly signal: AbortSignal;
  readonly env?: Readonly<Record<string, string>>;
}

/** A check that was not recorded is run again, as a new attempt. `checked` is null if it was cut off. */
export async function checkOnce(local: CommandPlace, { key, check, signal, env = {} }: CheckOnce) {
  const claim = claimAttempt(local.loop.folder, key);
  const { attempt } = claim;
  // Each attempt first ends the one before it: only the last one that was started can still be running.
  const marks = claim.cutOff.map((earlier) => markOf(local.loop.id, key, earlier.attempt));
  await endCutOff(claim.folder, marks, local.grace);
  const { extraEnv, ...command } = commandOf(local, key, claim);
  const run = { check, ...command, extraEnv: { ...env, ...extraEnv }, ...timeLimit(check.timeoutMs, signal) };
  const checked = await runCheck(run, local.host);
  const refused = readRefusals(refusalsOf(run)).map(describeRefusal);
  return { attempt, checked: checked === null || refused.length === 0 ? checked : { ...checked, refused } };
}

export type CommandPlace = Pick<LocalPerformers, 'loop' | 'cwd' | 'host' | 'grace'>;

async function performPublish(local: LocalPerformers, { key, what }: Of<'publish'>, at: PerformAt): Promise<Performed> {
  const claim = claimAttempt(local.loop.folder, key);
  const cutOff = claim.cutOff.map(({ name, attempt }) => ({ name, mark: markOf(local.loop.id, key, attempt) }));
  const done = await publish({ what, cutOff, ...commandOf(local, key, claim), signal: at.signal }, local.host);
  return { attempt: claim.attempt, result: done === null ? INTERRUPTED : { kind: 'published', ...done } };
}

function commandOf({ cwd, grace, loop }: CommandPlace, key: string, { folder, name, attempt }: AttemptClaim) {
  const mark = markOf(loop.id, key, attempt);
  return { cwd, folder, name, grace, mark, extraEnv: keyEnvironment(loop.id, key, attempt) };
}
