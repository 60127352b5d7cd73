/**
 * Finds the prompt in what an agent shows. An agent may wrap it, indent it, frame it, leave out its markdown, or show a
 * part of it, so the two are compared without blanks, frames and markdown's signs.
 */

export interface PromptEcho {
  /**
   * The text without those parts of the prompt that reach beyond what stands between `from` and `to`. Words that also
   * stand in the prompt, but here by themselves, are the agent's own. Null: more must come before one can tell.
   */
  without(text: string, from: number, to: number, isWhole: boolean): string | null;
}

/** Blanks, lines and blocks that frames are drawn with, the signs of markdown, and those that mark a message. */
const DECORATION = /[\s\u2500-\u259f\u200b`*_#>|~❯›•●-]/u;
/** So many characters in a row are needed to begin a comparison, and so many beyond a match make it an echo. */
const GRAM = 8;
/** A prompt that repeats itself: the first places will do. */
const PLACES = 64;

export function promptEcho(prompt: string): PromptEcho {
  const wanted = squeeze(prompt).text;
  const gram = Math.min(GRAM, wanted.length);
  let index: Map<string, number[]> | null = null;

  return {
    without(text, from, to, isWhole) {
      if (gram === 0) return text;
      index ??= indexOf(wanted, gram);
      const { text: shown, at: positions } = squeeze(text);
      let out = '';
      let kept = 0;
      for (let at = 0; at + gram <= shown.length; ) {
        const { length, place } = longestRun(shown, at, wanted, index.get(shown.slice(at, at + gram)) ?? []);
        if (length === 0) {
          at += 1;
          continue;
        }
        const [start, end] = [positions[at] ?? 0, (positions[at + length - 1] ?? 0) + 1];
        const concerns = start < to && end > from;
        // An echo from the prompt's beginning goes on in the next line, one from its middle at least to a line's end.
        const mayGoOn = at + length === shown.length && place + length < wanted.length;
        if (concerns && mayGoOn && !isWhole && (place === 0 || !text.includes('\n', end))) return null;
        const run = positions.slice(at, at + length);
        const outside = run.filter((position) => position < from || position >= to);
        if (length === wanted.length || (concerns && outside.length >= GRAM)) {
          out += `${text.slice(kept, start)}\n`;
          kept = end;
        }
        at += length;
      }
      return out + text.slice(kept);
    },
  };
}

function longestRun(shown: string, at: number, wanted: string, places: readonly number[]) {
  let best = { length: 0, place: 0 };
  for (const place of places) {
    let length = 0;
    while (
      at + length < shown.length &&
      place + length < wanted.length &&
      shown[at + length] === wanted[place + length]
    )
      length += 1;
    if (length > best.length) best = { length, place };
  }
  return best;
}

/** With the position that each character had. */
function squeeze(text: string): { readonly text: string; readonly at: readonly number[] } {
  const at: number[] = [];
  let squeezed = '';
  for (let i = 0; i < text.length; i++) {
    const character = text[i] ?? '';
    if (DECORATION.test(character)) continue;
    squeezed += character;
    at.push(i);
  }
  return { text: squeezed, at };
}

function indexOf(text: string, gram: number): Map<string, number[]> {
  const index = new Map<string, number[]>();
  for (let at = 0; at + gram <= text.length; at++) {
    const piece = text.slice(at, at + gram);
    const places = index.get(piece);
    if (places === undefined) index.set(piece, [at]);
    else if (places.length < PLACES) places.push(at);
  }
  return index;
}
