/** Tables of the task commands: columns as wide as their widest cell, two blanks apart, the last one open. */

export function tableLines(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [header, ...rows.map((row) => row.map(inOneCell))];
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) =>
    row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join('  '),
  );
}

/** A cell without text would shift what programs read from the row. */
export function inOneCell(text: string): string {
  return text.split(/\s+/).filter(Boolean).join(' ') || '-';
}
