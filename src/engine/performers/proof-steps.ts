/** The steps by which a loop proves its work. The first one loads their code: most loops prove nothing. */
import type { ProofSteps } from '../../core/proof/proof.ts';
import type { ProofPaths } from '../../proof/pins/unmatched-paths.ts';
import type { Preflight } from '../loop-plan.ts';
import type { StepPerformers } from './perform.ts';
import type { ProofPlace } from './prove.ts';

export function proofSteps(place: ProofPlace): StepPerformers<ProofSteps> {
  const load = async () => (await import('./prove.ts')).proofPerformers(place);
  return {
    'prove-base': async (given, at) => (await load())['prove-base'](given, at),
    prove: async (given, at) => (await load()).prove(given, at),
  };
}

interface Looking extends Pick<ProofPlace, 'loop' | 'cwd' | 'host'> {
  readonly preflight?: Preflight | undefined;
  readonly cancel: AbortSignal;
}

/** Warns before the first iteration about paths that match nothing: one with a typo pins, or frees, nothing. */
export async function warnOfUnmatched(paths: ProofPaths | undefined, { preflight, cancel, ...place }: Looking) {
  if (paths === undefined || paths.pins.length + paths.allowEdit.length === 0) return;
  const { lookForPaths } = await import('./prove.ts');
  for (const finding of await lookForPaths(paths, place, cancel)) preflight?.warn(finding);
}
