/** Fingerprint of a failing check's output: equal for failures that differ only in times, paths and ids. Pure. */
import { digestOf } from '../text/digest.ts';

/** The order matters: part of a timestamp looks like a position in a file. */
const VARIES: readonly (readonly [RegExp, string])[] = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of a terminal begin with one.
  [/\u001b\[[0-9;]*[A-Za-z]/g, ''],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/g, '<time>'],
  [/\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?/g, '<time>'],
  [/\b\d+(?:[.,]\d+)?\s?(?:ms|µs|us|ns|s|secs?|seconds?|mins?|minutes?|m|h)\b/g, '<duration>'],
  [/(?:\/private)?\/(?:tmp|var\/tmp|var\/folders|dev\/shm)\/[^\s"'`:)\]]+/g, '<path>'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '<id>'],
  [/\b0x[0-9a-f]+\b/gi, '<id>'],
  // Seven digits or more, as git abbreviates hashes; a word of only letters is a word.
  [/\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}\b/gi, '<id>'],
  [/\b(pid|process)([ :=]+)\d+/gi, '$1$2<id>'],
  // `src/a.ts:12:5`, `a.c(12,5)`: an edit further up moves the line of an unchanged failure.
  [/:\d+:\d+\b/g, ':<line>'],
  [/\(\d+,\d+\)/g, '(<line>)'],
];

export function failureFingerprint(output: string): string {
  const text = VARIES.reduce((words, [varies, name]) => words.replaceAll(varies, name), output);
  return digestOf(text.replaceAll(/[ \t]+/g, ' ').trim());
}
