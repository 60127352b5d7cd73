/** What the console of `ralph run` says about each record: verdicts, warnings, what was committed. */
import { plural } from '../../core/budget/usage.ts';
import { type Checked, codeOfOutcome, describeOutcome, hasPassed } from '../../core/check.ts';
import { sameResponse } from '../../core/claims/tag.ts';
import { MARKS } from '../../core/closing/closing-summary.ts';
import type { Outcome } from '../../core/outcome.ts';
import { PIVOT } from '../../core/progress/progress.ts';
import type { Published, Ran, Recorded } from '../../core/record.ts';
import { REVIEW, type Verdict } from '../../core/review/review.ts';
import { linesOf } from '../../core/text/lines-of.ts';
import { wrap } from '../../core/text/wrap.ts';
import { namesOf } from '../../loops/run/closing.ts';
import { NO_MESSAGE, runRules } from '../../loops/run/rules.ts';
import type { RunData } from '../../loops/run/state.ts';
import { isAlmost } from '../../loops/run/tally.ts';
import { cutToColumns } from '../../stream/columns.ts';
import { printable } from '../../stream/printable.ts';
import type { Paint } from '../../views/paint.ts';
import { checkLine, failureLines, inOneLine } from '../../views/verdict-lines.ts';
import { baseProofLines, proofLines } from '../terminal/proof-lines.ts';
import { verdictLines } from '../terminal/review-lines.ts';
import { isOutOfBudget, OUT_OF_BUDGET, outcomeLines } from '../terminal/words.ts';
import type { Look, Page, State } from './console-page.ts';

export interface Around {
  open(state: State): void;
  runEnded(): void;
  /** Shows the output of the agent that was held back. */
  showHeld(worked: boolean): void;
}

type Part<Kind extends Recorded['result']['kind']> = Extract<Recorded['result'], { kind: Kind }>;

export function consoleRecords(page: Page, { open, runEnded, showHeld }: Around) {
  const { judge, warn, detail, took, look } = page;
  let warned = '';
  let shownVerdict: Verdict | null = null;

  const inputs = ({ ignored = [], inputs: read }: Part<'inputs'>, state: State): void => {
    for (const file of ignored) warn(`${file} has changed; ${keptWords(state.data.request)}`);
    if (read !== undefined) detail(() => `Settings: ${JSON.stringify(read)}`);
    open(state);
  };
  const ran = (key: string, result: Ran, state: State): void => {
    const isOf = (purpose: string): boolean => key.includes(`/${purpose}/`);
    const isLook = isOf(PIVOT) || isOf(REVIEW);
    runEnded();
    detail(() => `Agent ended ${took()}`);
    if (!isLook) showHeld(result.outcome.kind === 'worked');
    const { paint } = look();
    judge(isOutOfBudget(result, state) ? [needsYou(OUT_OF_BUDGET, paint)] : outcomeVerdict(result.outcome, paint));
    // The result of such a run has its own lines.
    if (isLook) return;
    const { tag } = result.said;
    const isMessage = isOf('message');
    if (!isMessage && isAlmost(tag, expectedBy(state))) warn(almostDone(tag ?? '', state));
    if (isMessage && state.data.message === '') judge([failed(`nothing is committed: ${NO_MESSAGE}`, paint)]);
    const heard = tag === null ? 'no response tag' : `"${printable(tag)}"`;
    detail(() => `Completion detection: found ${heard}, looking for "${state.data.inputs?.completionResponse}"`);
  };
  const checked = (result: Checked, state: State): void => {
    const code = codeOfOutcome(result.outcome);
    detail(() => `Guardrail ${code === null ? 'ended' : `exited with code ${code}`} ${took()}`);
    judge(result.isBaseline === true ? baselineLines(result, state, look()) : checkedLines(result, state, look()));
  };
  const stepped = ({ what }: Part<'stepped'>, state: State): void => {
    const { base, last } = state.data.proof;
    const at = { cwd: state.cwd, ...look() };
    if (what === 'prove' && last !== null) judge(proofLines(last, expectedBy(state), at));
    else if (what === 'prove-base' && base !== null) judge(baseProofLines(base, at));
  };
  const published = (result: Published, state: State): void => {
    judge([publishedLine(result, state.data, look())]);
    const warning = leftBehindWarning(result);
    // Shown once, and again when it changes.
    if (warning !== '' && warning !== warned) warn(warning);
    warned = warning;
    detail(() => `SCM ${result.task} ${took()}`);
  };
  const record = ({ key, result }: Recorded, state: State): void => {
    switch (result.kind) {
      case 'inputs':
        inputs(result, state);
        break;
      case 'ran':
        ran(key, result, state);
        break;
      case 'checked':
        checked(result, state);
        break;
      case 'stepped':
        stepped(result, state);
        break;
      case 'published':
        published(result, state);
        break;
      case 'waited':
        if (result.command === 'pause') page.say(`Paused. To continue, run: ralph resume ${page.nameOf(state.id)}`);
        break;
      default:
    }
  };
  return {
    /** A resumed loop has already shown its last verdict. */
    knowVerdict({ data }: State): void {
      shownVerdict ??= data.reviews.last;
    },
    show(recorded: Recorded, state: State): void {
      record(recorded, state);
      // Checked after every record: a claim that was judged before gets its verdict without a run.
      const { reviews, inputs: read } = state.data;
      if (reviews.last === null || reviews.last === shownVerdict || read?.review === undefined) return;
      shownVerdict = reviews.last;
      judge(verdictLines(reviews.last, read.review, look()));
    },
  };
}

