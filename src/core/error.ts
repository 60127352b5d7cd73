/** An error that a person can act on; anything else that is thrown is a bug and shows its stack. */
export class RalphError extends Error {
  override readonly name = 'RalphError';
  readonly advice: { readonly hint?: string; readonly exitCode: number };

  /** Most of them are about what was asked for: that is exit code 2. */
  constructor(
    readonly code: string,
    message: string,
    advice: { readonly hint?: string; readonly exitCode?: number } = {},
  ) {
    super(message);
    this.advice = { exitCode: 2, ...advice };
  }
}

/** The code of a system error such as ENOENT, or undefined for any other thrown value. */
export function errnoOf(error: unknown): string | undefined {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return undefined;
}
