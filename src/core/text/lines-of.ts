/** The lines that are to be said: what is false, null or undefined is none. */
export function linesOf(...lines: readonly (string | false | null | undefined)[]): string[] {
  return lines.filter((line) => typeof line === 'string');
}
