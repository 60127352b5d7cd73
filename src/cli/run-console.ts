/** Shows a `ralph run` loop on the console: the agent on stdout, everything about the loop on stderr. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describeCommand } from '../agents/command.ts';
import { LOCAL_FILE, SETTINGS_FILE, userSettingsFile } from '../config/settings.ts';
import type { Action } from '../core/action.ts';
import { plural } from '../core/budget/usage.ts';
import { codeOfOutcome } from '../core/check.ts';
import { sameResponse } from '../core/claims/tag.ts';
import { MARKS } from '../core/closing/closing-summary.ts';
import type { Finding } from '../core/finding.ts';
import type { Outcome } from '../core/outcome.ts';
import { PIVOT } from '../core/progress/progress.ts';
import type { Published, Recorded } from '../core/record.ts';
import { REVIEW, type Verdict } from '../core/review/review.ts';
import type { LoopState } from '../core/state.ts';
import { linesOf } from '../core/text/lines-of.ts';
import { wrap } from '../core/text/wrap.ts';
import { namesOf, runClosing } from '../loops/run/closing.ts';
import { NO_MESSAGE, runMachine, runRules } from '../loops/run/rules.ts';
import type { Display, RunData, RunSteps } from '../loops/run/state.ts';
import { isAlmost } from '../loops/run/tally.ts';
import type { ShowFindings } from '../preflight/before-loop.ts';
import { cutToColumns } from '../stream/columns.ts';
import { DEFAULT_FORMAT, eventFormatter, type FormatOptions, holdResult } from '../stream/formatter.ts';
import { printable } from '../stream/printable.ts';
import { type Paint, painter } from '../views/paint.ts';
import { checkLine, failureLines, inOneLine, ruleLine } from '../views/verdict-lines.ts';
import { baselineLines } from './run/baseline-lines.ts';
import { baseProofLines, proofLines } from './run/proof-lines.ts';
import { narrowed, openingRows, titleLine, toldLines } from './run-opening.ts';
import { preflightLines } from './terminal/finding-lines.ts';
import { leftBy, openConsole } from './terminal/open-console.ts';
import { pivotLines } from './terminal/pivot-lines.ts';
import { reviewStartLine, verdictLines } from './terminal/review-lines.ts';
import { clockTime, faultLine, isOutOfBudget, OUT_OF_BUDGET, outcomeLines } from './terminal/words.ts';
import type { LoopConsole, TerminalOptions } from './terminal.ts';

/** Where the terminal shows colour, the settings may say otherwise. */
export type ConsoleOptions = TerminalOptions & {
  readonly env: NodeJS.ProcessEnv;
  readonly verbose: boolean;
  /** The prompt, or the file with it; null for a loop that is resumed and says so itself. */
  readonly task: string | null;
};

type State = LoopState<RunData>;

const SHOWN_PROMPT_CHARS = 200;
const WARNING = 'warning: ';
const ALLOWING = `allow them in agent.flags of ${SETTINGS_FILE}`;

/** With these a loop may go on that is resumed in the middle of an iteration. */
const MIDST: ReadonlySet<Action['do']> = new Set(['await', 'check', 'publish', 'step']);

const numberOf = ({ iteration, data }: State): string => `${iteration}/${data.inputs?.maximumIterations ?? 0}`;

