/** Wraps prose, so that no terminal has to. */

/** Every terminal has at least this many columns. */
export const WIDTH = 80;

/** Breaks at spaces; a word that is longer than a line stays whole. Existing line breaks are kept. */
export function wrap(text: string, indent: string, hanging: string, width = WIDTH): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = lines.length === 0 ? indent : hanging;
    let isEmpty = true;
    for (const word of paragraph.split(' ')) {
      if (!isEmpty && line.length + 1 + word.length > width) {
        lines.push(line);
        line = hanging;
        isEmpty = true;
      }
      line += isEmpty ? word : ` ${word}`;
      isEmpty = false;
    }
    // An empty line stays empty.
    lines.push(line.trimEnd());
  }
  return lines;
}
