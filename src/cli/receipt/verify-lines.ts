/** The lines in which `ralph verify` shows a comparison. Pure. */
import { plural } from '../../core/budget/usage.ts';
import { MARKS } from '../../core/closing/closing-summary.ts';
import { type ComparedRow, isReproduced } from '../../core/proof/compare-receipt.ts';
import type { Mask } from '../../core/text/mask.ts';
import { wrap } from '../../core/text/wrap.ts';
import { columnsOf, cutToColumns, padToColumns } from '../../stream/columns.ts';
import type { ShowLine } from '../../views/show-lines.ts';
import { inOneLine, outputTail } from '../../views/verdict-lines.ts';

const WIDEST = 40;
const INDENT = '    ';

export function rowLines(rows: readonly ComparedRow[], width: number, mask: Mask): ShowLine[] {
  const labels = rows.map(({ what }) => inOneLine(what));
  const widest = Math.min(WIDEST, Math.max(...labels.map(columnsOf)));
  return rows.flatMap((row) => {
    const { is, here, receipt } = row;
    const label = padToColumns(cutToColumns(inOneLine(row.what), widest), widest);
    const line = (mark: string, words: string): string => cutToColumns(`${mark} ${label}  ${inOneLine(words)}`, width);
    if (is === 'same') return [{ text: line(MARKS.done, here), style: 'green' as const }];
    if (is === 'unknown') return [{ text: line('–', `not compared: ${here}`), style: 'dim' as const }];
    if (is === 'excused') {
      return [
        { text: line(MARKS['needs-you'], `${here}, as the receipt says: does not count`), style: 'yellow' as const },
      ];
    }
    const words = is === 'red' ? `${here}, as the receipt says: it does not pass` : `receipt ${receipt}`;
    const below = is === 'red' ? [] : [cutToColumns(`  ${' '.repeat(widest)}  here    ${inOneLine(here)}`, width)];
    const tail = outputTail(mask(row.output ?? '')).map((one) => cutToColumns(`${INDENT}${one}`, width));
    return [
      { text: line(MARKS.failed, words), style: 'red' as const },
      ...below.map((text) => ({ text, style: 'red' as const })),
      ...tail.map((text) => ({ text })),
    ];
  });
}

export function summaryLines(rows: readonly ComparedRow[], logs: string, width: number): ShowLine[] {
  const count = (is: ComparedRow['is']): number => rows.filter((row) => row.is === is).length;
  const open = count('unknown');
  const rest = open === 0 ? '' : ` ${plural(open, 'row')} could not be compared.`;
  if (isReproduced(rows)) {
    const words =
      count('excused') === 0
        ? 'The checks pass here, with the results the receipt states.'
        : 'The checks that count pass here, and others fail, as the receipt says.';
    const text = `${MARKS.done} ${words}${rest}`;
    return wrap(text, '', '  ', width).map((line) => ({ text: line, style: 'green' }));
  }
  const found = [
    ...(count('different') > 0 ? [`${plural(count('different'), 'difference')} from the receipt`] : []),
    ...(count('red') > 0 ? [`${plural(count('red'), 'check')} red`] : []),
  ].join(', ');
  return [
    ...wrap(`${MARKS.failed} ${found}.${rest}`, '', '  ', width).map((text) => ({ text, style: 'red' as const })),
    { text: `  logs: ${logs}`, style: 'dim' },
  ];
}
