/** The time line of a loop for people: one row per iteration, with its checks and findings below. Pure. */
import { plural, shortCount } from '../core/budget/usage.ts';
import { type Clock, describeLeft, endingDetails, humanDuration } from '../core/closing/closing-summary.ts';
import { inShort } from '../core/review/review.ts';
import { linesOf } from '../core/text/lines-of.ts';
import { WIDTH, wrap } from '../core/text/wrap.ts';
import { columnsOf, cutToColumns, padToColumns } from '../stream/columns.ts';
import { STYLES } from './paint.ts';
import type { CheckRow, Iteration, ProofRow, ReviewRow } from './timeline/iteration.ts';
import { madeCommits } from './timeline/iteration-commits.ts';
import { costWords } from './timeline/spent.ts';
import type { Timeline } from './timeline/timeline.ts';
import { inOneLine, secondsOf } from './verdict-lines.ts';

export interface ShowLine {
  readonly text: string;
  readonly style?: 'green' | 'red' | 'yellow' | 'dim';
}

interface Shown {
  /** What to call the loop and its directory. */
  readonly name: string;
  readonly place: string;
  /** `2026-11-17 07:38` */
  readonly clock: Clock;
  /** Columns of a line (default: 80). */
  readonly width?: number;
}

const WIDEST_BAR = 20;
const AGENT = '█';
const CHECKS = '▒';
const LONGEST_EXIT = 32;

export function showLines(timeline: Timeline, shown: Shown): ShowLine[] {
  const { iterations, task } = timeline;
  const { width = WIDTH } = shown;
  const longest = Math.max(1, ...iterations.map(({ agentMs, checksMs }) => agentMs + checksMs));
  const scale: Scale = {
    longest,
    width,
    // On a narrower screen, the bar shrinks.
    bar: Math.max(4, WIDEST_BAR - (WIDTH - width)),
    numbers: String(iterations.at(-1)?.number ?? 0).length,
    hasCost: iterations.some(({ costUsd }) => costUsd !== null),
  };
  const indent = ' '.repeat('07:38  '.length + scale.numbers + 2);
  const days = iterations.map(({ startedAt }) => shown.clock(startedAt).split(' ', 1)[0]);
  const rows = iterations.flatMap((iteration, index) => [
    // The heading has the day of the first one.
    ...(index > 0 && days[index] !== days[index - 1] ? [{ text: days[index] ?? '', style: 'dim' } as const] : []),
    ...iterationLines(iteration, scale, indent, shown.clock),
  ]);
  return [
    ...headLines(timeline, shown),
    ...(task === null ? [] : [{ text: cutToColumns(inOneLine(task), width) }]),
    { text: '' },
    ...rows,
    ...(rows.length === 0 ? [] : [{ text: `${indent}${AGENT} agent  ${CHECKS} checks`, style: 'dim' } as const]),
    ...totalLines(timeline, width),
    ...endingLines(timeline, shown.clock, width),
  ];
}

function headLines(
  { loopKind, agent, startedAt, at, ending }: Timeline,
  { name, place, clock, width = WIDTH }: Shown,
): ShowLine[] {
  const parts = linesOf(name, loopKind, inOneLine(place), agent !== null && inOneLine(agent)).join(' · ');
  const [started, last] = [clock(startedAt), clock(at)];
  const isSameDay = started.split(' ', 1)[0] === last.split(' ', 1)[0];
  const until = isSameDay ? last.slice(-'07:38'.length) : last;
  const times = `started ${started}, ${ending === null ? 'last seen' : 'ended'} ${until}`;
  const together = `${parts} · ${times}`;
  const lines = columnsOf(together) <= width ? [together] : [cutToColumns(parts, width), ...wrap(times, '', '', width)];
  return lines.map((text) => ({ text }));
}

interface Scale {
  readonly longest: number;
  readonly width: number;
  readonly bar: number;
  readonly numbers: number;
  readonly hasCost: boolean;
}

