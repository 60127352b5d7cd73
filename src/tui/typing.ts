/** A line that is being typed, with a cursor in it. Pure. */
import type { Key } from './keys.ts';

export interface Typed {
  readonly text: string;
  /** How many characters follow the cursor; 0 at the end. */
  readonly behind: number;
}

export const NOTHING_TYPED: Typed = { text: '', behind: 0 };

/** The text before the cursor, and the text after it. */
export function aroundCursor({ text, behind }: Typed): readonly [before: string, after: string] {
  const characters = [...text];
  const at = Math.max(0, characters.length - behind);
  return [characters.slice(0, at).join(''), characters.slice(at).join('')];
}

/** Null for a key that neither types nor moves the cursor. */
export function typedBy(key: Key, typed: Typed): Typed | null {
  const [before, after] = aroundCursor(typed);
  const { text, behind } = typed;
  const all = [...text].length;
  switch (key.is) {
    case 'char':
      return { text: `${before}${key.char}${after}`, behind };
    case 'paste':
      return { text: `${before}${key.text.replaceAll(/\s+/g, ' ')}${after}`, behind };
    case 'backspace':
      return { text: `${[...before].slice(0, -1).join('')}${after}`, behind };
    case 'delete':
      return { text: `${before}${[...after].slice(1).join('')}`, behind: Math.max(0, behind - 1) };
    case 'ctrl-u':
      return { text: after, behind };
    case 'ctrl-w':
      return { text: `${before.replace(/\S*\s*$/, '')}${after}`, behind };
    case 'left':
      return { text, behind: Math.min(all, behind + 1) };
    case 'right':
      return { text, behind: Math.max(0, behind - 1) };
    case 'home':
    case 'ctrl-a':
      return { text, behind: all };
    case 'end':
    case 'ctrl-e':
      return { text, behind: 0 };
    default:
      return null;
  }
}
