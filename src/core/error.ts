/** An error that a person can act on; anything else that is thrown is a bug and shows its stack. */
export class RalphError extends Error {
  override readonly name = 'RalphError';

  constructor(
    readonly code: string,
    message: string,
    readonly advice: { readonly hint?: string; readonly exitCode: number },
  ) {
    super(message);
  }
}

/** The code of a system error such as ENOENT, or undefined for any other thrown value. */
export function errnoOf(error: unknown): string | undefined {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return undefined;
}
