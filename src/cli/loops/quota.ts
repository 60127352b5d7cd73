/** `ralph quota`: how much of their usage windows the agents have used, as they last reported. */
import { percent, type QuotaWindow, windowName } from '../../core/budget/quota.ts';
import { defined } from '../../core/defined.ts';
import type { Duration, Instant } from '../../core/time.ts';
import { type QuotaSample, readQuotas } from '../../state/quota-file.ts';
import { columnsOf, padToColumns } from '../../stream/columns.ts';
import { roughly, shortClock } from '../../views/loop-words.ts';
import type { LoopsContext } from './context.ts';

/** Figures get stale, because you and other programs use the same windows. */
const STALE_AFTER: Duration = 3 * 60 * 60_000;

export async function quotaCommand({ json = false }, { environment, now, say }: LoopsContext): Promise<number> {
  const samples = readQuotas(environment.root);
  if (json)
    say(
      JSON.stringify(
        samples.map((sample) => quotaData(sample, now)),
        null,
        2,
      ),
    );
  else for (const line of quotaLines(samples, now)) say(line);
  return 0;
}

/** A window that has reset since, or a sample that is hours old, says little about now. */
const isStale = ({ resetsAt }: QuotaWindow, at: Instant, now: Instant): boolean =>
  (resetsAt !== null && resetsAt <= now) || now - at > STALE_AFTER;

function quotaData({ agent, at, windows, isRehearsal }: QuotaSample, now: Instant) {
  return {
    agent,
    at,
    ...defined({ isRehearsal }),
    windows: windows.map((window) => ({ ...window, isStale: isStale(window, at, now) })),
  };
}

export function quotaLines(samples: readonly QuotaSample[], now: Instant): string[] {
  const nameOf = ({ agent, isRehearsal }: QuotaSample): string => `${agent}${isRehearsal ? ' (rehearsal)' : ''}`;
  const rows = samples.flatMap((sample) =>
    sample.windows.map((window) => rowOf(nameOf(sample), window, sample.at, now)),
  );
  if (rows.length === 0) {
    return [
      'No agent has reported its usage windows yet. Claude Code and Codex report them, with a subscription, when a loop runs them.',
    ];
  }
  const all = [['agent', 'window', 'used', 'resets', 'as of'], ...rows];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => columnsOf(row[column] ?? '')))) ?? [];
  return all.map((row) =>
    row
      .map((cell, column) => padToColumns(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function rowOf(agent: string, window: QuotaWindow, at: Instant, now: Instant): string[] {
  const { resetsAt, used } = window;
  const hasReset = resetsAt !== null && resetsAt <= now;
  const clock = shortClock(now);
  const resets = resetsAt === null ? '–' : hasReset ? `has reset (${clock(resetsAt)})` : clock(resetsAt);
  const age = `${roughly(now - at)} ago${isStale(window, at, now) ? ' (stale)' : ''}`;
  return [agent, windowName(window), percent(used), resets, age];
}
