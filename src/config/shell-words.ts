/** Splits a flag such as `--model opus` into words as a shell would, without a shell: nothing is expanded. */
import { RalphError } from '../core/error.ts';

const WORD = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gs;
const PIECE = /\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'/gs;

export function shellWords(text: string): string[] {
  const [broken] = text.replaceAll(WORD, '').match(/["'\\]/) ?? [];
  if (broken !== undefined) {
    throw new RalphError('FLAGS', `the flag ${JSON.stringify(text)} has an unclosed ${broken}`, {
      hint: 'Close it, or give each word as an element of its own in agent.flags.',
    });
  }
  return [...text.matchAll(WORD)].map(([word]) =>
    word.replaceAll(
      PIECE,
      (_all, escaped?: string, double?: string, single?: string) =>
        escaped ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? single ?? '',
    ),
  );
}
