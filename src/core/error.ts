/** An error that a person can act on; anything else that is thrown is a bug and shows its stack. */
export class RalphError extends Error {
  override readonly name = 'RalphError';
  /** `see`: the command that shows more. */
  readonly advice: { readonly hint?: string; readonly see?: string; readonly exitCode: number };

  /** Exit code 2 is the default: most of these errors are about what the user asked for. */
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

/** Passes an error that has a code (ours or the system's) to `otherwise`; anything else is a bug, and rethrown. */
export function handled<Gives, Else>(act: () => Gives, otherwise: (error: Error) => Else): Gives | Else {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof Error) || errnoOf(error) === undefined) throw error;
    return otherwise(error);
  }
}
