/** Quotes words for a POSIX shell. */

/** For scripts: always in quotes, so that no word is taken for an assignment or a keyword. */
export const shellQuote = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** For commands that people copy: quotes only where the shell needs them. */
export const quoteWord = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : shellQuote(word));

export const quoteWords = (words: readonly string[]): string => words.map(quoteWord).join(' ');
