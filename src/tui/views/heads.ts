/** Headings: of the whole screen, of an open loop, and the line of tabs. Pure. */
import { costText, plural, shortCount } from '../../core/budget/usage.ts';
import { humanDuration } from '../../core/closing/closing-summary.ts';
import { linesOf } from '../../core/text/lines-of.ts';
import { columnsOf, cutToColumns } from '../../stream/columns.ts';
import { CONDITION_MARKS, type Condition } from '../../views/loop-condition.ts';
import { costWords, iterationWords, placeName, workedFor } from '../../views/loop-words.ts';
import type { Around, LoopItem, Snapshot } from '../data.ts';
import { type Palette, STYLE_OF_CONDITION } from '../palette.ts';
import { tabsFor, type UiState } from '../state.ts';
import { inColumns, oneLine } from '../text.ts';
import { agentOf } from './loop-text.ts';

interface Drawing extends Around {
  readonly paint: Palette;
}

/** `ralph top   5 loops · 1 needs you · $17.03                    07:41  ? help` */
export function screenHead({ items }: Snapshot, width: number, { paint, now, clock }: Drawing): string {
  const count = (is: Condition): number => items.reduce((sum, one) => sum + (one.condition.is === is ? 1 : 0), 0);
  const [asking, working] = [count('needs-you'), count('working')];
  const cost = totalCost(items);
  // On a narrow screen, only the footer mentions the help.
  const isNarrow = width < 60;
  const right = ` ${clock(now).slice(-'07:41'.length)}${isNarrow ? '' : '  ? help '}`;
  const title = isNarrow ? ' ralph top  ' : ' ralph top   ';
  const parts = [
    plural(items.length, 'loop'),
    ...(asking > 0 ? [`${asking} ${asking === 1 ? 'needs' : 'need'} you`] : []),
    ...(working > 0 ? [`${working} working`] : []),
    ...(cost === null ? [] : [cost]),
  ];
  const room = Math.max(0, width - columnsOf(title) - columnsOf(right));
  const words = inColumns(parts.join(' · '), room);
  const lit = asking > 0 ? words.replace(/\d+ needs? you/, (text) => paint('yellow', text)) : words;
  return `${paint('bold', title)}${lit}${paint('dim', right)}`;
}

/** The cost of the loops that are shown; null if none of them reports it. */
function totalCost(items: readonly LoopItem[]): string | null {
  let [sum, isKnown, isEstimated, isAtLeast] = [0, false, false, false];
  for (const { runs, runsWithoutCost, costUsd, estimatedRuns } of items.map(({ loop }) => loop.usage)) {
    isAtLeast ||= runsWithoutCost > 0;
    if (runs <= runsWithoutCost) continue;
    isKnown = true;
    isEstimated ||= estimatedRuns !== undefined;
    sum += costUsd;
  }
  return isKnown ? costText(sum, { isEstimated, isAtLeast }) : null;
}

/** Three lines: the loop and its state, its figures, its task. */
export function loopHead(item: LoopItem, width: number, { paint, now, cwd, clock }: Drawing): string[] {
  const { loop, short, condition, activity, task } = item;
  const { about, usage } = loop;
  const style = STYLE_OF_CONDITION[condition.is];
  const place = oneLine(placeName(about.cwd ?? loop.cwd, cwd));
  const who = linesOf(short, oneLine(loop.loopKind), about.name !== undefined && oneLine(about.name), place).join(
    ' · ',
  );
  const state = `${CONDITION_MARKS[condition.is]} ${oneLine(condition.words)}`;
  const room = Math.max(0, width - columnsOf(state) - 3);
  const quiet = activity !== null && condition.is === 'working';
  const figures = linesOf(
    agentOf(loop),
    `iteration ${iterationWords(loop)}`,
    humanDuration(workedFor(loop, now)),
    quiet && `quiet ${humanDuration(Math.max(0, now - activity.changedAt))}`,
    usage.runs > usage.runsWithoutCost && costWords(usage),
    usage.runs > usage.runsWithoutTokens &&
      `${shortCount(usage.inputTokens)} tokens in, ${shortCount(usage.outputTokens)} out`,
    usage.toolCalls > 0 && plural(usage.toolCalls, 'tool call'),
    `started ${clock(loop.createdAt)}`,
  ).join(' · ');
  return [
    ` ${paint('bold', inColumns(who, room))} ${paint(style, state)} `,
    ` ${paint('dim', cutToColumns(figures, width - 2))}`,
    ` ${cutToColumns(oneLine(task ?? ''), width - 2)}`,
  ];
}

interface TabDrawing {
  readonly isAtEnd: boolean;
  readonly paint: Palette;
}

/** `── k3x9 ─ stream  checks  diff ───────── following ▼ ─` */
export function tabLine(
  state: UiState,
  { loop, short }: LoopItem,
  width: number,
  { isAtEnd, paint }: TabDrawing,
): string {
  const isStream = state.tab === 'stream';
  const end =
    isStream && state.scroll === null ? (loop.ending === null ? ' following ▼ ' : '') : isAtEnd ? '' : ' more ▼ ';
  const lead = state.at === 'list' ? `─ ${short} ─` : '──';
  const tabs = tabsFor(loop.loopKind);
  const names = tabs.map((tab) => ` ${tab} `);
  const room = width - columnsOf(lead) - columnsOf(end) - 1;
  const isFitting = names.join('').length <= room;
  const shown = isFitting ? tabs : [state.tab];
  const text = shown.map((tab) => (tab === state.tab ? paint.chosen(` ${tab} `) : paint('dim', ` ${tab} `))).join('');
  const used = shown.reduce((sum, tab) => sum + tab.length + 2, 0);
  const rule = '─'.repeat(Math.max(0, room - used));
  return `${paint('dim', lead)}${text}${paint('dim', `${rule}${end}─`)}`;
}
