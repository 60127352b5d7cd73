/**
 * How many terminal columns a text takes, and cutting and padding text to a width. Starts fast, unlike libraries that
 * know every emoji; an emoji sequence that is shown as one may count as more, so that nothing ever wraps.
 */

/** One column each: ASCII and what our own screens are drawn with, such as boxes, blocks, marks and dashes. */
const PLAIN = /^[\u0020-\u007e\u00b7\u2013\u2026\u2500-\u25fc\u2713\u2717]*$/;
/** Except the two that turn the preceding character into an emoji, which makes it wider. */
const NONE = /(?![\ufe0f\u20e3])[\p{Mn}\p{Me}\p{Cf}\p{Cc}]/u;
const TWO =
  /[\u1100-\u115f\u231a\u231b\u2329\u232a\u23e9-\u23ec\u23f0\u23f3\u25fd\u25fe\u2614\u2615\u2630-\u2637\u2648-\u2653\u267f\u268a-\u268f\u2693\u26a1\u26aa\u26ab\u26bd\u26be\u26c4\u26c5\u26ce\u26d4\u26ea\u26f2\u26f3\u26f5\u26fa\u26fd\u2705\u270a\u270b\u2728\u274c\u274e\u2753-\u2755\u2757\u2795-\u2797\u27b0\u27bf\u2b1b\u2b1c\u2b50\u2b55\u2e80-\u303e\u3041-\u33ff\u3400-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{1b2ff}\u{1d300}-\u{1d376}\u{1f004}\u{1f0cf}\u{1f18e}\u{1f191}-\u{1f1ff}\u{1f200}-\u{1f320}\u{1f32d}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f7da}-\u{1f7ff}\u{1f90c}-\u{1f9ff}\u{1fa70}-\u{1faff}\u{20000}-\u{3fffd}]/u;

export function columnsOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let columns = 0;
  for (const character of text) columns += columnsOfOne(character);
  return columns;
}

function columnsOfOne(character: string): number {
  if (NONE.test(character)) return 0;
  return TWO.test(character) ? 2 : 1;
}

/** An ellipsis marks where the text was cut. */
export function cutToColumns(text: string, columns: number): string {
  if (columnsOf(text) <= columns) return text;
  let kept = '';
  let room = columns - 1;
  for (const character of text) {
    room -= columnsOfOne(character);
    if (room < 0) break;
    kept += character;
  }
  return columns < 1 ? '' : `${kept}…`;
}

export function padToColumns(text: string, columns: number): string {
  return `${text}${' '.repeat(Math.max(0, columns - columnsOf(text)))}`;
}
