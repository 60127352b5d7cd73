/** The known word that a mistyped one probably meant. */

export function nearest(word: string, known: readonly string[]): string | null {
  const scored = known.map((candidate) => ({
    candidate,
    steps: distance(word.toLowerCase(), candidate.toLowerCase()),
  }));
  const [best] = scored.sort((a, b) => a.steps - b.steps);
  return best !== undefined && best.steps <= mostSteps(word) ? best.candidate : null;
}

/** With more edits than this, a guess would mislead: `ls` does not mean `bus`. */
function mostSteps({ length }: string): number {
  return length < 4 ? 1 : Math.max(2, Math.floor(length / 3));
}

/** The edit distance: how many letters must be added, removed, changed or swapped with their neighbour. */
function distance(a: string, b: string): number {
  const [from, to] = [[...a], [...b]];
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, letter] of from.entries()) {
    const next = [i + 1];
    for (const [j, other] of to.entries()) {
      const changed = (row[j] ?? 0) + (letter === other ? 0 : 1);
      const isSwapped = i > 0 && j > 0 && letter === to[j - 1] && other === from[i - 1];
      const swapped = isSwapped ? (before[j - 1] ?? 0) + 1 : changed;
      next.push(Math.min(changed, swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[to.length] ?? 0;
}
