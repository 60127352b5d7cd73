/**
 * The loop's own run of `verifyCommands`: whenever a story is about to count, and once more before the loop ends as done.
 * Agents say that the tests are green; only this says that they are.
 */
import { type Checked, type CheckSpec, describeOutcome, logSlug } from '../../core/check.ts';
import type { Step } from '../../core/rules.ts';
import type { LoopState } from '../../core/state.ts';
import { printable } from '../../stream/printable.ts';
import { isLastReview } from './list/allowed-changes.ts';
import type { TasksFile } from './list/tasks.ts';
import { DEFAULT_VERIFY_TIMEOUT, type StoriesRequest } from './request.ts';
import type { Judged, StoriesStep } from './step-payloads.ts';
import { known, reviewsOf, type StoriesData } from './story-state.ts';

/** A run of all commands that is going on. */
export interface Verifying {
  /** The stories that wait for it; none where the list was complete before any agent ran. */
  readonly stories: readonly string[];
  readonly red: readonly RedCheck[];
}

export interface Verified {
  readonly iteration: number;
  readonly commands: readonly string[];
  readonly red: readonly RedCheck[];
}

export interface RedCheck extends Pick<Checked, 'outcome' | 'log' | 'output' | 'truncated'> {
  readonly command: string;
}

const KEPT_CHARS = 4000;

export function commandsOf({ request, inputs }: Pick<StoriesData, 'request' | 'inputs'>): readonly string[] {
  return request.verify === false ? [] : (inputs?.verifyCommands ?? []);
}

export function verifyFirst(data: StoriesData, stories: readonly string[]): Step<StoriesData, StoriesStep> | null {
  const commands = commandsOf(data);
  if (commands.length === 0) return null;
  // Without a story it is the run before the end.
  const index = stories.length === 0 ? commands.length : 0;
  return { data: { ...data, verifying: { stories, red: [] } }, go: { to: 'check', index } };
}

/** The commands are counted through twice: the second time they are the run before the end. */
export function isBeforeEnd(data: Pick<StoriesData, 'request' | 'inputs'>, index: number): boolean {
  return index >= commandsOf(data).length;
}

/** Its log lies in the loop's own folder, where the agent's links do not lead the output astray. */
export function verifyCheck({ iteration, data }: LoopState<StoriesData>, index: number): CheckSpec {
  const command = commandAt(data, index);
  const number = [String(iteration).padStart(3, '0'), index + 1].join('-');
  return {
    kind: 'command',
    index,
    command,
    log: `checks/verify-${number}-${logSlug(command)}.log`,
    keepChars: KEPT_CHARS,
    keeps: 'end',
    timeoutMs: data.request.verifyTimeoutMs ?? DEFAULT_VERIFY_TIMEOUT,
  };
}

export function commandAt(data: StoriesData, index: number): string {
  const commands = commandsOf(data);
  return commands[index % commands.length] ?? '';
}

export function redOf(data: StoriesData, { index, outcome, log, output, truncated }: Checked): RedCheck[] {
  return outcome.is === 'passed' ? [] : [{ command: commandAt(data, index), outcome, log, output, truncated }];
}

/** The stories that count from this iteration on, if nothing speaks against it. */
export function passedIn({ verdict }: Judged): readonly string[] {
  if (verdict.kind === 'at-cap') return [verdict.story];
  if (verdict.kind !== 'legal') return [];
  return verdict.passed ?? (verdict.approved === null ? [] : [verdict.approved]);
}

/** For the agent that is to mend it. The output is a program's: none of its control characters reaches a list or a prompt. */
export function feedbackOf(red: readonly RedCheck[]): string {
  return [
    'The loop ran verifyCommands itself, and this story does not count while they fail:',
    ...red.map(({ command, outcome, output, truncated }) => {
      const said = printable(output).trimEnd();
      const shown =
        said === '' ? 'It printed nothing.' : `${truncated ? 'The end of its output' : 'Its output'}:\n${said}`;
      return `$ ${printable(command)}\n${describeOutcome(outcome)}. ${shown}`;
    }),
  ].join('\n\n');
}

export function redNames(red: readonly RedCheck[]): string {
  return red.map(({ command, outcome }) => `${printable(command)} (${describeOutcome(outcome)})`).join(' and ');
}

/** Why a person is needed: the reviews that a story may have are used up. */
export function whyCapped(data: StoriesData, red: readonly RedCheck[]): string | null {
  const { request, judged } = data;
  if (request.skipReview || judged === null) return null;
  const { story } = known(data, 'running');
  const [id = story.id] = passedIn(judged);
  const { verdict } = judged;
  const before = ('countBefore' in verdict ? verdict.countBefore : undefined) ?? story.reviewCount;
  const reviews = reviewsOf(data, { ...story, id, reviewCount: before });
  if (!isLastReview(reviews, request.reviewCap)) return null;
  return `story ${id} was approved at the review cap (${request.reviewCap}), but verifyCommands failed: ${redNames(red)}`;
}

/** What a loop will do about `verifyCommands`, for its start and for `--dry-run`. */
export function verifyPlan({ verifyCommands = [] }: TasksFile, { ralphDir, verify }: StoriesRequest): string {
  const commands = verifyCommands.filter((command) => command.trim() !== '').join(', ');
  if (commands === '')
    return `WARNING: ${ralphDir}/tasks.json has no verifyCommands: ralph runs no checks of its own, the agents' word is all there is`;
  return verify === false
    ? `WARNING: --no-verify: ralph does not run verifyCommands (${commands}), the agents' word is all there is`
    : `Before a story counts, ralph runs: ${commands}`;
}
