/** The status of a running loop in words: one line of a terminal, cut to its width, or one line of a log. */

import { costText, shortCount } from '../../core/budget/usage.ts';
import { linesOf } from '../../core/text/lines-of.ts';
import type { Mask } from '../../core/text/mask.ts';
import type { Duration, Instant } from '../../core/time.ts';
import { columnsOf, cutToColumns } from '../../stream/columns.ts';
import { printable } from '../../stream/printable.ts';
import type { LivePhase, LiveView } from './live-status.ts';

/** A shorter silence is normal for an agent. */
const QUIET_FROM: Duration = 3000;
/** The detail gets at least this much room; otherwise, the least important figures are left out. */
const DETAIL_COLUMNS = 16;
const HOUR: Duration = 3_600_000;

/** ` ● 2/10 · work · 1m 04s · quiet 12s · $0.31 · 59K tokens · Bash npm run build`; leaves the last column free. */
export function statusLine(view: LiveView, now: Instant, columns: number, mask: Mask): string {
  const { phase } = view;
  const detail = detailOf(phase, mask);
  const figures = [...mainFigures(view, now), ...costFigures(view), ...tokenFigures(view)];
  const mark = phase.is === 'wait' || phase.is === 'paused' ? '◐' : '●';
  const room = columns - 1;
  const wanted = detail === '' ? 0 : Math.min(columnsOf(detail), DETAIL_COLUMNS) + 3;
  while (figures.length > 2 && columnsOf(line(mark, figures)) + wanted > room) figures.pop();
  return cutToColumns(line(mark, linesOf(...figures, detail !== '' && detail)), room);
}

/** `[07:41] 2/10 work, 4m 10s, quiet 35s, $0.62, 59K tokens` */
export function heartbeatLine(view: LiveView, now: Instant): string {
  const [iteration = '', phase = '', ...rest] = mainFigures(view, now);
  const figures = [`${iteration} ${phase}`, ...rest, ...costFigures(view), ...tokenFigures(view)];
  return `[${clock(now)}] ${figures.join(', ')}`;
}

const line = (mark: string, parts: readonly string[]): string => ` ${mark} ${parts.join(' · ')}`;

function mainFigures({ iteration, limit, phase }: LiveView, now: Instant): string[] {
  const number = limit === null ? String(iteration) : `${iteration}/${limit}`;
  if (phase.is === 'wait') return [number, waiting(phase.until, now)];
  const name = phase.is === 'paused' ? (phase.question === null ? 'paused' : 'needs you') : inOneLine(phase.name);
  const quiet = phase.is === 'run' ? now - (phase.lastSign ?? now) : 0;
  return linesOf(number, name, elapsed(now - phase.since), quiet >= QUIET_FROM && `quiet ${elapsed(quiet)}`);
}

const costFigures = ({ cost }: LiveView): string[] => (cost === null ? [] : [costText(cost.usd, cost)]);

const tokenFigures = ({ tokens }: LiveView): string[] => (tokens === null ? [] : [`${shortCount(tokens)} tokens`]);

function detailOf(phase: LivePhase, mask: Mask): string {
  if (phase.is === 'run') return mask(inOneLine(phase.tool));
  if (phase.is === 'paused') return mask(inOneLine(phase.question ?? ''));
  return phase.is === 'step' ? mask(inOneLine(phase.detail)) : '';
}

function waiting(until: Instant, now: Instant): string {
  const left = Math.max(0, until - now);
  if (left < HOUR) return `waiting, ${elapsed(left)} left`;
  const day = new Date(until).toDateString() === new Date(now).toDateString() ? '' : `${weekday(until)} `;
  return `waiting until ${day}${clock(until)}`;
}

const weekday = (at: Instant): string => new Date(at).toDateString().slice(0, 3);

/** `07:41`, in local time. */
const clock = (at: Instant): string => new Date(at).toTimeString().slice(0, 5);

/** `12s`, `1m 04s`, `2h 05m` */
function elapsed(ms: Duration): string {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  const minutes = Math.floor(seconds / 60);
  const padded = (figure: number): string => String(figure).padStart(2, '0');
  if (minutes >= 60) return `${Math.floor(minutes / 60)}h ${padded(minutes % 60)}m`;
  return minutes > 0 ? `${minutes}m ${padded(seconds % 60)}s` : `${seconds}s`;
}

/** Marks that change the writing direction would shuffle the whole line. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

function inOneLine(text: string): string {
  return printable(text).replaceAll(DIRECTIONS, '').replaceAll(/\s+/g, ' ').trim();
}
