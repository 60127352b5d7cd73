/** The known word that a mistyped one probably meant. */

export function nearest(word: string, known: readonly string[]): string | null {
  const scored = known.map((candidate) => ({
    candidate,
    steps: distance(word.toLowerCase(), candidate.toLowerCase()),
  }));
  const [best] = scored.sort((a, b) => a.steps - b.steps);
  // Further away than a third of the word, a guess would mislead.
  return best !== undefined && best.steps <= Math.max(2, Math.floor(word.length / 3)) ? best.candidate : null;
}

/** How many letters must be put in, left out or changed (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const changed = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
