/** `a{b,c}d` is `abd acd`. `{1..3}` is left alone: a guard needs the names, not the numbers. */

const MOST = 64;
const LONGEST = 2000;

/** The source of a word as the sources of the words that it stands for. */
export function expandBraces(source: string, from = 0): string[] {
  const marks = source.length > LONGEST ? null : firstGroup(source, from);
  if (marks === null) return [source];
  const [start = 0, ...ends] = marks;
  const after = source.slice((ends.at(-1) ?? 0) + 1);
  const all: string[] = [];
  for (const [index, end] of ends.entries()) {
    if (all.length >= MOST) break;
    const choice = source.slice((marks[index] ?? 0) + 1, end);
    all.push(...expandBraces(`${source.slice(0, start)}${choice}${after}`, start));
  }
  return all.slice(0, MOST);
}

/** Where the first `{` that is closed and has a comma of its own stands, its commas, and its `}`. */
function firstGroup(source: string, from: number): number[] | null {
  for (let at = from; at < source.length; at = skip(source, at)) {
    const group = source.charAt(at) === '{' ? groupAt(source, at) : null;
    if (group !== null) return group;
  }
  return null;
}

function groupAt(source: string, start: number): number[] | null {
  const marks = [start];
  let open = 0;
  for (let at = start; at < source.length; at = skip(source, at)) {
    const char = source.charAt(at);
    if (char === '{') open++;
    else if (char === ',' && open === 1) marks.push(at);
    else if (char === '}' && --open === 0) return marks.length === 1 ? null : [...marks, at];
  }
  return null;
}

/** Over quotes, escapes and expansions, in which braces are no braces. */
const OPAQUE = /\\.|'[^']*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|\$\{[^{}]*\}|\$\([^()]*\)/sy;

function skip(source: string, at: number): number {
  OPAQUE.lastIndex = at;
  return at + (OPAQUE.exec(source)?.[0].length ?? 1);
}
