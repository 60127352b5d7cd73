/** Everything that ends an agent's run before it ends by itself, and what such an end means for its outcome. */
import { join } from 'node:path';
import { judgeRun, type RunOutput } from '../../agents/run-output-reader.ts';
import type { RunLimits } from '../../core/action.ts';
import {
  type BudgetUse,
  isOver,
  isTimeToWrapUp,
  timeToWarning,
  timeToWrapUp,
  warningDuring,
} from '../../core/budget/terms.ts';
import type { AgentEvent, CallUsage } from '../../core/events.ts';
import type { Exit, Outcome } from '../../core/outcome.ts';
import type { Ran } from '../../core/record.ts';
import { formatDuration } from '../../core/text/duration.ts';
import type { Duration } from '../../core/time.ts';
import { activityOf, SEES_TCP } from '../../process/activity.ts';
import { readTrace } from '../../process/trace.ts';
import { type RunFiles, transcriptOf } from '../../runners/runner.ts';
import { hangLimit } from './hang-limit.ts';
import { idleLimit, LONGEST_TIMER, lingerLimit, sizeOf, timeLimit } from './limits.ts';
import type { PerformAt } from './perform.ts';

/** How long an agent may stay after its last message: whatever keeps it from exiting is not waited for. */
const LINGER_MS: Duration = 30_000;
type Reason = 'hopeless' | 'spent' | 'lingers' | 'hangs';
const FINISHED: Exit = { by: 'code', code: 0 };

export interface LimitedRun {
  /** Aborted when the run must end. */
  readonly signal: AbortSignal;
  /** What the agent reports while it runs. */
  heard(event: AgentEvent): void;
  used(usage: CallUsage): void;
  finished(): void;
  close(): void;
  judge(exit: Exit, output: RunOutput): Judged;
}

type LimitPorts = Pick<PerformAt, 'signal' | 'warn'> & {
  /** Asks the agent to finish by itself; asking twice has no further effect. */
  readonly wrapUp?: (() => void) | undefined;
};

interface Judged {
  readonly outcome: Outcome;
  readonly endedBy: NonNullable<Ran['endedBy']> | null;
  /** Which limit ended it: seed 002 names both. */
  readonly limited: 'idle' | 'total' | null;
}

export function limitRun(run: RunFiles, limits: RunLimits, { signal, warn, wrapUp }: LimitPorts): LimitedRun {
  const output = transcriptOf(run);
  const time = timeLimit(limits.timeMs, signal);
  const idle = idleLimit(output, limits.idleMs, time.signal);
  // One signal for all reasons: creating and joining one for each would cost time at every start.
  const ending = new AbortController();
  const reasons = new Set<Reason>();
  const end = (reason: Reason): void => {
    reasons.add(reason);
    ending.abort();
  };
  const linger = lingerLimit(LINGER_MS, () => end('lingers'));
  const files = [output.stdout, output.stderr].map((file) => join(output.folder, file));
  const look = async () => {
    const trace = readTrace(run.folder, run.mark);
    return trace === null ? null : activityOf(trace);
  };
  const warnOf = (use: BudgetUse | null): void => {
    if (use !== null) warn?.(use);
  };
  const timeOf = (parts: readonly BudgetUse[] = []): BudgetUse[] => parts.filter(({ of }) => of === 'time');
  // Time passes even while an agent prints nothing.
  const clocks = [
    ...timeOf(limits.unwarned).map((part) =>
      clockFor(timeToWarning(part), () => warnOf({ ...part, used: part.used + timeToWarning(part) })),
    ),
    ...timeOf(limits.spending).map((part) => clockFor(timeToWrapUp(part), () => wrapUp?.())),
  ];
  const { hangMs = null } = limits;
  const hang = hangLimit(hangMs, { size: () => sizeOf(files), look }, () => end('hangs'));
  return {
    signal: AbortSignal.any([idle.signal, ending.signal]),
    heard: (event) => {
      if (event.type === 'fault' && event.isHopeless === true) end('hopeless');
    },
    used: (usage) => {
      if (limits.budget !== undefined && isOver(usage, limits.budget)) end('spent');
      else for (const part of limits.unwarned ?? []) warnOf(warningDuring(part, usage));
      if (limits.spending?.some((part) => isTimeToWrapUp(part, usage)) === true) wrapUp?.();
    },
    finished: () => {
      // From here on the agent lingers: its work counts, unlike that of one that hangs.
      hang.close();
      linger.finished();
    },
    close: () => {
      for (const { close } of [idle, linger, hang]) close();
      for (const clock of clocks) clearTimeout(clock);
    },
    judge(exit, heard) {
      const [late, quiet] = [time.expired(), idle.expired()];
      const judged = judgeRun(late ?? quiet ?? (reasons.has('lingers') ? FINISHED : exit), heard);
      const hangs = reasons.has('hangs') && judged.kind !== 'worked';
      return {
        outcome: hangs ? { kind: 'hang', reason: hangReason(hangMs ?? 0) } : judged,
        endedBy:
          reasons.has('spent') || heard.account?.isOutOfBudget === true
            ? 'budget'
            : quiet === null
              ? null
              : 'inactivity',
        limited: quiet !== null ? 'idle' : late !== null ? 'total' : null,
      };
    },
  };
}

function clockFor(ms: Duration, act: () => void): NodeJS.Timeout | undefined {
  return ms > LONGEST_TIMER ? undefined : setTimeout(act, ms);
}

const hangReason = (ms: Duration): string =>
  `it printed nothing${SEES_TCP ? ', used no CPU and received nothing from the network' : ' and used no CPU'} for ${formatDuration(ms)}`;
