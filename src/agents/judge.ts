/** What a run's exit, its closing account and the faults it reported mean together. */
import type { Exit, Outcome } from '../core/outcome.ts';
import type { RunOutput } from './run-output-reader.ts';

/**
 * A non-zero exit never completes anything, and neither does a stream that began with structure and broke off before
 * its closing account. A fault that the agent reported explains a failure; it never spoils a run that succeeded.
 */
export function judgeRun(
  exit: Exit,
  { account, brokeOff, fault }: Pick<RunOutput, 'account' | 'brokeOff' | 'fault'>,
): Outcome {
  if (exit.by === 'unseen' && account === null) {
    return { kind: 'interrupted', reason: exit.wasRunning === true ? WAS_ENDED : ENDED_ALONE };
  }
  const succeeded = exit.by === 'unseen' || (exit.by === 'code' && exit.code === 0);
  if (succeeded && account?.isError !== true && !brokeOff) return { kind: 'worked' };
  if (fault !== null) return fault;
  if (account?.isError === true) return { kind: 'failed', exit, reason: account.reason ?? REPORTED };
  return succeeded ? { kind: 'failed', exit, reason: BROKE_OFF } : { kind: 'failed', exit };
}

const WAS_ENDED = 'it was still running and was ended; it starts again';
const ENDED_ALONE = 'it ended while no supervisor was running, without a final result';
const REPORTED = 'it reported an error';
const BROKE_OFF = 'its output broke off before its final result';
