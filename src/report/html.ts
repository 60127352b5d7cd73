/** The report as one self-contained HTML file: no script, no outside address. Pure; all text is escaped. */
import { humanDuration } from '../core/closing/closing-summary.ts';
import { escapeHtml } from '../core/text/markup.ts';
import type { Instant } from '../core/time.ts';
import type { Iteration } from '../views/timeline/iteration.ts';
import { costWords } from '../views/timeline/spent.ts';
import { costPlot, timePlot, timesPlot } from './plots.ts';
import type { LoopReport, Report } from './report.ts';
import { commitsIn, headline, markOf, rowsOf } from './text.ts';

type Clock = (at: Instant) => string;

/** Even text that was not escaped could load and run nothing. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2128; --dim: #656d76; --line: #d0d7de; --page: #fff; --box: #f6f8fa;
  --done: #1a7f37; --failed: #cf222e; --needs: #9a6700; --open: #57606a; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --dim: #8d96a0; --line: #30363d; --page: #0d1117;
  --box: #161b22; --done: #3fb950; --failed: #f85149; --needs: #d29922; --open: #8d96a0; } }
body { margin: 2rem auto; max-width: 50rem; padding: 0 1rem; color: var(--ink); background: var(--page);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; margin: 0; } h2 { font-size: 1.05rem; margin: 0; }
section { border: 1px solid var(--line); border-radius: 8px; margin: 1rem 0; padding: 1rem; background: var(--box); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: .6rem 0; }
dt { color: var(--dim); } dd { margin: 0; overflow-wrap: anywhere; }
code { font: 13px ui-monospace, monospace; }
figure { margin: .8rem 0 0; } figcaption { color: var(--dim); font-size: .8rem; }
svg { width: 100%; height: auto; } text { fill: var(--ink); font: 12px ui-monospace, monospace; }
.dim { fill: var(--dim); color: var(--dim); } .done { fill: var(--done); color: var(--done); }
.failed { fill: var(--failed); color: var(--failed); } .needs-you { fill: var(--needs); color: var(--needs); }
.open { fill: var(--open); }
table { border-collapse: collapse; width: 100%; font-size: .85rem; } summary { cursor: pointer; color: var(--dim); }
td, th { text-align: left; padding: .15rem .6rem .15rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.number { text-align: right; font-variant-numeric: tabular-nums; }`;

export function htmlReport(report: Report, clock: Clock): string {
  const title = `ralph report, ${clock(report.from)} to ${clock(report.to)}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(headline(report))}</p>
${timePlot(report, clock)}
${report.loops.map((loop) => section(loop, clock)).join('\n')}
</body>
</html>
`;
}

function section(loop: LoopReport, clock: Clock): string {
  const mark = `<span class="${loop.mark ?? 'dim'}">${markOf(loop)}</span>`;
  const head = escapeHtml(`${loop.name} · ${loop.kind} · ${loop.place}: ${loop.outcome}`);
  const rows = rowsOf(loop).map(([name, words]) => {
    const shown = escapeHtml(words);
    return `<dt>${name}</dt><dd>${name === 'next' ? `<code>${shown}</code>` : shown}</dd>`;
  });
  return `<section>
<h2>${mark} ${head}</h2>
<dl>${rows.join('')}</dl>
${timesPlot(loop)}
${costPlot(loop)}
${iterationTable(loop.iterations, clock)}
</section>`;
}

function iterationTable(iterations: readonly Iteration[], clock: Clock): string {
  if (iterations.length === 0) return '';
  const rows = iterations.map((iteration) => {
    const { number, startedAt, outcome, checks, workedMs, waitedMs, filesChanged } = iteration;
    const verdicts = checks.map(({ label, passed, how }) => `${label} ${passed ? '✓' : `✗ ${how}`}`).join(' · ');
    const cells = [
      `<td class="number">${number}</td>`,
      `<td>${escapeHtml(clock(startedAt))}</td>`,
      `<td class="${outcome.mark ?? ''}">${escapeHtml(outcome.words)}</td>`,
      `<td>${escapeHtml(verdicts)}</td>`,
      `<td class="number">${humanDuration(Math.max(0, workedMs - waitedMs))}</td>`,
      `<td class="number">${escapeHtml(costWords(iteration))}</td>`,
      `<td class="number">${filesChanged ?? ''}</td>`,
      `<td><code>${escapeHtml(commitsIn(iteration).join(' '))}</code></td>`,
    ];
    return `<tr>${cells.join('')}</tr>`;
  });
  const titles = ['#', 'started', 'outcome', 'checks', 'time', 'cost', 'files', 'commit'].map(
    (name) => `<th>${name}</th>`,
  );
  return `<details><summary>iterations</summary><table><tr>${titles.join('')}</tr>${rows.join('')}</table></details>`;
}
