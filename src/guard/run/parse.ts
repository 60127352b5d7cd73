/** A shell's text as a tree, by the package unbash: it takes everything, and says where a text makes no sense. */
import { forEachChild, type ParsedScript, parse, type SyntaxNode } from 'unbash';

/** The parser's time grows with the square of the braces that a word opens and never closes: 40,000 take it 20 s. */
const MOST_OPEN_BRACES = 2000;

/** Null for a text that nests too deeply to be read. */
export function parsed(text: string): ParsedScript | null {
  if (hasTooManyBraces(text)) return null;
  try {
    return parse(text);
  } catch (error) {
    // The parser bounds most of its recursion, but not all: `f() f() f() …` exhausts the stack.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function hasTooManyBraces(text: string): boolean {
  let open = 0;
  for (const mark of text.matchAll(/[{}\s]/g)) {
    if (mark[0] === '{') open++;
    else open = mark[0] === '}' ? Math.max(open - 1, 0) : 0;
    if (open > MOST_OPEN_BRACES) return true;
  }
  return false;
}

export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  forEachChild(node, (child) => {
    children.push(child);
  });
  return children;
}
