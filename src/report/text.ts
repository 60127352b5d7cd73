/** The report as text for a terminal, and as Markdown. Pure. */

import { plural, shortCount, times } from '../core/budget/usage.ts';
import { humanDuration, MARKS } from '../core/closing/closing-summary.ts';
import { linesOf } from '../core/text/lines-of.ts';
import { escapeMarkdown as escaped } from '../core/text/markdown.ts';
import type { Instant } from '../core/time.ts';
import type { Iteration } from '../views/timeline/iteration.ts';
import { madeCommits } from '../views/timeline/iteration-commits.ts';
import { costWords } from '../views/timeline/spent.ts';
import type { CheckReport, LoopReport, Report } from './report.ts';

type Clock = (at: Instant) => string;

/** `3 loops: 1 needs you, 2 done · $17.03 · worked 5h 2m, waited 2h 14m` */
export function headline({ loops, totals }: Report): string {
  const count = (mark: LoopReport['mark']): number => loops.filter((loop) => loop.mark === mark).length;
  const states = linesOf(
    count('needs-you') > 0 && `${count('needs-you')} ${count('needs-you') === 1 ? 'needs' : 'need'} you`,
    count('failed') > 0 && `${count('failed')} failed`,
    count(null) > 0 && `${count(null)} running`,
    count('done') > 0 && `${count('done')} done`,
  ).join(', ');
  const time = linesOf(
    `worked ${humanDuration(totals.workedMs)}`,
    totals.waitedMs >= 60_000 && `waited ${humanDuration(totals.waitedMs)}`,
  ).join(', ');
  const cost = totals.costUsd === null ? 'cost unknown' : costWords(totals);
  return [`${plural(loops.length, 'loop')}: ${states}`, cost, time].join(' · ');
}

export const markOf = ({ mark }: Pick<LoopReport, 'mark'>): string => (mark === null ? '●' : MARKS[mark]);

/** `npm test ✓ (failed twice before)` */
export function checkWords({ label, passed, failed, last }: CheckReport): string {
  if (last !== null) return `${label} ✗ ${last}${passed > 0 ? ` (passed ${times(passed)} before)` : ''}`;
  return `${label} ✓${failed > 0 ? ` (failed ${times(failed)} before)` : ''}`;
}

export function spentWords({ spent, workedMs, waitedMs }: LoopReport): string {
  const { costUsd, inputTokens, outputTokens } = spent;
  return linesOf(
    humanDuration(workedMs),
    waitedMs >= 60_000 && `waited ${humanDuration(waitedMs)}`,
    costUsd === null ? 'cost unknown' : costWords(spent),
    inputTokens !== null && outputTokens !== null && `${shortCount(inputTokens + outputTokens)} tokens`,
  ).join(', ');
}

/** `1234567..89abcde (agent)`, `51affc0` */
export const commitsIn = (iteration: Iteration): string[] =>
  madeCommits(iteration).map(({ by, name }) => (by === 'agent' ? `${name} (agent)` : name));

export const faultWords = ({ what, count }: LoopReport['faults'][number]): string =>
  count === 1 ? what : `${what} (${times(count)})`;

/** The rows worth showing, each with its name. */
export function rowsOf(loop: LoopReport): (readonly [name: string, words: string])[] {
  const { agent, checks, details, faults, next, spent, task } = loop;
  const commits = loop.iterations.flatMap(commitsIn);
  const models = spent.models.length === 0 ? '' : ` (${spent.models.join(', ')})`;
  const rows: readonly (readonly [string, string | false])[] = [
    ['task', task ?? false],
    ['agent', agent !== null && `${agent}${models}`],
    ...details.map((detail) => ['why', detail] as const),
    ['checks', checks.length > 0 && checks.map(checkWords).join(' · ')],
    ['commits', commits.length > 0 && commits.join(' ')],
    ['faults', faults.length > 0 && faults.map(faultWords).join('; ')],
    ['used', spentWords(loop)],
    ['next', next ?? false],
  ];
  return rows.flatMap(([name, words]) => (words === false ? [] : [[name, words] as const]));
}

export function markdownReport(report: Report, clock: Clock): string {
  const { from, to, loops } = report;
  const title = `# ralph report, ${clock(from)} to ${clock(to)}`;
  const parts = loops.map((loop) => {
    const head = `## ${markOf(loop)} ${escaped(`${loop.name} · ${loop.kind} · ${loop.place}: ${loop.outcome}`)}`;
    const rows = rowsOf(loop).map(([name, words]) => {
      return `- **${name}**: ${name === 'next' ? `\`${words}\`` : escaped(words)}`;
    });
    return [head, '', ...rows].join('\n');
  });
  return `${[title, escaped(headline(report)), ...parts].join('\n\n')}\n`;
}
