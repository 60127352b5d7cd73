/** Brings a text of any size and content into a pane as one bracketed paste, through a buffer that is ours. */
import { randomUUID } from 'node:crypto';
import type { Control, TmuxCommand } from './control.ts';

/** Of one command; a longer text is appended in pieces. */
const PIECE_CHARACTERS = 32 * 1024;

/**
 * `marked`: between the marks of a bracketed paste in any case. tmux itself adds them (`-p`) only once the program has
 * asked for them, and Gemini shows its input line before: each key of a prompt was a command to it, `!` opened a shell.
 *
 * Throws TmuxRefusal when the pane is gone; the buffer is removed on every path.
 */
export async function pasteText(
  control: Control,
  pane: string,
  text: string,
  marks: 'marked' | 'if-asked',
): Promise<void> {
  const buffer = `ralph-${randomUUID()}`;
  const clean = pasteable(text);
  if (clean === '') return;
  const pieces = piecesOf(marks === 'marked' ? `\u001b[200~${clean}\u001b[201~` : clean);
  const load = pieces.map((piece): TmuxCommand => ['set-buffer', '-a', '-b', buffer, '--', piece]);
  const bracketed = marks === 'marked' ? [] : ['-p'];
  // One write for all: nobody sees the buffer half filled, and `-d` removes it with the paste.
  const answers = await control.sendAll([...load, ['paste-buffer', ...bracketed, '-d', '-b', buffer, '-t', pane]]);
  const refused = answers.find((answer) => !answer.ok);
  if (refused === undefined || refused.ok) return;
  await control.sendAll([['delete-buffer', '-b', buffer]]);
  throw refused.error;
}

/** As a file of lines would be typed: no line end at its end, none of another system, nothing that ends the paste early. */
export function pasteable(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(PASTE_MARKS, '').replaceAll('\0', '').replace(/\n+$/, '');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the marks of a bracketed paste are escape sequences.
const PASTE_MARKS = /(?:\u001b\[|\u009b)20[01]~/g;

/** Never between the two halves of one character. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = at + PIECE_CHARACTERS;
    const splits = /[\ud800-\udbff]/.test(text[end - 1] ?? '') && end < text.length;
    pieces.push(text.slice(at, splits ? end - 1 : end));
    at = splits ? end - 1 : end;
  }
  return pieces;
}
