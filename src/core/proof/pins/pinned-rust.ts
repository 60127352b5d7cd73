/** What of a Rust file is about checks: its unit tests, which stand in the file that they test. Pure. */

/** The modules of tests as they were at the start, in place of those that the file has now. */
export function withRustTests(now: string, before: string | null): string {
  const were = before === null ? [] : testModules(before);
  if (were.length === 0) return now;
  let rest = '';
  let at = 0;
  for (const { from, to } of testModules(now)) {
    rest += now.slice(at, from);
    at = to;
  }
  rest += now.slice(at);
  const texts = were.map(({ from, to }) => before?.slice(from, to) ?? '');
  return `${[rest.trimEnd(), ...texts].join('\n\n')}\n`;
}

/** In a form that can be compared: the tests that were moved in their file are the same. */
export const rustTests = (text: string): string =>
  testModules(text)
    .map(({ from, to }) => text.slice(from, to))
    .join('\n\n');

interface Range {
  readonly from: number;
  readonly to: number;
}

const BEGIN = /#\[cfg\((?:test|all\(test\b[^\]]*)\)\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?mod\s+\w+\s*\{/g;

function testModules(text: string): Range[] {
  const found: Range[] = [];
  for (const match of text.matchAll(BEGIN)) {
    const last = found.at(-1);
    if (last !== undefined && match.index < last.to) continue;
    found.push({ from: match.index, to: endOfBlock(text, match.index + match[0].length) });
  }
  return found;
}

/** What may hold a brace that opens or closes nothing: comments, texts, characters. */
const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|b?r(#*)"[\s\S]*?"\1|b?"(?:[^"\\]|\\[\s\S])*"|b?'(?:[^'\\\n]|\\[^\n]{1,10}?)'|[{}]/g;

function endOfBlock(text: string, from: number): number {
  let depth = 1;
  TOKEN.lastIndex = from;
  for (let token = TOKEN.exec(text); token !== null; token = TOKEN.exec(text)) {
    if (token[0] === '{') depth++;
    if (token[0] === '}') depth--;
    if (depth === 0) return TOKEN.lastIndex;
  }
  return text.length;
}
