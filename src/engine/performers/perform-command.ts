/** Runs checks and publishes: what may be done again, under a new attempt, when it was not recorded. */
import { runCheck } from '../../checks/index.ts';
import type { Action } from '../../core/action.ts';
import { endCutOff, refusalsOf } from '../../process/command.ts';
import { describeRefusal, readRefusals } from '../../runners/sandbox/refusals.ts';
import { publish } from '../../scm/publish.ts';
import { type AttemptClaim, claimAttempt } from '../../state/run-files.ts';
import { INTERRUPTED, keyEnvironment, type LocalPerformers, markOf, timeLimit } from './local.ts';
import type { PerformAt, Performed } from './perform.ts';

type Of<Do extends Action['do']> = Extract<Action, { do: Do }>;

export async function performCheck(local: LocalPerformers, action: Of<'check'>, at: PerformAt): Promise<Performed> {
  const { key, check } = action;
  const claim = claimAttempt(local.loop.folder, key);
  // Each attempt ends the one before it first: only the last that came to a start can still run.
  const marks = claim.cutOff.map(({ attempt }) => markOf(local.loop.id, key, attempt));
  await endCutOff(claim.folder, marks, local.grace);
  const limit = timeLimit(check.timeoutMs, at.signal);
  const run = { check, ...commandOf(local, key, claim), signal: limit.signal, expired: limit.expired };
  const checked = await runCheck(run, local.host);
  if (checked === null) return { attempt: claim.attempt, result: INTERRUPTED };
  const refused = readRefusals(refusalsOf(run)).map(describeRefusal);
  const told = refused.length === 0 ? {} : { refused };
  return { attempt: claim.attempt, result: { kind: 'checked', ...checked, ...told } };
}

export async function performPublish(local: LocalPerformers, action: Of<'publish'>, at: PerformAt): Promise<Performed> {
  const { key, what } = action;
  const claim = claimAttempt(local.loop.folder, key);
  const cutOff = claim.cutOff.map(({ name, attempt }) => ({ name, mark: markOf(local.loop.id, key, attempt) }));
  const done = await publish({ what, cutOff, ...commandOf(local, key, claim), signal: at.signal }, local.host);
  return { attempt: claim.attempt, result: done === null ? INTERRUPTED : { kind: 'published', ...done } };
}

function commandOf({ cwd, grace, loop }: LocalPerformers, key: string, { folder, name, attempt }: AttemptClaim) {
  const mark = markOf(loop.id, key, attempt);
  return { cwd, folder, name, grace, mark, extraEnv: keyEnvironment(loop.id, key, attempt) };
}
