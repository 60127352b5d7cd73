/** The patterns of a shell: whether a text fits one, and which program one stands for. */
import { list } from '../tables.ts';

/** Programs that a pattern could hide: `/bin/r?`. */
const HIDDEN = list('rm dd sh bash shred chmod chown curl wget nc mv cat tee sudo');

/** The name of a program without its folder. */
export function nameOfProgram(program: string): string {
  const name = program.split('/').at(-1) ?? '';
  if (!program.includes('/') || !/[*?[]/.test(name)) return name;
  return HIDDEN.find((each) => fitsGlob(name, each)) ?? name;
}

/** `[…]` is taken for any character: a guard would rather see too much. */
export function fitsGlob(pattern: string, text: string): boolean {
  const simple = pattern.replaceAll(/\[[^\]]+\]/g, '?');
  let [at, position] = [0, 0];
  // Where the last star stood, and how much it has taken: only that is tried again, so that it ends soon.
  let [star, taken] = [-1, 0];
  while (position < text.length) {
    if (simple.charAt(at) === '*') {
      [star, taken] = [at, position];
      at++;
    } else if (at < simple.length && (simple.charAt(at) === '?' || simple.charAt(at) === text.charAt(position))) {
      at++;
      position++;
    } else if (star >= 0) {
      at = star + 1;
      position = ++taken;
    } else return false;
  }
  return /^\**$/.test(simple.slice(at));
}
