/** The lines about a review: its start, which is an extra call, and its verdict. */
import { MARKS, type Mark } from '../../core/closing/closing-summary.ts';
import type { Reviews, ReviewTerms, Verdict } from '../../core/review/review.ts';
import type { Mask } from '../../core/text/mask.ts';
import { WIDTH, wrap } from '../../core/text/wrap.ts';
import { cutToColumns } from '../../stream/columns.ts';
import { printable } from '../../stream/printable.ts';
import { type Paint, STYLES } from '../../views/paint.ts';
import { inOneLine } from '../../views/verdict-lines.ts';

/** Announces the extra call, because it costs money. */
export function reviewStartLine({ rejected }: Reviews, { by, rounds }: ReviewTerms): string {
  return `Review ${rejected + 1} of ${rounds}: asking ${inOneLine(by.name)}, an extra call.`;
}

interface Shown {
  readonly mask: Mask;
  readonly paint: Paint;
  readonly width?: number;
}

const SHOWN_FINDINGS = 8;

/** `✗ Rejected by codex, review 1 of 3. …`, and the findings below it. */
export function verdictLines(
  verdict: Verdict,
  { rounds }: ReviewTerms,
  { mask, paint, width = WIDTH }: Shown,
): string[] {
  const mark = MARK_OF[verdict.is];
  const line = `${MARKS[mark]} ${sentenceOf(verdict, rounds, mask)}`;
  const findings =
    verdict.is === 'rejected' && verdict.isRepeated !== true ? findingLines(mask(verdict.words), width) : [];
  return [...wrap(line, '', '  ', width).map((part) => paint(STYLES[mark], part)), ...findings];
}

const MARK_OF: Readonly<Record<Verdict['is'], Mark>> = { approved: 'done', rejected: 'failed', none: 'needs-you' };

function sentenceOf({ is, by, round, words, isRepeated }: Verdict, rounds: number, mask: Mask): string {
  const who = inOneLine(by);
  const which = `review ${round} of ${rounds}`;
  if (is === 'none') return `No verdict from ${who} (${which}): ${inOneLine(mask(words))}.`;
  const again = isRepeated === true ? '; nothing has changed since, so it was not asked again' : '';
  if (is === 'approved') return `Approved by ${who} (${which})${again}.`;
  const next = round < rounds ? ' The findings go into the next prompt.' : '';
  return `Rejected by ${who} (${which})${again}.${next}`;
}

function findingLines(findings: string, width: number): string[] {
  const lines = findings
    .split('\n')
    .map((line) => printable(line).replaceAll('\t', '  ').trimEnd())
    .filter((line) => line !== '')
    .flatMap((line) => wrap(line, '    ', '    ', width));
  const more = lines.length > SHOWN_FINDINGS ? ['    …'] : [];
  return [...lines.slice(0, SHOWN_FINDINGS).map((line) => cutToColumns(line, width)), ...more];
}
