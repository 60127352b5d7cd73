/** Removes the verbatim prompt from plain text: an agent that echoes it could repeat a completion tag from it. */
export function withoutEcho(prompt: string) {
  // The prompt is matched without the line breaks around it.
  const expected = prompt
    .replaceAll('\r\n', '\n')
    .replaceAll(/^\n+|\n+$/g, '')
    .split('\n');
  const [first = '', ...rest] = expected;
  const last = rest.at(-1);
  if (last === undefined) {
    const push = (line: string): readonly string[] => [first.trim() === '' ? line : line.replaceAll(first, '')];
    return { push, mayConcern: () => false, end: () => [] };
  }

  const fallback = fallbacks(expected);
  let held: string[] = [];
  /** Does the line continue the echo so far? The agent's own words can precede its first line and follow its last. */
  const fits = (line: string, at: number): boolean => {
    const wanted = expected[at] ?? '';
    if (at === 0) return line.endsWith(wanted);
    return at === expected.length - 1 ? line.startsWith(wanted) : line === wanted;
  };

  /** Returns the lines that are certainly no echo: none while they could still be the beginning of one. */
  const push = (raw: string): readonly string[] => {
    // A terminal ends its lines with a carriage return as well.
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    const released: string[] = [];
    // This echo does not continue, but a shorter beginning of one may fit, as in Knuth-Morris-Pratt search.
    while (held.length > 0 && !fits(line, held.length)) {
      const keep = fallback[held.length - 1] ?? 0;
      released.push(...held.splice(0, held.length - keep));
    }
    if (!fits(line, held.length)) return [...released, raw];
    held.push(line);
    if (held.length < expected.length) return released;
    const [beginning = ''] = held;
    const before = beginning.slice(0, beginning.length - first.length);
    held = [];
    return [...released, ...(before === '' ? [] : [before]), line.slice(last.length)];
  };
  return {
    push,
    /** Could one of these lines, still in bytes, be part of an echo? A fast check for streams that are not shown. */
    mayConcern: (lines: { includes(text: string): boolean }) => held.length > 0 || lines.includes(first),
    end: (): readonly string[] => held.splice(0),
  };
}

/** The KMP table: for each number of lines that match, how many of the last ones match the beginning again. */
function fallbacks(lines: readonly string[]): number[] {
  const table = [0];
  for (let index = 1, length = 0; index < lines.length; ) {
    if (lines[index] === lines[length]) table[index++] = ++length;
    else if (length > 0) length = table[length - 1] ?? 0;
    else table[index++] = 0;
  }
  return table;
}