export function runConsole(options: ConsoleOptions): LoopConsole<RunData> & { readonly found: ShowFindings } {
  const { mask, verbose } = options;
  const { nameOf, width, say, frame, ready, showText, formatWith, showProgress, runEnded, close, live } = openConsole(
    options,
    ALLOWING,
  );
  const detail = (line: () => string): void => {
    if (verbose) say(`[ralph] ${line()}`);
  };
  let shown = holdResult(eventFormatter());
  formatWith(shown.format);
  let began = 0;
  let warned = '';
  let streams = true;
  let paint = painter(options.stderrColor);
  let opening: 'ahead' | 'begun' | 'over' = 'ahead';
  let isApart = false;
  /** The iteration of the last rule. */
  let ruled = 0;
  let shownVerdict: Verdict | null = null;

  const begin = (): void => {
    if (opening !== 'ahead') return;
    opening = 'begun';
    if (options.task !== null) frame(paint('bold', cutToColumns(titleLine(mask(options.task)), width())));
  };
  const foundLines = (findings: readonly Finding[]): string[] =>
    preflightLines(findings, { paint, mask, width: width() }, options.task === null);
  /** For below the block. */
  const before: Finding[] = [];
  const found: ShowFindings = (findings, goesOn) => {
    if (goesOn && opening !== 'over') before.push(...findings);
    else for (const line of foundLines(findings)) say(line);
  };
  const tell = (line: string): void => {
    begin();
    const told = mask(printable(line));
    for (const one of opening === 'over' ? [told] : narrowed(toldLines(told), width())) say(one);
  };
  const open = (state: State): void => {
    if (opening === 'over') return;
    begin();
    paint = painter(state.data.inputs?.display.color ?? options.stderrColor);
    for (const line of narrowed(openingRows(state, nameOf(state.id), mask), width())) frame(line);
    opening = 'over';
    if (before.length > 0) judge(foundLines(before));
  };
  /** What the loop says about an iteration stands apart from what the agent said. */
  const judge = (lines: readonly string[]): void => {
    if (!isApart && lines.length > 0) frame('');
    isApart ||= lines.length > 0;
    for (const line of lines) say(line);
  };
  const warn = (warning: string): void => {
    judge(wrap(`${WARNING}${warning}`, '', '  ', width()).map((line) => paint('yellow', line)));
  };
  const rule = (state: State, more: string): void => {
    ruled = state.iteration;
    frame(`\n${paint('bold', ruleLine(`${numberOf(state)}${more}`, options.stderr.columns))}`);
    isApart = false;
  };
  /** Whatever record it came with: a claim that was judged before is judged without a run. */
  const showVerdict = ({ reviews: { last }, inputs }: RunData): void => {
    if (last === null || last === shownVerdict || inputs?.review === undefined) return;
    shownVerdict = last;
    judge(verdictLines(last, inputs.review, { mask, paint, width: width() }));
  };
  const beforeAction = (action: Action, state: State): void => {
    const { review: terms } = state.data.inputs ?? {};
    // One that is resumed has shown it before.
    shownVerdict ??= state.data.reviews.last;
    // Only then: a clock is 1 ms of the start.
    if (verbose) began = performance.now();
    streams = state.data.inputs?.streamAgentOutput ?? true;
    // One that is resumed in the middle of an iteration reads no inputs before it shows something.
    if (state.data.inputs !== null && action.do !== 'read-inputs' && action.do !== 'wait') open(state);
    const isBefore =
      (action.do === 'check' && action.check.isBaseline === true) ||
      (action.do === 'step' && action.what === 'prove-base');
    if (MIDST.has(action.do) && !isBefore && ruled !== state.iteration) rule(state, ', continued');
    if (action.do === 'read-inputs' && state.iteration === 1) {
      const files = [userSettingsFile(options.env) ?? [], SETTINGS_FILE, LOCAL_FILE].flat();
      for (const file of files.filter((one) => existsSync(resolve(state.cwd, one))))
        detail(() => `Loading settings from ${file}`);
    }
    if (action.do === 'start') {
      const isWork = action.run.purpose === 'work';
      if (isWork) {
        const startedAt = uptime();
        const elapsed = (): number => uptime() - startedAt;
        shown = holdResult(eventFormatter({ ...formatOf(state.data.inputs?.display, options), elapsed }));
        formatWith(shown.format);
        rule(state, action.run.try > 1 ? `, try ${action.run.try}` : '');
      }
      detail(() => `Agent command: ${describeCommand(action.agent, state.cwd, options.env)}`);
      if (isWork) detail(() => `Iteration ${numberOf(state)} starting`);
      if (action.run.purpose === REVIEW && terms !== undefined) judge([reviewStartLine(state.data.reviews, terms)]);
      detail(() => `Prompt: ${[...mask(printable(action.prompt))].slice(0, SHOWN_PROMPT_CHARS).join('')}`);
    } else if (action.do === 'check') {
      const command = state.data.inputs?.guardrails[action.check.index]?.command ?? '';
      detail(() => `Running guardrail: ${command}`);
    }
  };
  const afterRecord = ({ key, result }: Recorded, state: State): void => {
    const took = (): string => `(${((performance.now() - began) / 1000).toFixed(1)}s)`;
    switch (result.kind) {
      case 'inputs':
        for (const file of result.ignored ?? []) warn(`${file} has changed; ${KEPT}`);
        if (result.inputs !== undefined) detail(() => `Settings: ${JSON.stringify(result.inputs)}`);
        open(state);
        return;
      case 'ran': {
        const isLook = key.includes(`/${PIVOT}/`) || key.includes(`/${REVIEW}/`);
        runEnded();
        detail(() => `Agent ended ${took()}`);
        if (streams && !isLook) showText(shown.ended(result.outcome.kind === 'worked'));
        judge(isOutOfBudget(result, state) ? [needsYou(OUT_OF_BUDGET, paint)] : outcomeVerdict(result.outcome, paint));
        // What came of it is the verdict.
        if (key.includes(`/${REVIEW}/`)) return;
        const heard = result.said.tag === null ? 'no response tag' : `"${printable(result.said.tag)}"`;
        const isMessage = key.includes('/message/');
        if (key.includes(`/${PIVOT}/`)) return;
        if (!isMessage && isAlmost(result.said.tag, expectedBy(state))) warn(almostDone(result.said.tag ?? '', state));
        if (isMessage && state.data.message === '') judge([failed(`nothing is committed: ${NO_MESSAGE}`, paint)]);
        detail(() => `Completion detection: found ${heard}, looking for "${state.data.inputs?.completionResponse}"`);
        return;
      }
      case 'checked': {
        const code = codeOfOutcome(result.outcome);
        detail(() => `Guardrail ${code === null ? 'ended' : `exited with code ${code}`} ${took()}`);
        // Keys are hidden before anything is cut, so that no half of one is shown.
        const commands = state.data.inputs?.guardrails.map(({ command }) => mask(command)) ?? [];
        if (result.isBaseline === true) {
          judge(baselineLines(result, commands, paint, width()));
          return;
        }
        const isExcused = runRules.checks?.isExcused?.(state, result) === true;
        judge([
          checkLine(result, commands, paint, width()),
          ...failureLines(result, state.cwd, { mask, paint, width: width() }),
          ...(isExcused ? [paint('dim', '    red before the first iteration: it does not count')] : []),
          ...refusedLines(result.refused ?? []),
          ...(result.index + 1 < commands.length ? [] : rejectionLines(state, paint, width())),
        ]);
        return;
      }
      case 'stepped': {
        const look = { cwd: state.cwd, mask, paint, width: width() };
        const { base, last } = state.data.proof;
        if (result.what === 'prove' && last !== null) judge(proofLines(last, expectedBy(state), look));
        else if (result.what === 'prove-base' && base !== null) judge(baseProofLines(base, look));
        return;
      }
      case 'waited':
        if (result.command === 'pause') say(`Paused. To continue, run: ralph resume ${nameOf(state.id)}`);
        return;
      case 'published': {
        judge([publishedLine(result, { ...state.data, message: mask(state.data.message) }, paint, width())]);
        const warning = leftBehindWarning(result);
        // Said once, and again when it changes.
        if (warning !== '' && warning !== warned) warn(warning);
        warned = warning;
        detail(() => `SCM ${result.task} ${took()}`);
        return;
      }
      default:
    }
  };

  return {
    show(event) {
      if (event.type === 'action') beforeAction(event.action, event.state);
      else if (event.type === 'record') {
        afterRecord(event.record, event.state);
        showVerdict(event.state.data);
      }
      // The commit message's run is shown by what comes of it.
      else if (event.run.purpose === 'work') {
        const happened = event.event;
        if (happened.type === 'progress') detail(() => printable(happened.text));
        if (happened.type === 'fault') detail(() => faultLine(happened.fault));
        showProgress(happened, streams);
      }
      judge(pivotLines(event, { paint, mask, width: width() }) ?? []);
    },
    ready,
    live,
    words: {
      limit: ({ inputs }) => inputs?.maximumIterations,
      steps: { prove: 'proof', 'prove-base': 'clean checkout', diff: 'diff' } satisfies Record<keyof RunSteps, string>,
    },
    tell,
    found,
    close(driven, state, work) {
      const left = leftBy(driven);
      // A configuration error is printed like any other error, above the closing lines.
      const error = left.kind === 'configuration' ? left : null;
      const lines = linesOf(error && `error: ${error.reason}`, error?.hint !== undefined && `hint: ${error.hint}`);
      const color = state.data.inputs?.display.color ?? options.stderrColor;
      close(runMachine, state, lines, runClosing(state, left, work, clockTime), color);
    },
  };
}

