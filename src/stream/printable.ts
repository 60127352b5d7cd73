/** Makes text from outside safe to show: no escape sequence from an agent reaches the terminal. */
import { stripVTControlCharacters } from 'node:util';

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above; tab and line feed stay.
const EACH_CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

export function printable(text: string): string {
  return CONTROL.test(text) ? stripVTControlCharacters(text).replaceAll(EACH_CONTROL, '') : text;
}
