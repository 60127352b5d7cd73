/** Tables that programs read, too: every cell is one word or more. */
import { aligned } from '../../core/text/aligned.ts';

export function tableLines(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return aligned([header, ...rows.map((row) => row.map(inOneCell))]).map((line) => line.trimEnd());
}

/** A cell without text would shift what programs read from the row. */
export function inOneCell(text: string): string {
  return text.split(/\s+/).filter(Boolean).join(' ') || '-';
}
