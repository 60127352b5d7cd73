/** Quotes words for a POSIX shell. */

/** For scripts: always in quotes, so that no word is taken for an assignment or a keyword. */
export function shellQuote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** For commands that people copy: quotes only where the shell needs them. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : shellQuote(word);
}

export function quoteWords(words: readonly string[]): string {
  return words.map(quoteWord).join(' ');
}
