/** A class in brackets, from Python's spelling to JavaScript's. */
import { escapeAt, type Translation } from './escape.ts';

export function translateClass(rest: string, translation: Translation): { length: number; text: string } {
  const opening = rest.startsWith('[^') ? '[^' : '[';
  let text = opening;
  for (let at = opening.length; at < rest.length; ) {
    const character = rest[at] ?? '';
    // One that stands first is text in Python; JavaScript would take it for the end.
    if (character === ']' && at > opening.length) return { length: at + 1, text: `${text}]` };
    if (character === '\\') {
      const { length, part } = escaped(rest.slice(at), translation);
      text += part;
      at += length;
    } else {
      text += '[]^'.includes(character) ? `\\${character}` : character;
      at += 1;
    }
  }
  return translation.refuse('a class [… is never closed');
}

function escaped(rest: string, translation: Translation): { length: number; part: string } {
  const meant = escapeAt(rest, translation);
  const { length } = meant;
  switch (meant.kind) {
    case 'literal':
      return { length, part: meant.text };
    case 'set':
      if (!meant.isNegated) return { length, part: meant.set };
      if (meant.set === String.raw`\s`) return { length, part: String.raw`\S` };
      return translation.refuse(`${rest.slice(0, 2)} inside of a class […] is not supported`);
    case 'boundary':
      // A backspace, in a class.
      return meant.isNegated ? translation.refuse('\\B inside of a class […]') : { length, part: String.raw`\x08` };
    case 'start':
    case 'end':
    case 'reference':
      return translation.refuse(`${rest.slice(0, 2)} inside of a class […] is not supported`);
  }
}