const KEPT = 'the loop keeps the settings it started with (ralph resume or --live-settings reads them again)';

const failed = (what: string, paint: Paint): string => paint('red', `${MARKS.failed} ${what}`);

function outcomeVerdict(outcome: Outcome, paint: Paint): string[] {
  if (outcome.kind === 'failed') return outcomeLines(outcome).map((line) => failed(line, paint));
  return outcomeLines(outcome).map((line) => needsYou(line, paint));
}

const needsYou = (line: string, paint: Paint): string => paint('yellow', `${MARKS['needs-you']} ${line}`);

/** A test runner that may not write its caches is refused hundreds of times: a few say it. */
const MOST_REFUSALS = 3;

function refusedLines(refusals: readonly string[]): string[] {
  const more = refusals.length - MOST_REFUSALS;
  return [
    ...refusals.slice(0, MOST_REFUSALS).map((refusal) => `    Sandbox: ${printable(refusal)}`),
    ...(more > 0 ? [`    Sandbox: and ${plural(more, 'more refusal')}`] : []),
  ];
}

function rejectionLines(state: State, paint: Paint, width: number): string[] {
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
  paint: Paint,
  width: number,
): string {
  if (status === 'failed') return failed(printable(detail).replaceAll(/\n(?=.*\S)/g, '\n    '), paint);
  if (status === 'nothing') return paint('dim', '  nothing to commit');
  const done = task === 'push' ? 'pushed' : `${inputs?.scm?.command ?? 'git'} ${inOneLine(task)}`;
  if (task !== 'commit') return paint('green', `${MARKS.done} ${done}`);
  const line = linesOf(`${MARKS.done} committed`, detail.slice(0, 7)).join(' ');
  const figures = changed && `  ${plural(changed.files, 'file')}, +${changed.added} −${changed.removed}`;
  const room = width - line.length - 2 - (figures?.length ?? 0);
  const subject = cutToColumns(inOneLine(message.split('\n', 1)[0] ?? ''), room);
  return paint('green', `${linesOf(line, subject).join('  ')}${figures ?? ''}`);
}

function leftBehindWarning({ leftBehind }: Published): string {
  if (leftBehind === undefined) return '';
  const names = printable(namesOf(leftBehind));
  return `untracked files are not committed: ${names} (set scm.stage to "all" to commit new files)`;
}

/** In milliseconds, and there from the start: `performance` has to be loaded. */
function uptime(): number {
  return process.uptime() * 1000;
}

function formatOf(display: Display | undefined, options: ConsoleOptions): FormatOptions {
  const { mask } = options;
  if (display === undefined) return { ...DEFAULT_FORMAT, mask };
  const { timestamps, ...limits } = display;
  const color = display.color ?? options.color;
  return { ...DEFAULT_FORMAT, ...limits, mask, color, clock: timestamps ? () => new Date() : null };
}
