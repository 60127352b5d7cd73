/** An error that a person can act on; anything else that is thrown is a bug and shows its stack. */
export class RalphError extends Error {
  override readonly name = 'RalphError';
  /** `see`: the command that shows more. */
  readonly advice: { readonly hint?: string; readonly see?: string; readonly exitCode: number };

  /** Most of them are about what was asked for: that is exit code 2. */
  constructor(
    readonly code: string,
    message: string,
    advice: { readonly hint?: string; readonly see?: string; readonly exitCode?: number } = {},
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

/** What `otherwise` makes of an error that has a code, one of ours or of the system; anything else is a bug, and thrown. */
export function handled<Gives, Else>(act: () => Gives, otherwise: (error: Error) => Else): Gives | Else {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof Error) || errnoOf(error) === undefined) throw error;
    return otherwise(error);
  }
}
