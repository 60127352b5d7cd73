/** Which errors a restart does not cure: the program is not there, it may not be run, the configuration is wrong. */
import { errnoOf, RalphError } from '../../core/error.ts';

/** For a root runner that finds its configuration wrong. */
export class InvalidConfigError extends Error {
  override readonly name = 'InvalidConfigError';
}

/** Also of an error that wraps such a one as its cause, or as one of several. */
export function isFatalError(error: unknown): boolean {
  const all = new Set([error]);
  // What is added meanwhile is gone through, too.
  for (const one of all) for (const inner of wrappedIn(one)) all.add(inner);
  return [...all].some(isFatalItself);
}

function isFatalItself(error: unknown): boolean {
  if (error instanceof InvalidConfigError || error instanceof RalphError) return true;
  const code = errnoOf(error);
  if (code === 'EACCES' || code === 'EPERM') return true;
  return code === 'ENOENT' && error instanceof Error && 'syscall' in error && String(error.syscall).startsWith('spawn');
}

function wrappedIn(error: unknown): readonly unknown[] {
  if (!(error instanceof Error)) return [];
  const several: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  return error.cause === undefined ? several : [error.cause, ...several];
}

/** Of an error that stands for a program's end. */
export function exitCodeOf(error: unknown): number {
  if (typeof error !== 'object' || error === null) return 1;
  const { exitCode, code } = error as { readonly exitCode?: unknown; readonly code?: unknown };
  return [exitCode, code].find((value) => typeof value === 'number') ?? 1;
}
