/** The steps by which a loop proves its work. What performs them is loaded by the first: most loops prove nothing. */
import type { ProofSteps } from '../../core/proof/proof.ts';
import type { StepPerformers } from './perform.ts';
import type { ProofPlace } from './prove.ts';

export function proofSteps(place: ProofPlace): StepPerformers<ProofSteps> {
  const load = async () => (await import('./prove.ts')).proofPerformers(place);
  return {
    'prove-base': async (given, at) => (await load())['prove-base'](given, at),
    prove: async (given, at) => (await load()).prove(given, at),
  };
}