function iterationLines(iteration: Iteration, scale: Scale, indent: string, clock: Clock): ShowLine[] {
  const { number, startedAt, workedMs, waitedMs, outcome, tries, fallback, commit, filesChanged } = iteration;
  const { published, faults } = iteration;
  const cost = scale.hasCost ? [costWords(iteration).padStart(7)] : [];
  const figures = [
    clock(startedAt).slice(-'07:38'.length),
    String(number).padStart(scale.numbers),
    padToColumns(bar(iteration, scale), scale.bar),
    humanDuration(workedMs - waitedMs).padStart(7),
    ...cost,
  ].join('  ');
  const words = linesOf(
    inOneLine(outcome.words),
    commit !== null && `→ ${commit.slice(0, 7)}`,
    tries > 1 && `(try ${tries})`,
    fallback !== undefined && `by ${inOneLine(fallback)}`,
  ).join(' ');
  const failed = published.filter(({ status }) => status === 'failed');
  const below = [
    ...joined(
      [
        ...iteration.checks.map((check) => checkWords(check, scale.width - indent.length)),
        ...(iteration.proof === null ? [] : [proofWords(iteration.proof)]),
        ...(iteration.reviews ?? []).map((review) => reviewWords(review, scale.width - indent.length)),
        ...(filesChanged === null ? [] : [`${plural(filesChanged, 'file')} changed`]),
        ...madeCommits(iteration).flatMap(({ by, name }) => (by === 'agent' ? [`agent moved HEAD ${name}`] : [])),
      ],
      scale.width - indent.length,
    ),
    ...(iteration.proof?.findings ?? []).map(inOneLine),
    ...(iteration.isPivot === true ? ['stuck: the agent was asked for a different plan'] : []),
    ...failed.map(({ task, detail }) => `${task} ✗ ${inOneLine(detail)}`),
    ...faults.map(inOneLine),
  ];
  const row = { text: cutToColumns(`${figures}  ${words}`, scale.width) };
  return [
    outcome.mark === null ? row : { ...row, style: STYLES[outcome.mark] },
    ...below.map((text) => ({ text: `${indent}${cutToColumns(text, scale.width - indent.length)}` })),
  ];
}

function bar({ agentMs, checksMs }: Iteration, { longest, bar: widest }: Scale): string {
  const cells = (ms: number): number => (ms === 0 ? 0 : Math.max(1, Math.round((ms / longest) * widest)));
  const checks = Math.min(cells(checksMs), widest - 1);
  return AGENT.repeat(Math.min(cells(agentMs), widest - checks)) + CHECKS.repeat(checks);
}

/** A long name is cut, never the verdict. */
function checkWords({ label, passed, how, durationMs }: CheckRow, room: number): string {
  const verdict = passed ? ' ✓' : ` ✗ ${cutToColumns(inOneLine(how), LONGEST_EXIT)} (${secondsOf(durationMs)})`;
  return cutToColumns(inOneLine(label), room - columnsOf(verdict)) + verdict;
}

const proofWords = ({ passed, durationMs }: ProofRow): string => `proof ${passed ? '✓' : '✗'} ${secondsOf(durationMs)}`;

/** `review by codex ✗ src/a.js returns the expected value …` */
function reviewWords({ by, is, words }: ReviewRow, room: number): string {
  const mark = is === 'approved' ? '✓' : is === 'rejected' ? '✗' : '– no verdict:';
  const who = by === null ? 'review' : `review by ${inOneLine(by)}`;
  return cutToColumns(`${who} ${mark} ${inOneLine(inShort(words))}`.trimEnd(), room);
}

/** Joins the parts into lines, as many to a line as fit. */
function joined(parts: readonly string[], room: number): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const longer = lines.length === 0 ? part : `${lines.at(-1)} · ${part}`;
    if (lines.length > 0 && columnsOf(longer) <= room) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines;
}

function totalLines({ iterations, totals }: Timeline, width: number): ShowLine[] {
  const { workedMs, agentMs, checksMs, waitedMs, costUsd, inputTokens, outputTokens, toolCalls } = totals;
  const spans = Object.entries({ agent: agentMs, checks: checksMs, waiting: waitedMs });
  const parts = spans.filter(([, ms]) => ms >= 500).map(([what, ms]) => `${what} ${humanDuration(ms)}`);
  const detail = parts.length === 0 ? '' : ` (${parts.join(', ')})`;
  const words = linesOf(
    plural(iterations.length, 'iteration'),
    `${humanDuration(workedMs)}${detail}`,
    costUsd === null ? 'cost unknown' : costWords(totals),
    inputTokens !== null && `${shortCount(inputTokens)} tokens in`,
    outputTokens !== null && `${shortCount(outputTokens)} out`,
    toolCalls !== null && plural(toolCalls, 'tool call'),
  ).join(', ');
  return wrap(`total  ${words}`, '', '       ', width).map((text) => ({ text }));
}

/** Where the claim that ended the loop was proved, worded like the closing line; null if it was not. */
function provedIn(iterations: Timeline['iterations']): string | null {
  const last = iterations.flatMap(({ proof }) => proof ?? []).at(-1);
  if (last?.passed !== true) return null;
  return last.commit === null ? 'proved in a clean checkout' : `proved at ${last.commit.slice(0, 7)}`;
}

function endingLines({ ending, iterations }: Timeline, clock: Clock, width: number): ShowLine[] {
  if (ending === null) return [];
  const { mark, outcome } = describeLeft(ending, iterations.length);
  const details = endingDetails(ending, clock).flatMap((sentence) =>
    wrap(inOneLine(sentence), '       ', '       ', width),
  );
  const proved = ending.kind === 'done' ? provedIn(iterations) : null;
  const words = `ended  ${outcome}${proved === null ? '' : `, ${proved}`}`;
  const ended = wrap(words, '', '       ', width).map((text) => ({ text, style: STYLES[mark] }));
  return [...ended, ...details.map((text) => ({ text }))];
}