function keptWords({ proof, liveSettings }: State['data']['request']): string {
  if (proof === undefined)
    return 'the loop keeps the settings it started with (ralph resume or --live-settings reads them again)';
  const what = liveSettings ? 'keeps the checks' : 'proves its work, and keeps the settings';
  return `the loop ${what} it started with (stop and resume it to have them read again)`;
}

const failed = (what: string, paint: Paint): string => paint('red', `${MARKS.failed} ${what}`);

function outcomeVerdict(outcome: Outcome, paint: Paint): string[] {
  if (outcome.kind === 'failed') return outcomeLines(outcome).map((line) => failed(line, paint));
  return outcomeLines(outcome).map((line) => needsYou(line, paint));
}

const needsYou = (line: string, paint: Paint): string => paint('yellow', `${MARKS['needs-you']} ${line}`);

/** Secrets are masked before anything is cut, so that no half of one is shown. */
function commandsOf({ data }: State, { mask }: Look): string[] {
  return data.inputs?.guardrails.map(({ command }) => mask(command)) ?? [];
}

/** `Before the first iteration: npm run lint is red (exit 1).` */
function baselineLines(checked: Checked, state: State, look: Look): string[] {
  if (hasPassed(checked)) return [];
  const { paint, width } = look;
  const how = inOneLine(describeOutcome(checked.outcome));
  const line = `Before the first iteration: ${inOneLine(commandsOf(state, look)[checked.index] ?? '')} is red (${how}).`;
  const shown = wrap(line, '', '  ', width).map((part) => paint('yellow', part));
  return [...shown, paint('dim', `    ${printable(checked.log)}`)];
}

function checkedLines(result: Checked, state: State, look: Look): string[] {
  const { paint, width } = look;
  const commands = commandsOf(state, look);
  const isExcused = runRules.checks?.isExcused?.(state, result) === true;
  return [
    checkLine(result, commands, paint, width),
    ...failureLines(result, state.cwd, look),
    ...(isExcused ? [paint('dim', '    red before the first iteration: it does not count')] : []),
    ...refusedLines(result.refused ?? []),
    ...(result.index + 1 < commands.length ? [] : rejectionLines(state, look)),
  ];
}

/** A test runner that may not write its caches is refused hundreds of times; a few are enough. */
const MOST_REFUSALS = 3;

function refusedLines(refusals: readonly string[]): string[] {
  const more = refusals.length - MOST_REFUSALS;
  return [
    ...refusals.slice(0, MOST_REFUSALS).map((refusal) => `    Sandbox: ${printable(refusal)}`),
    ...(more > 0 ? [`    Sandbox: and ${plural(more, 'more refusal')}`] : []),
  ];
}

function rejectionLines(state: State, { paint, width }: Look): string[] {
  const { data, phase } = state;
  const { response, failures } = data;
  const expected = expectedBy(state);
  if (failures.length === 0 || !sameResponse(response, expected)) return [];
  const red = failures.map(({ command }) => inOneLine(command)).join(', ');
  const [are, what] = failures.length === 1 ? ['is', 'The failure goes'] : ['are', 'The failures go'];
  const next = phase.at === 'wait' ? ` ${what} into the next prompt.` : '';
  return wrap(`${MARKS.failed} ${expected} rejected: ${red} ${are} red.${next}`, '', '  ', width).map((line) =>
    paint('red', line),
  );
}

const expectedBy = ({ data: { inputs } }: State): string => inputs?.completionResponse ?? '';

function almostDone(heard: string, state: State): string {
  const said = `<response>${printable(heard)}</response>`;
  return `the agent said ${said}; only <response>${expectedBy(state)}</response> counts, without spaces`;
}

function publishedLine(
  { status, task, detail, changed }: Published,
  { inputs, message }: RunData,
  { mask, paint, width }: Look,
): string {
  if (status === 'failed') return failed(printable(detail).replaceAll(/\n(?=.*\S)/g, '\n    '), paint);
  if (status === 'nothing') return paint('dim', '  nothing to commit');
  const done = task === 'push' ? 'pushed' : `${inputs?.scm?.command ?? 'git'} ${inOneLine(task)}`;
  if (task !== 'commit') return paint('green', `${MARKS.done} ${done}`);
  const line = linesOf(`${MARKS.done} committed`, detail.slice(0, 7)).join(' ');
  const figures = changed && `  ${plural(changed.files, 'file')}, +${changed.added} −${changed.removed}`;
  const room = width - line.length - 2 - (figures?.length ?? 0);
  const subject = cutToColumns(inOneLine(mask(message).split('\n', 1)[0] ?? ''), room);
  return paint('green', `${linesOf(line, subject).join('  ')}${figures ?? ''}`);
}

function leftBehindWarning({ leftBehind }: Published): string {
  if (leftBehind === undefined) return '';
  const names = printable(namesOf(leftBehind));
  return `untracked files are not committed: ${names} (set scm.stage to "all" to commit new files)`;
}
