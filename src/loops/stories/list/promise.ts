/** What an agent promises in `<promise>` tags: that all is done, that it cannot go on, or that a person has to decide. */

export type Promised =
  | { readonly kind: 'complete' }
  | { readonly kind: 'blocked' | 'decision'; readonly reason: string };

const WORDS = { BLOCKED: 'blocked', DECIDE: 'decision' } as const;

/** Null for anything else, and for a block or a question without a word on what it is. */
export function promisedIn(tag: string | null): Promised | null {
  const text = tag?.trim() ?? '';
  if (text === 'COMPLETE') return { kind: 'complete' };
  const [, word, reason = ''] = /^(BLOCKED|DECIDE):(.*)$/s.exec(text) ?? [];
  if ((word !== 'BLOCKED' && word !== 'DECIDE') || reason.trim() === '') return null;
  return { kind: WORDS[word], reason: reason.trim() };
}
