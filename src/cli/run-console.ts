/** Shows a `ralph run` loop on the console: the agent on stdout, everything about the loop on stderr. */
import type { Ending } from '../core/ending.ts';
import { describeExit, type Outcome } from '../core/outcome.ts';
import type { Recorded } from '../core/record.ts';
import type { LoopState } from '../core/state.ts';
import type { RunData } from '../doors/run/rules.ts';
import type { Driven } from '../engine/drive.ts';
import type { LoopEvent } from '../engine/events.ts';
import { eventFormatter } from '../stream/formatter.ts';
import { printable } from '../stream/printable.ts';

export interface RunConsole {
  show(event: LoopEvent<RunData>): void;
  close(driven: Driven): void;
}

interface Sink {
  write(text: string): unknown;
}

export function runConsole(stdout: Sink, stderr: Sink): RunConsole {
  const say = (line: string): unknown => stderr.write(`${line}\n`);
  let format = eventFormatter();
  return {
    show(event) {
      switch (event.type) {
        case 'action':
          if (event.action.do === 'start' && event.action.run.purpose === 'work') {
            format = eventFormatter();
            say(`\n=== Ralph iteration ${event.state.iteration}/${limitOf(event.state)} ===`);
          }
          if (event.action.do === 'check') say(`Guardrail start: ${event.action.check.command}`);
          return;
        case 'progress': {
          // The commit message's run is shown by what comes of it.
          if (event.run.purpose !== 'work') return;
          if (event.event.type === 'stderr') stderr.write(`${printable(event.event.text)}\n`);
          const text = format(event.event);
          if (text !== '') stdout.write(text);
          return;
        }
        case 'record':
          for (const line of linesOf(event.record, event.state)) say(line);
      }
    },
    close(driven) {
      if (driven.kind === 'ended') say(endingLine(driven.ending));
      else say('Stopped. The loop is unfinished; to go on: ralph resume');
    },
  };
}

function linesOf({ result }: Recorded, state: LoopState<RunData>): string[] {
  switch (result.kind) {
    case 'ran':
      return outcomeLines(result.outcome);
    case 'checked': {
      const guardrail = state.data.inputs?.guardrails[result.index];
      const verdict = result.passed
        ? `(${describeExit(result.exit)})`
        : `(${describeExit(result.exit)}, action=${guardrail?.failAction})`;
      const isLast = result.index + 1 === state.data.inputs?.guardrails.length;
      const allPassed = isLast && result.passed && state.data.feedback.length === 0 && state.data.failures.length === 0;
      return [`Guardrail end: ${guardrail?.command} ${verdict}`, ...(allPassed ? ['All guardrails passed'] : [])];
    }
    case 'published':
      if (result.status === 'failed') return [`SCM error: ${printable(result.detail)}`];
      if (result.status === 'nothing') return ['SCM: nothing to commit'];
      return [`SCM: ${result.task} ${result.detail.slice(0, 12)}`.trimEnd()];
    default:
      return [];
  }
}

function outcomeLines(outcome: Outcome): string[] {
  switch (outcome.kind) {
    case 'worked':
      return [];
    case 'failed':
      return [`Agent failed (${describeExit(outcome.exit)})`];
    default:
      return [`Agent ${outcome.kind}: ${outcome.reason}`];
  }
}

function endingLine(ending: Ending): string {
  switch (ending.kind) {
    case 'done':
      return 'Completion response matched';
    case 'iteration-limit':
      return 'Maximum iterations reached without completion response.';
    case 'kept-failing':
      return `${ending.failures} consecutive failures, stopping loop`;
    case 'configuration':
      return `error: ${ending.reason}${ending.hint === undefined ? '' : `\nhint: ${ending.hint}`}`;
    case 'usage-limit':
    case 'auth':
    case 'blocked':
    case 'tampered':
    case 'infrastructure':
      return `error: ${ending.kind}: ${ending.reason}`;
  }
}

function limitOf(state: LoopState<RunData>): number {
  return state.data.inputs?.maximumIterations ?? 0;
}
