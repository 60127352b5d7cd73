/** Is the promise given? The exact marker, case and all, in the agent's own words, and nowhere else. */
import { markerOf, type SessionRequest } from './request.ts';

/** `texts`: everything that the agent said since the last look, oldest first; the last one is where it ended. */
export function isPromised(
  { promise, promisePosition }: Pick<SessionRequest, 'promise' | 'promisePosition'>,
  texts: readonly string[],
): boolean {
  const marker = markerOf(promise);
  if (promisePosition === 'end') return lastLineOf(texts.findLast((text) => text.trim() !== '') ?? '') === marker;
  return texts.some((text) => text.includes(marker));
}

function lastLineOf(text: string): string {
  const trimmed = text.trimEnd();
  return trimmed.slice(trimmed.lastIndexOf('\n') + 1).trim();
}
