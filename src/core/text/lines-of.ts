/** Builds a list of lines, leaving out those that are false, null or undefined. */
export function linesOf(...lines: readonly (string | false | null | undefined)[]): string[] {
  return lines.filter((line) => typeof line === 'string');
}
