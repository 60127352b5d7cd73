/** What a look at a machine, or at what a loop is to begin with, has found. */
import { RalphError } from './error.ts';

export interface Finding {
  /** An error stops a loop before anything is started; a warning is only shown. A note is neither good nor bad. */
  readonly level: 'error' | 'warning' | 'note' | 'ok';
  readonly what: string;
  /** What to do about it, or what comes of it; empty where there is nothing to say. */
  readonly fix: string;
  /** Of the error that it is by itself. */
  readonly code?: string;
}

export const fine = (what: string): Finding => ({ level: 'ok', what, fix: '' });

export const warning = (what: string, fix: string): Finding => ({ level: 'warning', what, fix });

export const note = (what: string, fix: string): Finding => ({ level: 'note', what, fix });

export function fromError({ code, message, advice }: RalphError): Finding {
  return { level: 'error', what: message, fix: advice.hint ?? '', code };
}

/** One that stands alone is an error like any other; several are told together. */
export function errorOf(errors: readonly Finding[]): RalphError | null {
  const [first, ...more] = errors;
  if (first === undefined) return null;
  const { what, fix: hint, code = 'PREFLIGHT' } = first;
  if (more.length === 0) return new RalphError(code, what, hint === '' ? {} : { hint });
  const lines = errors.flatMap(({ what, fix }) => [`✗ ${what}`, ...(fix === '' ? [] : [`    ${fix}`])]);
  return new RalphError('PREFLIGHT', [`${errors.length} problems keep the loop from starting:`, ...lines].join('\n'));
}
