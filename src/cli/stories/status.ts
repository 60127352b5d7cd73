/** `ralph stories status`: a line per story, the loop, what is left. */
import type { Ending } from '../../core/ending.ts';
import { type Survey, type SurveyedLoop, type SurveyedStory, surveyStories } from '../../doors/stories/survey.ts';
import { thisPlace } from '../../process/identity.ts';
import { printable } from '../../stream/printable.ts';
import { inOneCell, tableLines } from '../task/table.ts';
import { listPlaceOf, type PlaceFlags } from './place.ts';

export async function statusCommand({ json = false, ...flags }: PlaceFlags & { json?: boolean }): Promise<number> {
  const { projectDir, ralphDir, environment } = listPlaceOf(flags);
  const survey = surveyStories({ projectDir, ralphDir, root: environment.root, place: thisPlace() });
  const text = json ? JSON.stringify(survey, null, 2) : statusLines(survey).map(printable).join('\n');
  process.stdout.write(`${text}\n`);
  return Promise.resolve(survey.problem === null ? 0 : 1);
}

function statusLines({ project, stories, problem, isComplete, next, budget, loop }: Survey): string[] {
  const loopLine = loop === null ? 'Loop: none yet' : `Loop: ${loopWords(loop)}`;
  if (problem !== null) return [problem, loopLine];
  const complete = stories.filter(({ state }) => state === 'approved' || state === 'passes').length;
  const left =
    isComplete || next === null
      ? 'All stories are complete.'
      : next.waits === null
        ? `Next: ${next.mode} ${next.story}; ${budget}`
        : `Next: nothing, because ${next.waits}`;
  return [
    ...(project ? [`Project: ${inOneCell(project)}`] : []),
    ...storyTable(stories),
    '',
    `Stories: ${complete}/${stories.length} complete`,
    left,
    loopLine,
  ];
}

export function storyTable(stories: readonly SurveyedStory[]): string[] {
  if (stories.length === 0) return [];
  const rows = stories.map(({ id, title, state, reviewCount, isCapApproval }) => {
    return [id, state, `${reviewCount}${isCapApproval ? ' (cap)' : ''}`, title];
  });
  return tableLines(['STORY', 'STATE', 'REVIEWS', 'TITLE'], rows);
}

function loopWords({ state, pid, iteration, ending }: SurveyedLoop): string {
  const at = iteration === null ? '' : `, iteration ${iteration}`;
  switch (state) {
    case 'running':
      return `running (pid ${pid}${at})`;
    case 'pausing':
      return `pausing after this iteration (pid ${pid}${at})`;
    case 'paused':
      return `paused (pid ${pid}${at}); to go on: ralph stories resume`;
    case 'interrupted':
      return `interrupted${at}; to go on: ralph stories resume`;
    case 'ended':
      return `ended${at}: ${ending === null ? '' : endingWords(ending)}`;
  }
}

function endingWords(ending: Ending): string {
  return 'reason' in ending && ending.reason !== undefined
    ? `${ending.kind} (${inOneCell(ending.reason)})`
    : ending.kind;
}
