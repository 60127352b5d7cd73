/** Returns the RalphError with which a call must fail. */
import { RalphError } from '../../src/core/error.ts';

export function errorOf(act: () => unknown): RalphError {
  try {
    act();
  } catch (error) {
    if (error instanceof RalphError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}
