/** Hosts a task's loop in this terminal, and shows it: the agent on stdout, everything about the loop on stderr. */
import { type Ending, WAIT_EXIT_CODE } from '../../core/ending.ts';
import { exitNumber, type Outcome } from '../../core/outcome.ts';
import type { Recorded } from '../../core/record.ts';
import { REVIEW } from '../../core/review/review.ts';
import type { LoopState } from '../../core/state.ts';
import { formatGoDuration } from '../../core/text/duration.ts';
import { linesOf } from '../../core/text/lines-of.ts';
import type { Driven, LoopEvent } from '../../engine/drive.ts';
import { taskClosing } from '../../loops/tasks/closing.ts';
import type { TaskOptions } from '../../loops/tasks/loop.ts';
import { taskMachine } from '../../loops/tasks/rules.ts';
import { limitOf, type TaskData, type TaskSteps } from '../../loops/tasks/state.ts';
import { DEFAULT_FORMAT, eventFormatter } from '../../stream/formatter.ts';
import { printable } from '../../stream/printable.ts';
import { painter } from '../../views/paint.ts';
import type { OutputFlags } from '../terminal/live-output.ts';
import type { StatusWords } from '../terminal/live-status.ts';
import { leftBy, openConsole } from '../terminal/open-console.ts';
import { pivotLines } from '../terminal/pivot-lines.ts';
import { reviewStartLine, verdictLines } from '../terminal/review-lines.ts';
import { handleEndingSignals } from '../terminal/signals.ts';
import { clockSecond, clockTime, outcomeLines } from '../terminal/words.ts';
import { type AwakeFlags, inTerminal, type LoopConsole, type TerminalOptions, thisTerminal } from '../terminal.ts';

/** The first Ctrl-C already ends the agent: a task starts it again anyway. */
export function hostedTask(
  kind: 'task' | 'job',
  hosting: Pick<TaskOptions, 'environment' | 'self'>,
  flags: OutputFlags & AwakeFlags,
  host: (options: TaskOptions) => Promise<Driven>,
): Promise<number> {
  const console = taskConsole(thisTerminal(hosting.environment, flags));
  const signals = handleEndingSignals(console.tell);
  return inTerminal(kind, console, signals, (ports) => host({ ...hosting, ...ports }), flags);
}

function taskConsole(options: TerminalOptions): LoopConsole<TaskData> {
  const { say, width, frame, report, ready, formatWith, showProgress, runEnded, close, live } = openConsole(
    options,
    'allow them with --agent-flag',
  );
  const { mask, color } = options;
  const paint = painter(options.stderrColor);
  let last: Outcome | null = null;

  const showPivot = (event: LoopEvent<TaskData>): boolean => {
    const lines = pivotLines(event, { paint, mask, width: width() });
    if (event.type === 'record' && lines !== null) runEnded();
    for (const line of lines ?? []) say(line);
    return lines !== null;
  };
  const afterRecord = ({ key, result }: Recorded, state: LoopState<TaskData>): void => {
    const isReview = key.includes(`/${REVIEW}/`);
    if (result.kind === 'ran') {
      runEnded();
      if (!isReview) last = result.outcome;
    }
    const { reviews, request } = state.data;
    const isJudged = result.kind === 'stepped' && result.what === 'verdict';
    if (isJudged && reviews.last !== null && request.review !== undefined) {
      for (const line of verdictLines(reviews.last, request.review, { mask, paint, width: width() })) say(line);
    }
    // Shown below the agent's output, which has just been printed.
    if (last?.kind === 'interrupted' && result.kind === 'ran') for (const line of outcomeLines(last)) say(line);
    if (result.kind !== 'stepped' || result.what !== 'look' || last === null) return;
    for (const line of attemptLines(last, state, clockSecond(Date.now()))) say(line);
  };
  return {
    show(event) {
      if (showPivot(event)) return;
      if (event.type === 'record') afterRecord(event.record, event.state);
      else if (event.type === 'action') {
        if (event.action.do !== 'start') return;
        formatWith(eventFormatter({ ...DEFAULT_FORMAT, mask, color }));
        const { reviews, request } = event.state.data;
        if (event.action.run.purpose === REVIEW && request.review !== undefined) {
          frame(`\n${reviewStartLine(reviews, request.review)}`);
          return;
        }
        frame(`\nStarting agent (attempt ${event.state.iteration}/${limitOf(event.state.data)})`);
      } else showProgress(event.event, event.run.purpose === 'work');
    },
    tell: report,
    ready,
    live,
    words: STATUS_WORDS,
    close(driven, state, work) {
      const lines = driven.kind === 'ended' ? endingLines(driven.ending) : [];
      close(taskMachine, state, lines, taskClosing(state, leftBy(driven), work, clockTime));
    },
  };
}

