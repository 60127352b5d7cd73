/** Takes the verbatim prompt out of plain text: an agent that prints it could quote a completion tag from it. */
export function withoutEcho(prompt: string) {
  // A prompt is recognised without the line ends around it.
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
  /** Fits the next line of the echo that is held? The first may follow the agent's own words, the last precede some. */
  const fits = (line: string, at: number): boolean => {
    const wanted = expected[at] ?? '';
    if (at === 0) return line.endsWith(wanted);
    return at === expected.length - 1 ? line.startsWith(wanted) : line === wanted;
  };

  /** The lines that may be heard now: none while they could still be the beginning of an echo. */
  const push = (raw: string): readonly string[] => {
    // A terminal ends its lines with a carriage return, too.
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    const released: string[] = [];
    // Not the next line of this echo: a shorter beginning of one may still fit, as in a search for a word.
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
    /** Could one of these lines, still in bytes, be part of an echo? A quick look for streams that are not shown. */
    mayConcern: (lines: { includes(text: string): boolean }) => held.length > 0 || lines.includes(first),
    end: (): readonly string[] => held.splice(0),
  };
}

/** For each number of lines that fit, how many of the last of them are a beginning again (Knuth, Morris and Pratt). */
function fallbacks(lines: readonly string[]): number[] {
  const table = [0];
  for (let index = 1, length = 0; index < lines.length; ) {
    if (lines[index] === lines[length]) table[index++] = ++length;
    else if (length > 0) length = table[length - 1] ?? 0;
    else table[index++] = 0;
  }
  return table;
}
