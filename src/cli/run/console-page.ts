/** Where the lines about a `ralph run` loop go: what they look like, how they stand apart from the agent's, what only --verbose shows. */
import type { LoopState } from '../../core/state.ts';
import type { Mask } from '../../core/text/mask.ts';
import { wrap } from '../../core/text/wrap.ts';
import type { RunData } from '../../loops/run/state.ts';
import { type Paint, painter } from '../../views/paint.ts';
import { ruleLine } from '../../views/verdict-lines.ts';
import type { openConsole } from '../terminal/open-console.ts';
import type { TerminalOptions } from '../terminal.ts';

/** Where the terminal shows colour, the settings may say otherwise. */
export type ConsoleOptions = TerminalOptions & {
  readonly env: NodeJS.ProcessEnv;
  readonly verbose: boolean;
  /** The prompt, or the file with it; null for a loop that is resumed and says so itself. */
  readonly task: string | null;
};

export type State = LoopState<RunData>;

/** What every line is made with. */
export interface Look {
  readonly mask: Mask;
  readonly paint: Paint;
  readonly width: number;
}

export type Page = ReturnType<typeof consolePage>;

const WARNING = 'warning: ';

export const numberOf = ({ iteration, data }: State): string => `${iteration}/${data.inputs?.maximumIterations ?? 0}`;

export function consolePage(
  { mask, verbose, stderr, stderrColor }: ConsoleOptions,
  { say, frame, width, nameOf }: Pick<ReturnType<typeof openConsole>, 'say' | 'frame' | 'width' | 'nameOf'>,
) {
  let paint = painter(stderrColor);
  let isApart = false;
  let began = 0;
  /** What the loop says about an iteration stands apart from what the agent said. */
  const judge = (lines: readonly string[]): void => {
    if (!isApart && lines.length > 0) frame('');
    isApart ||= lines.length > 0;
    for (const line of lines) say(line);
  };
  return {
    say,
    frame,
    nameOf,
    judge,
    look: (): Look => ({ mask, paint, width: width() }),
    colorAs(color: boolean | null | undefined): void {
      paint = painter(color ?? stderrColor);
    },
    warn(warning: string): void {
      judge(wrap(`${WARNING}${warning}`, '', '  ', width()).map((line) => paint('yellow', line)));
    },
    rule(state: State, more: string): void {
      frame(`\n${paint('bold', ruleLine(`${numberOf(state)}${more}`, stderr.columns))}`);
      isApart = false;
    },
    /** With --verbose. */
    detail(line: () => string): void {
      if (verbose) say(`[ralph] ${line()}`);
    },
    /** Only then: a clock is 1 ms of the start. */
    actionBegins(): void {
      if (verbose) began = performance.now();
    },
    took: (): string => `(${((performance.now() - began) / 1000).toFixed(1)}s)`,
  };
}
