/** The part of a Rust file that is about checks: its unit tests, which are in the file that they test. Pure. */

/** Replaces the test modules of the file by those of the start. */
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

/** In a form that can be compared: moving the tests within their file changes nothing. */
export const rustTests = (text: string): string =>
  testModules(text)
    .map(({ from, to }) => text.slice(from, to))
    .join('\n\n');

/** The files that can declare this file to be a test module, each with the module's name in it. */
export function declaringFiles(path: string): (readonly [file: string, module: string])[] {
  const [, folder = '', module = ''] = /^(?:(.*)\/)?([^/]+)$/.exec(path.replace(/(?:\/mod)?\.rs$/, '')) ?? [];
  const within = (name: string): string => (folder === '' ? name : `${folder}/${name}`);
  const files = [...['mod.rs', 'lib.rs', 'main.rs'].map(within), ...(folder === '' ? [] : [`${folder}.rs`])];
  return files.filter((file) => file !== path).map((file) => [file, module] as const);
}

export function declaresTests(text: string, module: string): boolean {
  return [...text.matchAll(BEGIN)].some(([, name, kind]) => name === module && kind === ';');
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Also a module in a file of its own. */
const BEGIN =
  /(?:#\[[^\]]*\]\s*)*#\[cfg\((?:test|all\(test\b[^\]]*)\)\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*([{;])/g;

function testModules(text: string): Range[] {
  const found: Range[] = [];
  for (const match of text.matchAll(BEGIN)) {
    const last = found.at(-1);
    if (last !== undefined && match.index < last.to) continue;
    const begun = match.index + match[0].length;
    found.push({ from: match.index, to: match[2] === ';' ? begun : endOfBlock(text, begun) });
  }
  return found;
}

/** What can contain a brace that opens or closes nothing: comments, strings, characters. */
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