const STATUS_WORDS: StatusWords<TaskData> = {
  limit: limitOf,
  steps: {
    dependencies: 'waiting for other tasks',
    look: 'looking for DONE',
    question: 'posting to the bus',
    answer: 'posting to the bus',
    children: 'waiting for children',
    propagation: 'posting to the bus',
    exhausted: 'posting to the bus',
    hold: 'taking DONE for a claim',
    diff: 'comparing work trees',
    verdict: 'posting to the bus',
  } satisfies Record<keyof TaskSteps, string>,
};

/** The result of an attempt, shown once it is clear whether there will be another one. */
function attemptLines(outcome: Outcome, state: LoopState<TaskData>, at: string): string[] {
  const { iteration, phase, data } = state;
  const goesOn = phase.at === 'wait' && iteration < limitOf(data);
  const next = `(attempt ${iteration + 1}/${limitOf(data)})`;
  const attempt = `[${at}] Attempt ${iteration}:`;
  if (outcome.kind === 'worked')
    return linesOf(`${attempt} Agent succeeded`, goesOn && `No DONE file, restarting ${next}`);
  if (outcome.kind === 'failed' && outcome.exit.by === 'timeout') {
    const killing = `Agent timeout after ${formatGoDuration(outcome.exit.afterMs)}, killing process group`;
    return linesOf(killing, 'Process group killed, treating as failure', goesOn && `Restarting agent ${next}`);
  }
  if (outcome.kind === 'failed') {
    const code = exitNumber(outcome.exit);
    if (code === WAIT_EXIT_CODE) return [`${attempt} Agent waits (exit ${code})`];
    const line = `${attempt} Agent failed (exit ${code})`;
    return goesOn ? [`${line}, restarting...`, `Agent failed with exit code ${code}, restarting ${next}`] : [line];
  }
  const resetAt = outcome.kind === 'limit' ? outcome.resetAt : null;
  const resets = resetAt === null ? '' : `; it resets at ${clockTime(resetAt)}`;
  const line = `Transient error: ${outcome.kind === 'limit' ? 'usage limit: ' : ''}${printable(outcome.reason)}${resets}`;
  return linesOf(line, goesOn && `Restarting agent ${next}`);
}

/** The seed's own words; the closing lines below them say the rest. */
function endingLines(ending: Ending): string[] {
  switch (ending.kind) {
    case 'iteration-limit':
      return [`Attempt ${ending.limit}: Max restarts exceeded, stopping`, 'error: max restarts exceeded'];
    case 'waiting':
      return ['Wait-without-restart signal detected'];
    case 'configuration':
    case 'auth':
    case 'blocked':
      return linesOf(`Fatal error: ${ending.reason}`, 'hint' in ending && `hint: ${ending.hint}`);
    case 'kept-failing':
      return ['error: the agent failed'];
    case 'done':
    case 'stopped':
      return [];
    default: {
      const reason = 'reason' in ending ? `: ${printable(ending.reason ?? '')}` : '';
      return [`error: ${ending.kind}${reason}`];
    }
  }
}
