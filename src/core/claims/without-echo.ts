/**
 * Plain text has no structure, so an agent that prints its own prompt could quote a completion tag from it. This takes
 * the verbatim prompt out of a stream of lines before anybody listens.
 */

export interface EchoFilter {
  /** The lines that may be heard now: none while they could still be the beginning of an echo. */
  push(line: string): readonly string[];
  end(): readonly string[];
}

export function withoutEcho(prompt: string): EchoFilter {
  const expected = prompt.split('\n');
  const [first = ''] = expected;
  if (prompt.trim() === '') return { push: (line) => [line], end: () => [] };
  if (expected.length === 1) return { push: (line) => [line.replaceAll(first, '')], end: () => [] };

  let held: string[] = [];
  const fits = (line: string): boolean => {
    const wanted = expected[held.length] ?? '';
    // Something may stand before the echo on its first line and behind it on its last.
    if (held.length === 0) return line.endsWith(wanted);
    return held.length === expected.length - 1 ? line.startsWith(wanted) : line === wanted;
  };
  const push = (line: string): readonly string[] => {
    if (fits(line)) {
      held.push(line);
      if (held.length < expected.length) return [];
      held = [];
      return [line.slice((expected.at(-1) ?? '').length)];
    }
    if (held.length === 0) return [line];
    // Not an echo after all; a new one may begin within what was held.
    const [oldest = '', ...rest] = held;
    held = [];
    return [oldest, ...rest.flatMap(push), ...push(line)];
  };
  return {
    push,
    end() {
      const rest = held;
      held = [];
      return rest;
    },
  };
}
