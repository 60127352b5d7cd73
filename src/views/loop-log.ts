/** What a loop did, as the lines that its console shows: `ralph logs` prints them, `ralph top` scrolls in them. */
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

/** It may hold what an agent has written, and is made printable where it is shown. */
export interface LogLine {
  readonly text: string;
  readonly style?: 'green' | 'red' | 'yellow' | 'cyan' | 'dim' | 'bold';
}

/** A run of an agent that has begun: what it prints comes behind the lines so far. */
export interface LoggedRun {
  readonly agent: AgentChoice;
  readonly transcript: string;
}

interface Shown {
  readonly mask: Mask;
  /** Of a line of prose. */
  readonly width: number;
  /** Of the rule above an iteration; absent for the usual one. */
  readonly columns?: number | undefined;
  /** The one iteration that is shown; null for all. */
  readonly only: number | null;
}

/** Folds records one by one; gives what is shown of each, and the run that it begins, if it does. */
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
      // What is asked for a commit message is shown by what comes of it; a session prints where it runs.
      const isShown = record.result.kind === 'started' && phase.at === 'await' && phase.purpose === 'work';
      const action = isShown && loopKind !== 'session' ? machine.next(state) : null;
      if (action?.do !== 'await') return { lines, run: null };
      const transcript = machine.transcript(state, action.handle) ?? `runs/${outputFile(action.handle.name)}`;
      return { lines, run: { agent: action.agent, transcript } };
    },
  };
}

/** Turns what a run has printed, as it comes, into the lines that the console shows. */
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

/** As the console shows it. */
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
