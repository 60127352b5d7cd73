/** All that ends a run of an agent before it ends by itself, in one place, and what such an end means for its outcome. */
import { join } from 'node:path';
import { judgeRun, type RunOutput } from '../../agents/run-output-reader.ts';
import type { RunLimits } from '../../core/action.ts';
import type { AgentEvent, CallUsage } from '../../core/events.ts';
import type { Exit, Outcome } from '../../core/outcome.ts';
import type { Ran } from '../../core/record.ts';
import { type BudgetUse, isOver, timeToWarning, warningDuring } from '../../core/terms.ts';
import { formatDuration } from '../../core/text/duration.ts';
import type { Duration } from '../../core/time.ts';
import { activityOf } from '../../process/activity.ts';
import { readTrace } from '../../process/trace.ts';
import { type RunFiles, transcriptOf } from '../../runners/runner.ts';
import { hangLimit } from './hang-limit.ts';
import { idleLimit, LONGEST_TIMER, lingerLimit, sizeOf, timeLimit } from './limits.ts';
import type { PerformAt } from './perform.ts';

/** It has said its last word: what keeps it from exiting is not waited for. */
const LINGER_MS: Duration = 30_000;
const FINISHED: Exit = { by: 'code', code: 0 };

export interface LimitedRun {
  /** Ends the run. */
  readonly signal: AbortSignal;
  /** What it tells on the way. */
  heard(event: AgentEvent): void;
  used(usage: CallUsage): void;
  finished(): void;
  close(): void;
  judge(exit: Exit, output: RunOutput): Judged;
}

interface Judged {
  readonly outcome: Outcome;
  readonly endedBy: NonNullable<Ran['endedBy']> | null;
  /** By a limit of seed 002, which names both. */
  readonly limited: 'idle' | 'total' | null;
}

export function limitRun(
  run: RunFiles,
  limits: RunLimits,
  { signal, warn }: Pick<PerformAt, 'signal' | 'warn'>,
): LimitedRun {
  const output = transcriptOf(run);
  const time = timeLimit(limits.timeMs, signal);
  const idle = idleLimit(output, limits.idleMs, time.signal);
  const [hopeless, spent] = [new AbortController(), new AbortController()];
  const linger = lingerLimit(LINGER_MS);
  const files = [output.stdout, output.stderr].map((file) => join(output.folder, file));
  const look = async () => {
    const trace = readTrace(run.folder, run.mark);
    return trace === null ? null : activityOf(trace);
  };
  const warnOf = (use: BudgetUse | null): void => {
    if (use !== null) warn?.(use);
  };
  const clock = timeWarning(limits, warnOf);
  const { hangMs = null } = limits;
  const hang = hangLimit(hangMs, { size: () => sizeOf(files), look });
  return {
    signal: AbortSignal.any([idle.signal, hopeless.signal, spent.signal, linger.signal, hang.signal]),
    heard: (event) => {
      if (event.type === 'fault' && event.isHopeless === true) hopeless.abort();
    },
    used: (usage) => {
      if (limits.budget !== undefined && isOver(usage, limits.budget)) spent.abort();
      else for (const part of limits.unwarned ?? []) warnOf(warningDuring(part, usage));
    },
    finished: linger.finished,
    close: () => {
      for (const { close } of [idle, linger, hang]) close();
      clearTimeout(clock);
    },
    judge(exit, heard) {
      const [late, quiet] = [time.expired(), idle.expired()];
      const judged = judgeRun(late ?? quiet ?? (linger.signal.aborted ? FINISHED : exit), heard);
      const hangs = hang.signal.aborted && judged.kind !== 'worked';
      return {
        outcome: hangs ? { kind: 'hang', reason: hangReason(hangMs ?? 0) } : judged,
        endedBy:
          spent.signal.aborted || heard.account?.isOutOfBudget === true
            ? 'budget'
            : quiet === null
              ? null
              : 'inactivity',
        limited: quiet !== null ? 'idle' : late !== null ? 'total' : null,
      };
    },
  };
}

/** Time passes also while an agent says nothing. */
function timeWarning({ unwarned = [] }: RunLimits, warn: (use: BudgetUse) => void): NodeJS.Timeout | undefined {
  const part = unwarned.find(({ of }) => of === 'time');
  const [used, inMs] = part === undefined ? [0, Number.POSITIVE_INFINITY] : timeToWarning(part);
  if (part === undefined || inMs > LONGEST_TIMER) return undefined;
  return setTimeout(() => warn({ ...part, used }), inMs);
}

const hangReason = (ms: Duration): string =>
  `it printed nothing, used no CPU and heard nothing from the network for ${formatDuration(ms)}`;
