/** What a loop that proves its work is asked: by flags, by the settings, and when it is continued. Pure. */
import type { ProofTerms } from './proof.ts';

/** What flags say of it; the rest comes from the settings. */
export type ProveRequest = Partial<Omit<ProofTerms, 'setup' | 'include'>> & {
  readonly isOn?: boolean;
};

/** What the settings say of it. */
export interface ProofSettings {
  readonly setup?: string | undefined;
  readonly include?: readonly string[] | undefined;
  readonly pin?: readonly string[] | undefined;
  readonly allowEdit?: readonly string[] | undefined;
  readonly acceptFlaky?: boolean | undefined;
}

/** With what else than before a loop that proves its work is continued. */
export type ProofChange = Partial<Pick<ProofTerms, 'allowEdit' | 'acceptFlaky'>>;

/** On where a flag or the settings say so. */
export function proofTerms(asked: ProveRequest = {}, set?: ProofSettings): ProofTerms | undefined {
  if (!(asked.isOn ?? set !== undefined)) return undefined;
  return {
    setup: set?.setup ?? null,
    include: set?.include ?? [],
    pins: [...(set?.pin ?? []), ...(asked.pins ?? [])],
    allowEdit: [...(set?.allowEdit ?? []), ...(asked.allowEdit ?? [])],
    acceptFlaky: asked.acceptFlaky ?? set?.acceptFlaky ?? false,
  };
}

/** Paths that were freed before stay free. */
export function continuedTerms(terms: ProofTerms, { allowEdit = [], acceptFlaky = terms.acceptFlaky }: ProofChange) {
  return { ...terms, allowEdit: [...new Set([...terms.allowEdit, ...allowEdit])], acceptFlaky };
}
