/** Shows a stories loop on the console: the agent on stdout, `[ralph] …` about the loop on stderr. */

import { costText } from '../../core/budget/usage.ts';
import type { CheckSpec } from '../../core/check.ts';
import type { Finding } from '../../core/finding.ts';
import { PIVOT } from '../../core/progress/progress.ts';
import type { LoopEvent } from '../../engine/drive.ts';
import { storiesClosing } from '../../loops/stories/closing.ts';
import { storiesMachine } from '../../loops/stories/rules.ts';
import type { StoriesData, StoriesSteps } from '../../loops/stories/state.ts';
import { commandsOf, costOf, setAside } from '../../loops/stories/state.ts';
import { commandAt } from '../../loops/stories/transitions.ts';
import type { ShowFindings } from '../../preflight/before-loop.ts';
import { DEFAULT_FORMAT, eventFormatter } from '../../stream/formatter.ts';
import { printable } from '../../stream/printable.ts';
import { painter } from '../../views/paint.ts';
import { preflightLines } from '../terminal/finding-lines.ts';
import type { StatusWords } from '../terminal/live-status.ts';
import { leftBy, openConsole } from '../terminal/open-console.ts';
import { pivotLines } from '../terminal/pivot-lines.ts';
import { inOneCell } from '../terminal/table.ts';
import { clockTime } from '../terminal/words.ts';
import type { LoopConsole, TerminalOptions } from '../terminal.ts';
import { doneLines, endingLines, isDone, type State } from './console-ending.ts';
import { resultLines, verdictsOf } from './console-records.ts';
import { isCounted, type SurveyedStory, storyTable } from './status.ts';

const ALLOWING = 'allow what the guard blocked in ralph/allowed-commands.txt';

export function storiesConsole(
  options: TerminalOptions,
  surveyed: () => readonly SurveyedStory[],
): LoopConsole<StoriesData> & { readonly found: ShowFindings } {
  const { mask, color } = options;
  const paint = painter(options.stderrColor);
  const { say, width, frame, report, ready, formatWith, showProgress, runEnded, close, live } = openConsole(
    options,
    ALLOWING,
    ralphLines,
  );
  let last: State | null = null;
  let isDoneTold = false;
  /** Findings to show directly above the first iteration. */
  const ahead: Finding[] = [];
  const showFindings = (findings: readonly Finding[]): void => {
    for (const line of preflightLines(findings, { paint, mask, width: width() - PREFIX.length }))
      say(`${PREFIX}${line}`);
  };

  const showPivot = (event: LoopEvent<StoriesData>): boolean => {
    const lines = pivotLines(event, { paint, mask, width: width() - PREFIX.length });
    for (const line of lines ?? []) say(`${PREFIX}${line}`);
    return lines !== null;
  };

  return {
    show(event) {
      if (event.type === 'progress') return showProgress(event.event, event.run.purpose === 'work');
      const before = last;
      last = event.state;
      if (event.type === 'record') {
        if (event.record.result.kind === 'ran') runEnded();
        showPivot(event);
        for (const line of verdictsOf(event.record, event.state, { mask, paint, width: width() - PREFIX.length }))
          say(`${PREFIX}${line}`);
        for (const line of resultLines(event.record, event.state, before)) report(line);
        for (const id of newlySetAside(before, event.state)) report(setAsideLine(id, event.state));
        if (!isDone(event.state)) return;
        for (const line of doneLines(event.state)) report(line);
        isDoneTold = true;
      } else if (event.action.do === 'start') {
        formatWith(eventFormatter({ ...DEFAULT_FORMAT, mask, color }));
        if (ahead.length > 0) showFindings(ahead.splice(0));
        if (showPivot(event)) return;
        frame('');
        frame(iterationLine(event.state), report);
      } else if (event.action.do === 'check') frame(verifyingLine(event.action.check, event.state), report);
      else if (event.action.do === 'step' && event.action.what === 'prove')
        frame(`Proving in a clean checkout: ${commandsOf(event.state.data).join(', ')}`, report);
    },
    tell: report,
    found(findings, goesOn) {
      if (goesOn) ahead.push(...findings);
      else showFindings(findings);
    },
    ready,
    live,
    words: STATUS_WORDS,
    close(driven, state, work) {
      const stories = surveyed();
      const counts = { complete: stories.filter(isCounted).length, total: stories.length };
      const closing = storiesClosing(state, leftBy(driven), work, counts, clockTime);
      // Usually shown with the last record; if the loop was killed before that, they are shown here when it is resumed.
      const done = isDoneTold || last === null ? [] : doneLines(last);
      const unfinished = ['Stopped. The loop is unfinished.'];
      const ending = driven.kind === 'stopped' ? unfinished : endingLines(driven.ending, done);
      // The table shows how many reviews there were, and which approvals a person should check.
      close(storiesMachine, state, [...storyTable(stories), ...ending], closing);
    },
  };
}

function newlySetAside(before: State | null, { data, terms }: State): string[] {
  const known = before === null ? [] : setAside(before.data, before.terms);
  return setAside(data, terms).filter((id) => !known.includes(id));
}

function setAsideLine(id: string, { data, usage }: State): string {
  const cost = costText(costOf(data, id), { isEstimated: usage.estimatedRuns !== undefined });
  return `WARNING: story ${inOneCell(id)} has cost ${cost} and is set aside (--max-cost-per-story)`;
}

const STATUS_WORDS: StatusWords<StoriesData> = {
  limit: ({ request }) => request.maxIterations,
  run: (purpose, { running }) => (purpose === PIVOT ? undefined : running?.mode),
  steps: {
    mark: 'choosing the story',
    judge: 'judging the iteration',
    'prompt-back': 'restoring prompt.md',
    'put-back': 'restoring tasks.json',
    approve: 'approving the story',
    'send-back': 'sending the story back',
    tell: 'passing a question on',
    'prove-base': 'clean checkout',
    prove: 'proof',
  } satisfies Record<keyof StoriesSteps, string>,
};

const PREFIX = '[ralph] ';

/** Later lines can be an agent's text: they are indented, so that they never look like a line of the loop. */
function ralphLines(say: (line: string) => void): (text: string) => void {
  return (text) => {
    const [first = '', ...more] = printable(text).split('\n');
    for (const line of [first, ...more.map((one) => `    ${one}`)]) say(`${PREFIX}${line}`.trimEnd());
  };
}

function iterationLine({ iteration, data: { request, running } }: State): string {
  const what = running === null ? '' : ` — ${running.mode} — ${running.story.id} ${inOneCell(running.story.title)}`;
  return `=== Iteration ${iteration}/${request.maxIterations}${what} ===`;
}

function verifyingLine({ index, isBaseline }: CheckSpec, { data }: State): string {
  if (isBaseline === true) return `It failed in a clean checkout. In the work tree: ${commandAt(data, index)}`;
  const stories = data.verifying?.stories.join(', ') ?? '';
  const isBeforeEnd = index >= commandsOf(data).length;
  return `Verifying ${isBeforeEnd ? 'once more before the end' : stories}: ${commandAt(data, index)}`;
}
