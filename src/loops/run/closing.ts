/** The closing lines of `ralph run`. */

import { largerBudget } from '../../core/budget/terms.ts';
import { plural, times } from '../../core/budget/usage.ts';
import type { Clock, ClosingSummary, Left, NextCommand, WorkState } from '../../core/closing/closing-summary.ts';
import { describeLeft, endingDetails } from '../../core/closing/closing-summary.ts';
import { canContinue } from '../../core/ending.ts';
import {
  changedCheckSentences,
  changedPins,
  findingSentence,
  freedSentences,
  isEmpty,
  neverRedWords,
  uncountedSentences,
  whereChecked,
} from '../../core/proof/claims.ts';
import type { Published } from '../../core/record.ts';
import { inShort, isUnanswered } from '../../core/review/review.ts';
import { type LoopState, questionOf, startedIterations } from '../../core/state.ts';
import { quoteWords } from '../../core/text/quote-word.ts';
import { excusedOf } from './baseline.ts';
import { isRejected } from './proof.ts';
import { NO_MESSAGE } from './rules.ts';
import type { RunData } from './state.ts';
import type { Unpublished } from './tally.ts';
import { mentionsResponse } from './work-prompt.ts';

export function runClosing(state: LoopState<RunData>, left: Left, work: WorkState, clock: Clock): ClosingSummary {
  const { data, usage } = state;
  const { inputs, tally } = data;
  const scm = inputs?.scm?.command ?? 'git';
  return {
    ...verdict(state, left),
    durationMs: state.workedMs,
    usage,
    ...checkedWords(data, left),
    // What a proof found is listed with the claims.
    red: isRejected(data)
      ? []
      : data.feedback.map(({ command, exitCode, how, log }) => {
          return { command, exit: exitCode === null ? how : `exit ${exitCode}`, log };
        }),
    details: [
      ...checkDetails(data, left),
      ...reviewDetails(data, left),
      ...(left.kind === 'iteration-limit' ? limitDetails(state) : []),
      // A configuration error is shown above, and what could not be published below.
      ...(left.kind === 'configuration' || left.kind === 'unpublished' ? [] : endingDetails(left, clock)),
      ...(REFUSED_FLAG.test(failureOf(state, left)) ? [FLAGS] : []),
      ...tally.unpublished.map((one) => unpublishedSentence(scm, one)),
      ...leftBehindSentences(tally),
      ...(data.request.worktree === undefined
        ? []
        : [`The work is in ${state.cwd}, on the branch ${data.request.worktree.branch}.`]),
    ],
    work,
    next: nextCommands(state, left, work),
  };
}

/** If even the commit failed, says "not committed" instead of "not published". */
function verdict(state: LoopState<RunData>, left: Left): ReturnType<typeof describeLeft> {
  const described = describeLeft(left, startedIterations(state));
  const isUncommitted = state.data.tally.unpublished.some(({ task }) => task === 'commit');
  if (left.kind !== 'unpublished' || !isUncommitted) return described;
  return { ...described, outcome: described.outcome.replace('published', 'committed') };
}

function checkedWords(data: RunData, left: Left): Pick<ClosingSummary, 'checked'> {
  const isDone = left.kind === 'done' || left.kind === 'unpublished';
  return isDone && countedChecks(data).checks.length > 0 ? { checked: whereChecked(data.proof) } : {};
}

function countedChecks(data: RunData) {
  const all = data.inputs?.guardrails.map(({ command }) => command) ?? [];
  const excused = excusedOf(data).filter(({ command }) => all.includes(command));
  return { all, excused, checks: all.filter((one) => !excused.some(({ command }) => command === one)) };
}

function checkDetails(data: RunData, left: Left): string[] {
  if (left.kind !== 'done') return [];
  const { all, excused, checks } = countedChecks(data);
  if (all.length === 0) return ['Nothing was checked: no guardrails are configured.'];
  return [
    checks.length === 0 ? 'No check counted.' : `Passed: ${checks.join(', ')}.`,
    ...neverRedWords(data.proof, checks),
    ...uncountedSentences(data.proof),
    ...changedCheckSentences(data.proof),
    ...freedSentences(data.proof),
    ...excused.map(
      ({ command, how }) => `"${command}" was red before the first iteration (${how}), and did not count.`,
    ),
  ];
}

