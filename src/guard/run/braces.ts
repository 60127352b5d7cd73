/** `a{b,c}d` is `abd acd`. `{1..3}` is left alone: a guard needs the names, not the numbers. */

const MOST = 64;
const LONGEST = 2000;

/** The source of a word as the sources of the words that it stands for. */
export function expandBraces(source: string): string[] {
  return source.length > LONGEST ? [source] : expand(source, 0);
}

function expand(source: string, from: number): string[] {
  const group = firstGroup(source, from);
  if (group === null) return [source];
  const [before, after] = [source.slice(0, group.start), source.slice(group.end)];
  const all: string[] = [];
  for (const choice of group.choices) {
    if (all.length >= MOST) break;
    all.push(...expand(`${before}${choice}${after}`, group.start));
  }
  return all.slice(0, MOST);
}

interface Group {
  readonly start: number;
  readonly end: number;
  readonly choices: readonly string[];
}

/** The first `{` that is closed and has a comma of its own. */
function firstGroup(source: string, from: number): Group | null {
  for (let at = from; at < source.length; at = skip(source, at)) {
    const group = source.charAt(at) === '{' ? groupAt(source, at) : null;
    if (group !== null) return group;
  }
  return null;
}

function groupAt(source: string, start: number): Group | null {
  const cuts: number[] = [];
  let open = 0;
  for (let at = start; at < source.length; at = skip(source, at)) {
    const char = source.charAt(at);
    if (char === '{') open++;
    else if (char === ',' && open === 1) cuts.push(at);
    else if (char === '}' && --open === 0) {
      if (cuts.length === 0) return null;
      const borders = [start, ...cuts, at];
      const choices = borders.slice(1).map((border, index) => source.slice((borders[index] ?? 0) + 1, border));
      return { start, end: at + 1, choices };
    }
  }
  return null;
}

/** Over quotes, escapes and expansions, in which braces are no braces. */
const OPAQUE = /\\.|'[^']*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|\$\{[^{}]*\}|\$\([^()]*\)/sy;

function skip(source: string, at: number): number {
  OPAQUE.lastIndex = at;
  return at + (OPAQUE.exec(source)?.[0].length ?? 1);
}
