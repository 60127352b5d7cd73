/** Runs the preflight before a loop's first iteration: shows warnings; errors, all at once, prevent the start. */
import { errorOf, type Finding } from '../core/finding.ts';
import type { Preflight } from '../engine/loop-plan.ts';
import { preflight } from './preflight.ts';

interface Looking {
  readonly stateRoot: string;
  /** Also shows what is fine. */
  readonly verbose?: boolean;
  /** Findings of the command itself. */
  readonly found?: readonly Finding[];
  readonly show: ShowFindings;
}

/** `goesOn`: the loop is about to begin; otherwise an error is printed below. */
export type ShowFindings = (findings: readonly Finding[], goesOn: boolean) => void;

export function preflightOf({ stateRoot, verbose = false, found = [], show }: Looking): Preflight {
  const isShown = ({ level }: Finding): boolean => level === 'warning' || (verbose && level !== 'error');
  return {
    check(plan) {
      const findings = [...found, ...preflight(plan, stateRoot)];
      const error = errorOf(findings.filter(({ level }) => level === 'error'));
      const shown = findings.filter(isShown);
      if (shown.length > 0) show(shown, error === null);
      if (error !== null) throw error;
    },
    warn: (finding) => show([finding], true),
  };
}