/** Who reviewed the work. If a review ended the loop as stuck, the reason already says so. */
function reviewDetails({ reviews: { last, claim }, inputs }: RunData, left: Left): string[] {
  const { review } = inputs ?? {};
  if (review === undefined || left.kind === 'stuck') return [];
  if (left.kind === 'auth' && claim !== null) return [`It was the reviewer, ${review.by.name}.`];
  if (last === null || last.is === 'none') return [];
  const { by, round, words } = last;
  if (last.is === 'approved') return [`Reviewed by ${by}: approved in round ${round}.`];
  return left.kind === 'done' ? [] : [`The review by ${by} rejected it in round ${round}: ${inShort(words)}`];
}

function limitDetails(state: LoopState<RunData>): string[] {
  const { failures, lastFailure, data } = state;
  if (failures === 0) return claimDetails(data);
  const iterations = startedIterations(state);
  const failed = `The agent failed in ${failures} of ${plural(iterations, 'iteration')}; the last failure: ${lastFailure ?? ''}`;
  // An agent that always failed cannot have claimed anything.
  return [failed, ...(failures < iterations ? claimDetails(data) : [])];
}

function claimDetails(data: RunData): string[] {
  const { inputs, tally, feedback, reviews } = data;
  if (inputs === null) return [];
  const { completionResponse: expected, guardrails, prompt } = inputs;
  const wanted = `<response>${expected}</response>`;
  if (tally.saidDone > 0) {
    const isReviewed = reviews.last?.is === 'rejected';
    const lastly = feedback.length > 0 || isReviewed ? '' : ', but not while all guardrails were green';
    return [`The agent said ${expected} ${times(tally.saidDone)}${lastly}.`, ...rejectedSentences(data)];
  }
  if (tally.almostDone !== null)
    return [`The agent said <response>${tally.almostDone}</response>; only ${wanted} counts, without spaces.`];
  const isGreen = guardrails.length > 0 && tally.green > 0;
  const green = isGreen ? `All guardrails were green ${times(tally.green)}, but the` : 'The';
  const isAsked = inputs.asksForResponse === true || mentionsResponse(prompt);
  const unasked = isAsked ? '' : ' Your prompt does not ask for it.';
  return [`${green} agent never said ${wanted}.${unasked}`];
}

function rejectedSentences(data: RunData): string[] {
  const { last } = data.proof;
  if (!isRejected(data) || last === null) return [];
  const why = last.findings.map((finding) => findingSentence(finding, last));
  return [`The last claim was not proved: ${why.join('; ')}.`];
}

const FLAGS = 'It looks as if the agent does not know one of its flags: check agent.flags in .ralph/settings.json.';

function failureOf({ lastFailure }: LoopState<RunData>, left: Left): string {
  if (left.kind === 'kept-failing') return left.reason ?? '';
  return left.kind === 'iteration-limit' ? (lastFailure ?? '') : '';
}

/** How common command-line parsers report a flag that they do not know. */
const REFUSED_FLAG =
  /\b(?:unknown|unrecognized|unexpected|invalid|no such|undefined) (?:option|argument|flag|switch)|flag provided but not defined/i;

/** `git push failed twice: exit 128: fatal: No configured push destination.`; git's full output was shown earlier. */
function unpublishedSentence(command: string, { task, times: count, reason }: Unpublished): string {
  if (reason === NO_MESSAGE) return `Nothing was committed: ${NO_MESSAGE}.`;
  const what = `${command} ${task}`;
  // Such as `git push is not run: …`.
  if (reason.startsWith(`${what} `)) return reason;
  const told = reason.startsWith(`${what}: `) ? reason.slice(what.length + 2) : reason;
  const [, exit = '', said = ''] = /^((?:exit|signal|timed out)[^:]*: )?(.*)$/s.exec(told) ?? [];
  return `${what} failed${count === 1 ? '' : ` ${times(count)}`}: ${exit}${tellingLine(said)}`;
}

