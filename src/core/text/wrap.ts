/** Prose in lines that no terminal has to wrap. */

/** What every terminal has. */
export const WIDTH = 80;

/** Breaks at blanks; a word that is longer than a line stays whole. Line breaks inside stay. */
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
    // A blank line inside is one.
    lines.push(line.trimEnd());
  }
  return lines;
}
