/** `ralph stories status`: a line per story, the loop, what is left. */

import { describeOutcome } from '../../core/check.ts';
import { describeLeft } from '../../core/closing-summary.ts';
import type { Ending } from '../../core/ending.ts';
import {
  type Survey,
  type SurveyedLoop,
  type SurveyedStory,
  surveyStories,
} from '../../loops/stories/commands/survey.ts';
import { MARKER_NAME } from '../../loops/stories/list/active-marker.ts';
import { printable } from '../../stream/printable.ts';
import { inOneCell, tableLines } from '../task/table.ts';
import { listedProjectOf, type ProjectFlags } from './project.ts';

export interface StatusFlags extends ProjectFlags {
  readonly json?: boolean;
}

export async function statusCommand({ json = false, ...flags }: StatusFlags): Promise<number> {
  const survey = surveyStories(listedProjectOf(flags));
  const text = json ? JSON.stringify(survey, null, 2) : statusLines(survey).map(printable).join('\n');
  process.stdout.write(`${text}\n`);
  return Promise.resolve(survey.problem === null ? 0 : 1);
}

function statusLines(survey: Survey): string[] {
  const { project, stories, problem, verify, loop } = survey;
  const loopLine = loop === null ? 'Loop: none yet' : `Loop: ${loopWords(loop)}`;
  if (problem !== null) return [problem, loopLine];
  const complete = stories.filter(isCounted).length;
  return [
    ...(project ? [`Project: ${inOneCell(project)}`] : []),
    ...storyTable(stories),
    '',
    `Stories: ${complete}/${stories.length} complete`,
    leftLine(survey),
    verifyLine(verify),
    loopLine,
  ];
}

function leftLine({ stories, isComplete, next, budget, verify }: Survey): string {
  if (isComplete) return 'All stories are complete.';
  if (next !== null)
    return next.waits === null ? `Next: ${next.mode} ${next.story}; ${budget}` : `Next: nothing, because ${next.waits}`;
  const waiting = stories.filter(({ state }) => state === 'unverified').map(({ id }) => id);
  if (waiting.length > 0) return `Next: the loop's own verdict on ${waiting.join(', ')}`;
  const red = verify.last?.red.map(({ command }) => command).join(', ') ?? '';
  return `Not done: every story is approved, but ${red} failed. To verify again, run: ralph stories run`;
}

function verifyLine({ commands, isOn, last }: Survey['verify']): string {
  if (commands.length === 0) return 'Verify: nothing, tasks.json has no verifyCommands';
  if (!isOn) return `Verify: not run by the last loop (--no-verify): ${commands.join(', ')}`;
  if (last === null) return `Verify: not run yet: ${commands.join(', ')}`;
  if (last.red.length === 0) return `Verify: passed in iteration ${last.iteration}: ${last.commands.join(', ')}`;
  const failed = last.red.map(({ command, outcome, log }) => `${command} (${describeOutcome(outcome)}, log ${log})`);
  return `Verify: failed in iteration ${last.iteration}: ${failed.join(', ')}`;
}

export function isCounted({ state }: SurveyedStory): boolean {
  return state === 'approved' || state === 'passes';
}

export function storyTable(stories: readonly SurveyedStory[]): string[] {
  if (stories.length === 0) return [];
  const rows = stories.map(({ id, title, state, reviewCount, isCapApproval }) => [
    id,
    state === 'unverified' ? 'approved, not verified' : state,
    `${reviewCount}${isCapApproval ? ' (cap)' : ''}`,
    title,
  ]);
  return tableLines(['STORY', 'STATE', 'REVIEWS', 'TITLE'], rows);
}

function loopWords({ id, state, pid, iteration, ending, started, continueWith }: SurveyedLoop): string {
  if (id === null) return `${MARKER_NAME} says that one runs here, with another state folder or another program`;
  const at = iteration === null ? '' : `, iteration ${iteration}`;
  const goOn = continueWith === null ? '' : `; to continue, run: ${continueWith}`;
  switch (state) {
    case 'running':
      return `running (pid ${pid}${at})`;
    case 'pausing':
      return `pausing after this iteration (pid ${pid}${at})`;
    case 'paused':
      return `paused (pid ${pid}${at})${goOn}`;
    case 'interrupted':
      return `interrupted${at}${goOn}`;
    case 'ended':
      return `${ending === null ? 'ended' : endingWords(ending, started ?? iteration ?? 0)}${goOn}`;
  }
}

function endingWords(ending: Ending, started: number): string {
  const { outcome } = describeLeft(ending, started);
  const words = `${outcome.charAt(0).toLowerCase()}${outcome.slice(1)}`;
  return 'reason' in ending && ending.reason !== undefined ? `${words} (${inOneCell(ending.reason)})` : words;
}
