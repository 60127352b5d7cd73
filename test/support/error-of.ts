/** The error that a person is shown, from something that must fail. */
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
