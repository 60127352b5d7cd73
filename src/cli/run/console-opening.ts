/** The opening of `ralph run`: the title, messages before the loop begins, the block about the loop, the findings. */
import type { Finding } from '../../core/finding.ts';
import type { ShowFindings } from '../../preflight/before-loop.ts';
import { cutToColumns } from '../../stream/columns.ts';
import { printable } from '../../stream/printable.ts';
import { preflightLines } from '../terminal/finding-lines.ts';
import type { ConsoleOptions, Page, State } from './console-page.ts';
import { narrowed, openingRows, titleLine, toldLines } from './opening-lines.ts';

export function consoleOpening({ mask, task }: Pick<ConsoleOptions, 'mask' | 'task'>, page: Page) {
  let stage: 'ahead' | 'begun' | 'over' = 'ahead';
  /** Findings to show below the block. */
  const before: Finding[] = [];
  const begin = (): void => {
    if (stage !== 'ahead') return;
    stage = 'begun';
    const { paint, width } = page.look();
    if (task !== null) page.frame(paint('bold', cutToColumns(titleLine(mask(task)), width)));
  };
  const foundLines = (findings: readonly Finding[]): string[] => preflightLines(findings, page.look(), task === null);
  const found: ShowFindings = (findings, goesOn) => {
    if (goesOn && stage !== 'over') before.push(...findings);
    else for (const line of foundLines(findings)) page.say(line);
  };
  return {
    found,
    tell(line: string): void {
      begin();
      const told = mask(printable(line));
      for (const one of stage === 'over' ? [told] : narrowed(toldLines(told), page.look().width)) page.say(one);
    },
    /** Called once the inputs are known. */
    open(state: State): void {
      if (stage === 'over') return;
      begin();
      page.colorAs(state.data.inputs?.display.color);
      for (const line of narrowed(openingRows(state, page.nameOf(state.id), mask), page.look().width)) page.frame(line);
      stage = 'over';
      if (before.length > 0) page.judge(foundLines(before));
    },
  };
}
