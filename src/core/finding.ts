/** What a check of the machine, or of what a loop would begin with, has found. */
import { RalphError } from './error.ts';

export interface Finding {
  /** An error stops a loop before anything is started; a warning is only shown. A note is neither good nor bad. */
  readonly level: 'error' | 'warning' | 'note' | 'ok';
  readonly what: string;
  /** What to do about it, or what follows from it; empty if there is nothing to say. */
  readonly fix: string;
  /** The code of the error, if this finding is the only one. */
  readonly code?: string;
}

export const fine = (what: string): Finding => ({ level: 'ok', what, fix: '' });

export const warning = (what: string, fix: string): Finding => ({ level: 'warning', what, fix });

export const note = (what: string, fix: string): Finding => ({ level: 'note', what, fix });

export function fromError({ code, message, advice }: RalphError): Finding {
  return { level: 'error', what: message, fix: advice.hint ?? '', code };
}

/** A single finding becomes an error of its own; several are listed in one error. Null if there are none. */
export function errorOf(errors: readonly Finding[]): RalphError | null {
  const [first, ...more] = errors;
  if (first === undefined) return null;
  const { what, fix: hint, code = 'PREFLIGHT' } = first;
  if (more.length === 0) return new RalphError(code, what, hint === '' ? {} : { hint });
  const lines = errors.flatMap(({ what, fix }) => [`✗ ${what}`, ...(fix === '' ? [] : [`    ${fix}`])]);
  return new RalphError('PREFLIGHT', [`${errors.length} problems keep the loop from starting:`, ...lines].join('\n'));
}
