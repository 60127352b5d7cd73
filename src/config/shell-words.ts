/** Splits a flag such as `--model opus` into words as a shell would, without a shell: nothing is expanded. */

const WORD = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gs;
const PIECE = /\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'/gs;

export function shellWords(text: string): string[] {
  return [...text.matchAll(WORD)].map(([word]) =>
    word.replaceAll(
      PIECE,
      (_all, escaped?: string, double?: string, single?: string) =>
        escaped ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? single ?? '',
    ),
  );
}
