/** Shows findings, from before a loop begins or of `ralph doctor`, in lines that no terminal has to wrap. */
import { MARKS } from '../../core/closing/closing-summary.ts';
import type { Finding } from '../../core/finding.ts';
import type { Mask } from '../../core/text/mask.ts';
import { WIDTH, wrap } from '../../core/text/wrap.ts';
import { columnsOf } from '../../stream/columns.ts';
import { printable } from '../../stream/printable.ts';
import type { Paint } from '../../views/paint.ts';

const MARK = { error: MARKS.failed, warning: MARKS['needs-you'], note: '·', ok: MARKS.done } as const;
const STYLE = { error: 'red', warning: 'yellow', note: 'dim', ok: 'green' } as const;

interface Shown {
  readonly paint: Paint;
  readonly mask: Mask;
  readonly width?: number;
}

/** The fix is below its finding. Secrets are masked before anything is wrapped, so that no half of one is shown. */
export function findingLines(findings: readonly Finding[], { paint, mask, width = WIDTH }: Shown): string[] {
  const clean = (text: string): string => mask(printable(text));
  return findings.flatMap(({ level, what, fix }) => {
    const whole = `${MARK[level]} ${clean(what)}: ${clean(fix)}`;
    // A note, which need not be read, does not take two lines.
    if (level === 'note' && columnsOf(whole) <= width) return [paint(STYLE[level], whole)];
    return [
      ...wrap(`${MARK[level]} ${clean(what)}`, '', '  ', width).map((line) => paint(STYLE[level], line)),
      ...(fix === '' ? [] : wrap(clean(fix), '    ', '    ', width)),
    ];
  });
}

/** Shown above a loop's first iteration, or above the one with which it continues. */
export function preflightLines(findings: readonly Finding[], shown: Shown, isResumed = false): string[] {
  return [isResumed ? 'Before it continues:' : 'Before the first iteration:', ...findingLines(findings, shown)];
}
