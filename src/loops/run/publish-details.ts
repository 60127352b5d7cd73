/** What could not be committed or pushed, and what a commit left out, for the last lines of `ralph run`. */
import type { describeLeft, Left } from '../../core/closing-summary.ts';
import { times } from '../../core/usage.ts';
import { NO_MESSAGE, type RunData } from './rules.ts';
import type { Unpublished } from './tally.ts';

export function publishDetails({ inputs, tally }: RunData): string[] {
  const command = inputs?.scm?.command ?? 'git';
  return [...tally.unpublished.map((one) => unpublishedSentence(command, one)), ...leftBehindSentences(tally)];
}

/** Work that could not even be committed is more than unpublished. */
export function withWhatIsMissing(
  described: ReturnType<typeof describeLeft>,
  { tally }: RunData,
  { kind }: Left,
): ReturnType<typeof describeLeft> {
  if (kind !== 'unpublished') return described;
  const isUncommitted = tally.unpublished.some(({ task }) => task === 'commit');
  return isUncommitted ? { ...described, outcome: described.outcome.replace('published', 'committed') } : described;
}

/** `git push failed twice: exit 128: fatal: No configured push destination.`; all that git said stands higher up. */
function unpublishedSentence(command: string, { task, times: count, reason }: Unpublished): string {
  if (reason === NO_MESSAGE) return `Nothing was committed: ${NO_MESSAGE}.`;
  const what = `${command} ${task}`;
  // Such as `git push is not run: …`.
  if (reason.startsWith(`${what} `)) return reason;
  const [, exit = '', said = ''] =
    /^((?:exit|signal|timed out)[^:]*: )?(.*)$/s.exec(without(`${what}: `, reason)) ?? [];
  return `${what} failed${count === 1 ? '' : ` ${times(count)}`}: ${exit}${tellingLine(said)}`;
}

function without(prefix: string, text: string): string {
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

/** The error that git names, or else the last thing that was said: a hook prints its verdict at the end. */
function tellingLine(said: string): string {
  const lines = said
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return lines.find((line) => /^(?:fatal:|error:|remote: (?:fatal|error):|! \[)/i.test(line)) ?? lines.at(-1) ?? '';
}

function leftBehindSentences({ leftBehind }: RunData['tally']): string[] {
  if (leftBehind === null || leftBehind === undefined) return [];
  const more = leftBehind.count - leftBehind.names.length;
  const names = `${leftBehind.names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return [
    `New files are not committed: ${names}. To commit new files too, set scm.stage to "all" in .ralph/settings.json.`,
  ];
}
