/** Prints the lines about a `ralph run` loop: how they look, how they are set apart, and which need `--verbose`. */
import type { LoopState } from '../../core/state.ts';
import type { Mask } from '../../core/text/mask.ts';
import { wrap } from '../../core/text/wrap.ts';
import type { RunData } from '../../loops/run/state.ts';
import { type Paint, painter } from '../../views/paint.ts';
import { ruleLine } from '../../views/verdict-lines.ts';
import type { openConsole } from '../terminal/open-console.ts';
import type { TerminalOptions } from '../terminal.ts';

/** The settings can turn colours on or off, whatever the terminal shows. */
export type ConsoleOptions = TerminalOptions & {
  readonly env: NodeJS.ProcessEnv;
  readonly verbose: boolean;
  /** The prompt, or the name of its file; null for a resumed loop, which says so itself. */
  readonly task: string | null;
};

export type State = LoopState<RunData>;

/** What is needed to make a line. */
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
  /** A blank line separates what the loop says about an iteration from what the agent said. */
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
    /** Only with `--verbose`. */
    detail(line: () => string): void {
      if (verbose) say(`[ralph] ${line()}`);
    },
    /** Only with `--verbose`, because loading the clock takes 1 ms of the start. */
    actionBegins(): void {
      if (verbose) began = performance.now();
    },
    took: (): string => `(${((performance.now() - began) / 1000).toFixed(1)}s)`,
  };
}
