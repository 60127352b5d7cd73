/** Quotes words for a POSIX shell. */

/** For scripts: always quotes, so that a word is never an assignment or a keyword. */
export const shellQuote = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** For commands that people copy: quotes only if the shell needs them. */
export const quoteWord = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : shellQuote(word));

export const quoteWords = (words: readonly string[]): string => words.map(quoteWord).join(' ');
