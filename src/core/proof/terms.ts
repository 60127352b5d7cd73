/** The terms of a proof: from flags, from the settings, and when a loop is continued. Pure. */
import { RalphError } from '../error.ts';
import type { ProofTerms } from './proof.ts';

/** What flags and programs set; the rest comes from the settings. */
export type ProveRequest = Partial<ProofTerms> & {
  readonly isOn?: boolean;
};

/** What the settings set. */
export interface ProofSettings {
  readonly setup?: string | undefined;
  readonly include?: readonly string[] | undefined;
  readonly pin?: readonly string[] | undefined;
  readonly allowEdit?: readonly string[] | undefined;
  readonly acceptFlaky?: boolean | undefined;
}

/** The terms that can change when a loop is continued. */
export type ProofChange = Partial<Pick<ProofTerms, 'allowEdit' | 'acceptFlaky'>>;

/** On if a flag or the settings say so. */
const isOn = (asked: ProveRequest, set: ProofSettings | undefined): boolean => asked.isOn ?? set !== undefined;

/** A flag about how to prove is an error if nothing is proved. In the settings, it is just unused. */
export function whyIdle(asked: ProveRequest = {}, set?: ProofSettings): RalphError | null {
  if (isOn(asked, set)) return null;
  const { pins = [], allowEdit = [], acceptFlaky } = asked;
  const given = [pins.length > 0 && '--pin', allowEdit.length > 0 && '--allow-edit', acceptFlaky && '--accept-flaky'];
  const flag = given.find((one) => typeof one === 'string');
  if (flag === undefined) return null;
  const hint = asked.isOn === false ? `Leave out --no-prove or ${flag}.` : `Add --prove, or leave out ${flag}.`;
  return new RalphError('NO_PROOF', `${flag} works only with a proof, and there is none`, { hint });
}

export function proofTerms(asked: ProveRequest = {}, set?: ProofSettings): ProofTerms | undefined {
  if (!isOn(asked, set)) return undefined;
  return {
    setup: asked.setup ?? set?.setup ?? null,
    include: [...(set?.include ?? []), ...(asked.include ?? [])],
    pins: [...(set?.pin ?? []), ...(asked.pins ?? [])],
    allowEdit: [...(set?.allowEdit ?? []), ...(asked.allowEdit ?? [])],
    acceptFlaky: asked.acceptFlaky ?? set?.acceptFlaky ?? false,
  };
}

/** The terms, with what a clean checkout needs from the current settings; the same object if nothing changed. */
export function placeOf(terms: ProofTerms, set: ProofSettings | undefined): ProofTerms {
  const next = { ...terms, setup: set?.setup ?? terms.setup, include: [...(set?.include ?? terms.include)] };
  return JSON.stringify(next) === JSON.stringify(terms) ? terms : next;
}

const SETTINGS = '.ralph/settings.json';

/** The flags that let a loop take over checks that were changed after it began. */
export const FREES_SETTINGS = ['--allow-edit', SETTINGS] as const;

/** Paths are relative to the root of the repository; the settings may be in a folder below it. */
export const freesSettings = ({ allowEdit }: Pick<ProofTerms, 'allowEdit'>): boolean =>
  allowEdit.some((path) => path === SETTINGS || path.endsWith(`/${SETTINGS}`));

/** Undefined if nothing changes. Paths that were freed before stay free. */
export function continuedProof(terms: ProofTerms | undefined, change: ProofChange): ProofTerms | undefined {
  if (Object.keys(change).length === 0) return undefined;
  if (terms === undefined) {
    const what = 'this loop proves nothing: --allow-edit and --accept-flaky do not apply to it';
    throw new RalphError('NO_PROOF', what, { hint: 'Start a new one with --prove.' });
  }
  const { allowEdit = [], acceptFlaky = terms.acceptFlaky } = change;
  return { ...terms, allowEdit: [...new Set([...terms.allowEdit, ...allowEdit])], acceptFlaky };
}
