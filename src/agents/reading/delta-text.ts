/** Joins the pieces in which some agents stream their words: a tag must not fall between two of them. */

export interface DeltaText {
  /** The whole lines that this piece completes; null while there is none. */
  push(piece: string): string | null;
  /** What is left when something else follows. */
  end(): string | null;
  /** The words since something else was said or done. */
  lastWords(): string;
}

/** A line without an end is not kept for ever. */
const LONGEST_LINE = 1_000_000;
const LONGEST_LAST_WORDS = 10_000;

export function deltaText(): DeltaText {
  let rest = '';
  let words = '';
  let isOver = true;
  const take = (length: number): string => {
    const whole = rest.slice(0, length);
    rest = rest.slice(length);
    return whole;
  };
  return {
    push(piece) {
      if (isOver) words = '';
      isOver = false;
      if (words.length < LONGEST_LAST_WORDS) words += piece;
      rest += piece;
      const end = rest.lastIndexOf('\n');
      // The line end itself is what keeps two texts apart.
      if (end >= 0) return take(end + 1).slice(0, -1);
      return rest.length > LONGEST_LINE ? take(rest.length) : null;
    },
    end() {
      isOver = true;
      return rest === '' ? null : take(rest.length);
    },
    lastWords: () => words,
  };
}