/** The error that git names, or else the last line: a hook prints its verdict at the end. */
function tellingLine(said: string): string {
  const lines = said.trim().split(/\s*\n\s*/);
  return lines.find((line) => /^(?:fatal:|error:|remote: (?:fatal|error):|! \[)/i.test(line)) ?? lines.at(-1) ?? '';
}

function leftBehindSentences({ leftBehind }: RunData['tally']): string[] {
  if (leftBehind == null) return [];
  const hint = 'To commit new files too, set scm.stage to "all" in .ralph/settings.json.';
  return [`New files are not committed: ${namesOf(leftBehind)}. ${hint}`];
}

export function namesOf({ count, names }: NonNullable<Published['leftBehind']>): string {
  const more = count - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function nextCommands(state: LoopState<RunData>, left: Left, work: WorkState): NextCommand[] {
  const { id, data } = state;
  if (left.kind === 'done') {
    const { last } = data.proof;
    const proved = last === null || isEmpty(last) ? [] : [{ command: `ralph receipt ${id}`, why: 'what was proved' }];
    return [...afterDone(state, work), ...proved];
  }
  if (left.kind === 'iteration-limit') {
    const more = (data.inputs?.maximumIterations ?? left.limit) * 2;
    const isFlaky = data.proof.last?.findings.some(({ is }) => is === 'flaky') === true;
    const accept = { command: `ralph resume ${id} --accept-flaky`, why: 'if a flaky check may pass' };
    const continued = { command: `ralph resume ${id} -m ${more}`, why: 'continue with more iterations' };
    return [...(isFlaky ? [accept] : []), ...allowing(state, isRejected(data)), continued];
  }
  if (left.kind === 'budget' && left.of !== 'until') {
    return [{ command: `ralph resume ${id} ${largerBudget(left)}`, why: 'continue with a larger budget' }];
  }
  const isAsking = left.kind === 'interrupted' && questionOf(state) !== null;
  if (left.kind === 'blocked' && isUnanswered(data.reviews)) {
    const why = data.reviews.claim === null ? 'continue, once the reviewer works' : 'have it reviewed again';
    return [
      { command: `ralph resume ${id}`, why },
      { command: `ralph resume ${id} --review-agent …`, why: 'with another reviewer' },
    ];
  }
  if (left.kind === 'blocked' || isAsking) {
    return [
      { command: `ralph answer ${id} "…"`, why: 'answer it' },
      { command: `ralph resume ${id}`, why: 'continue, once it is answered' },
    ];
  }
  if (left.kind === 'stuck') {
    return [
      { command: `ralph tell ${id} "…"`, why: 'say what could help' },
      { command: `ralph resume ${id}`, why: 'continue' },
    ];
  }
  if (left.kind !== 'interrupted' && !canContinue(left)) return [];
  const allowed = allowing(state, left.kind === 'tampered');
  if (allowed.length > 0) return [...allowed, { command: `ralph resume ${id}`, why: 'continue, if it may not' }];
  return [{ command: `ralph resume ${id}`, why: CONTINUE[left.kind] ?? 'continue' }];
}

/** The command that lets the last claim through, if it was rejected because of files that a person can free. */
function allowing({ id, data }: LoopState<RunData>, isWanted: boolean): NextCommand[] {
  const freed = isWanted ? changedPins(data.proof) : [];
  if (freed.length === 0) return [];
  const flags = freed.flatMap((path) => ['--allow-edit', path]);
  const it = freed.length === 1 ? 'it' : 'them';
  return [{ command: quoteWords(['ralph', 'resume', id, ...flags]), why: `if the agent may change ${it}` }];
}

function afterDone({ cwd, data }: LoopState<RunData>, work: WorkState): NextCommand[] {
  const { worktree } = data.request;
  if (worktree !== undefined) return worktreeCommands(worktree.branch, cwd, work);
  if (work.kind === 'committed' && work.isBase === true) return [];
  if (work.kind === 'committed') return [{ command: 'git log --stat -3', why: 'the latest commits' }];
  return work.kind === 'uncommitted' ? [{ command: 'git status', why: 'what is not committed' }] : [];
}

/** To be typed in the directory where the loop was started. */
function worktreeCommands(branch: string, cwd: string, work: WorkState): NextCommand[] {
  if (work.kind !== 'committed') {
    return [
      { command: quoteWords(['git', '-C', cwd, 'status']), why: 'what is not committed' },
      { command: quoteWords(['git', 'merge', branch]), why: 'take the work over, once it is committed' },
    ];
  }
  return [
    { command: quoteWords(['git', 'merge', branch]), why: 'take the work over' },
    { command: quoteWords(['git', 'worktree', 'remove', cwd]), why: 'when you no longer need it' },
  ];
}

const CONTINUE: Readonly<Partial<Record<Left['kind'], string>>> = {
  auth: 'continue, once the agent is logged in',
  configuration: 'continue, once that is fixed',
  'usage-limit': 'continue, once the limit is reset',
  unpublished: 'publish it, once that is fixed',
  'kept-failing': 'continue, once the agent works again',
};
