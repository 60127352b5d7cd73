/** `ralph report`: what loops did while you were away, as text, Markdown, JSON or one HTML file. */

import { WIDTH, wrap } from '../../core/text/wrap.ts';
import type { Instant } from '../../core/time.ts';
import { isReadable, type ReadableLoop } from '../../engine/store/loop-store.ts';
import { writeFile } from '../../process/files.ts';
import { htmlReport } from '../../report/html.ts';
import { type LoopReport, type Report, type Reported, reportOf } from '../../report/report.ts';
import { headline, markdownReport, markOf, rowsOf } from '../../report/text.ts';
import { shortNames } from '../../state/short-names.ts';
import { cutToColumns } from '../../stream/columns.ts';
import { printable } from '../../stream/printable.ts';
import { findLoop } from '../../views/loop-names.ts';
import { placeName } from '../../views/loop-words.ts';
import { machineOf } from '../../views/machines.ts';
import { STYLES } from '../../views/paint.ts';
import { timelineOf } from '../../views/timeline/timeline.ts';
import { inOneLine } from '../../views/verdict-lines.ts';
import { clockTime } from '../terminal/words.ts';
import type { LoopsContext } from './context.ts';
import { formatOf } from './output-format.ts';

type Format = 'text' | 'markdown' | 'json' | 'html';

export interface ReportFlags {
  readonly since?: (now: Instant) => Instant;
  readonly format?: Format;
  readonly output?: string;
  readonly notify?: boolean;
}

const DAY_MS = 24 * 60 * 60_000;

export async function reportCommand(
  names: readonly string[],
  { since = (now) => now - DAY_MS, format, output, notify = false }: ReportFlags,
  context: LoopsContext,
): Promise<number> {
  const { store, cwd, now, say } = context;
  const all = await store.list();
  const short = shortNames(all.map(({ id }) => id));
  const from = since(now);
  const named = names.map((name) => findLoop(all, { name, cwd }));
  const loops = names.length > 0 ? named : all.filter(isReadable).filter((loop) => loop.updatedAt >= from);
  if (loops.length === 0) {
    say(`No loop has run since ${clockTime(from)}. To see all of them: ralph ls --all`);
    return 0;
  }
  const reported = (await Promise.all(loops.map((loop) => readLoop(loop, short, context)))).flat();
  const begin = names.length > 0 ? Math.min(...reported.map(({ timeline }) => timeline.startedAt)) : from;
  const report = reportOf(reported, { from: begin, to: now }, clockTime);
  const kind = format ?? formatOf<Format>(output, ENDINGS, 'text');
  if (output !== undefined) {
    writeFile(output, context.environment.mask(rendered(report, kind)), { mode: 0o600 });
    say(`Report written to ${output}`);
  } else if (kind === 'text') showReport(report, context);
  else process.stdout.write(context.environment.mask(rendered(report, kind)));
  if (notify) await (await import('../notify/report-notice.ts')).notifyOfReport(report, output ?? null, context);
  return 0;
}

/** Empty for a loop of a kind that this release does not know. */
async function readLoop(
  loop: ReadableLoop,
  short: ReadonlyMap<string, string>,
  context: LoopsContext,
): Promise<Reported[]> {
  const machine = await machineOf(loop.loopKind);
  if (machine === null) return [];
  const timeline = timelineOf(await context.store.records(loop.id), machine);
  // A report is read elsewhere, so paths are not relative to this directory.
  const place = placeName(loop.about.cwd ?? loop.cwd, '');
  return [{ loop, name: short.get(loop.id) ?? loop.id, place, timeline }];
}

const ENDINGS = { html: 'html', md: 'markdown', json: 'json', txt: 'text' } as const;

function rendered(report: Report, format: Format): string {
  if (format === 'html') return htmlReport(report, clockTime);
  if (format === 'markdown') return markdownReport(report, clockTime);
  if (format === 'json') return `${JSON.stringify(report, null, 2)}\n`;
  const lines = [...titleLines(report), ...report.loops.flatMap((loop) => ['', headOf(loop), ...bodyOf(loop)])];
  return `${lines.map(printable).join('\n')}\n`;
}

function showReport(report: Report, { say }: LoopsContext): void {
  for (const line of titleLines(report)) say(line);
  for (const loop of report.loops) {
    say('');
    say(headOf(loop), loop.mark === null ? 'reset' : STYLES[loop.mark]);
    for (const line of bodyOf(loop)) say(line);
  }
}

const titleLines = (report: Report): string[] => [
  `ralph report · since ${clockTime(report.from)}`,
  ...wrap(headline(report), '', '  '),
];

const headOf = (loop: LoopReport): string =>
  cutToColumns(inOneLine(`${markOf(loop)} ${loop.name} · ${loop.kind} · ${loop.place} · ${loop.outcome}`), WIDTH);

const NAME_WIDTH = 8;

function bodyOf(loop: LoopReport): string[] {
  return rowsOf(loop).flatMap(([name, words]) =>
    wrap(inOneLine(words), `    ${name.padEnd(NAME_WIDTH)} `, ' '.repeat(NAME_WIDTH + 5)),
  );
}
