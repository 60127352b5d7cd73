/** What a loop did, as the lines of its console, for `ralph logs`, `ralph top` and `loop_log` of `ralph mcp`. */
import { profileFor } from '../agents/index.ts';
import type { AgentChoice } from '../core/action.ts';
import { hasPassed } from '../core/check.ts';
import { describeLeft, MARKS } from '../core/closing/closing-summary.ts';
import type { LoopMachine } from '../core/machine/machine.ts';
import { describeFailure } from '../core/outcome.ts';
import type { Recorded } from '../core/record.ts';
import { type LoopState, startedIterations } from '../core/state.ts';
import type { Mask } from '../core/text/mask.ts';
import { outputFile } from '../state/run-files.ts';
import { DEFAULT_FORMAT, eventFormatter } from '../stream/formatter.ts';
import { textSplitter } from '../stream/text-lines.ts';
import { checkLine, failureLines, ruleLine } from './verdict-lines.ts';

/** The text can contain an agent's raw output: make it printable before you show it. */
export interface LogLine {
  readonly text: string;
  readonly style?: 'green' | 'red' | 'yellow' | 'cyan' | 'dim' | 'bold';
}

/** A run of an agent that has begun: its output follows the lines so far. */
export interface LoggedRun {
  readonly agent: AgentChoice;
  readonly transcript: string;
}

interface Shown {
  readonly mask: Mask;
  /** Columns of a line of prose. */
  readonly width: number;
  /** Columns of the rule above an iteration; absent for the default. */
  readonly columns?: number | undefined;
  /** Show only this iteration; null for all. */
  readonly only: number | null;
}

/** Folds records one by one: `take` returns the lines for each, and the run that it begins, if any. */
export function loopLog(machine: LoopMachine<unknown>, shown: Shown) {
  let state: LoopState<unknown> | null = null;
  let headed = 0;
  return {
    iteration: (): number => state?.iteration ?? 0,
    take(record: Recorded): { readonly lines: readonly LogLine[]; readonly run: LoggedRun | null } {
      state = state === null ? machine.begin(record) : machine.apply(state, record);
      const { iteration, phase, loopKind } = state;
      if (shown.only !== null && iteration !== shown.only) return { lines: [], run: null };
      const { limit, checks = [] } = machine.about(state);
      const lines: LogLine[] = [];
      if (phase.at === 'await' && headed !== iteration) {
        lines.push({ text: ruleLine(`${iteration}${limit === null ? '' : `/${limit}`}`, shown.columns), style: 'dim' });
        headed = iteration;
      }
      lines.push(...verdictLines(record, checks, state, shown));
      // A run for a commit message shows up only as its commit. A session's agent prints in its own session.
      const isShown = record.result.kind === 'started' && phase.at === 'await' && phase.purpose === 'work';
      const action = isShown && loopKind !== 'session' ? machine.next(state) : null;
      if (action?.do !== 'await') return { lines, run: null };
      const transcript = machine.transcript(state, action.handle) ?? `runs/${outputFile(action.handle.name)}`;
      return { lines, run: { agent: action.agent, transcript } };
    },
  };
}

/** Turns the raw output of a run, as it arrives, into console lines. */
export function runLines({ agent }: LoggedRun, mask: Mask, onText: (text: string) => void) {
  const parser = profileFor(agent.command).parser(agent);
  const format = eventFormatter({ ...DEFAULT_FORMAT, mask });
  return textSplitter({
    skip: () => false,
    onLine: (line) => {
      for (const event of parser.parse(line)) {
        const text = format(event);
        if (text !== null) onText(text);
      }
    },
    onLongLine: (head) => onText(`${head.toString('utf8', 0, 200)}…`),
  });
}

/** The console's lines for one record. */
function verdictLines(
  { result }: Recorded,
  checks: readonly string[],
  state: LoopState<unknown>,
  { mask, width }: Shown,
): LogLine[] {
  const paint = (_style: string, text: string): string => text;
  switch (result.kind) {
    case 'ran':
      if (result.outcome.kind === 'worked') return [];
      return [{ text: `${MARKS.failed} ${describeFailure(result)}`, style: 'red' }];
    case 'checked':
      return [
        { text: checkLine(result, checks, paint, width), style: hasPassed(result) ? 'green' : 'red' },
        ...failureLines(result, state.cwd, { mask, paint, width }).map((text) => ({ text })),
      ];
    case 'published':
      if (result.status === 'nothing') return [];
      if (result.status === 'failed')
        return [{ text: `${MARKS.failed} ${result.task}: ${result.detail}`, style: 'red' }];
      return [{ text: `${MARKS.done} ${result.task} ${result.detail.slice(0, 7)}`.trimEnd(), style: 'green' }];
    case 'ended': {
      const { mark, outcome } = describeLeft(result.ending, startedIterations(state));
      return [{ text: `${MARKS[mark]} ${outcome}`, style: mark === 'done' ? 'green' : 'yellow' }];
    }
    default:
      return [];
  }
}
