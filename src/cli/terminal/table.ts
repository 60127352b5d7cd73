/** Tables that programs read, too, so no cell is empty. */
import { aligned } from '../../core/text/aligned.ts';

export function tableLines(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return aligned([header, ...rows.map((row) => row.map(inOneCell))]).map((line) => line.trimEnd());
}

/** An empty cell would shift the columns for programs, so it becomes `-`. */
export function inOneCell(text: string): string {
  return text.split(/\s+/).filter(Boolean).join(' ') || '-';
}
