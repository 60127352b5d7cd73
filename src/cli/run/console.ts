/** Shows a `ralph run` loop on the console: the agent on stdout, everything about the loop on stderr. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describeCommand } from '../../agents/command.ts';
import { LOCAL_FILE, SETTINGS_FILE, userSettingsFile } from '../../config/settings.ts';
import type { Action } from '../../core/action.ts';
import type { AgentEvent } from '../../core/events.ts';
import { REVIEW } from '../../core/review/review.ts';
import { linesOf } from '../../core/text/lines-of.ts';
import { runClosing } from '../../loops/run/closing.ts';
import { runMachine } from '../../loops/run/rules.ts';
import type { Display, RunData, RunSteps } from '../../loops/run/state.ts';
import type { ShowFindings } from '../../preflight/before-loop.ts';
import { DEFAULT_FORMAT, eventFormatter, type FormatOptions, holdResult } from '../../stream/formatter.ts';
import { printable } from '../../stream/printable.ts';
import { leftBy, openConsole } from '../terminal/open-console.ts';
import { pivotLines } from '../terminal/pivot-lines.ts';
import { reviewStartLine } from '../terminal/review-lines.ts';
import { clockTime, faultLine } from '../terminal/words.ts';
import type { LoopConsole } from '../terminal.ts';
import { consoleOpening } from './console-opening.ts';
import { type ConsoleOptions, consolePage, numberOf, type Page, type State } from './console-page.ts';
import { consoleRecords } from './console-records.ts';

const ALLOWING = `allow them in agent.flags of ${SETTINGS_FILE}`;

export function runConsole(options: ConsoleOptions): LoopConsole<RunData> & { readonly found: ShowFindings } {
  const screen = openConsole(options, ALLOWING);
  const page = consolePage(options, screen);
  const { found, tell, open } = consoleOpening(options, page);
  const output = agentOutput(options, screen);
  const records = consoleRecords(page, { open, runEnded: screen.runEnded, showHeld: output.showHeld });
  const actions = consoleActions(options, page, { open, workBegins: output.workBegins });
  return {
    show(event) {
      if (event.type === 'action') {
        records.knowVerdict(event.state);
        output.streamAs(event.state);
        actions.show(event.action, event.state);
      } else if (event.type === 'record') records.show(event.record, event.state);
      // Other runs, such as the one for the commit message, are shown by their results.
      else if (event.run.purpose === 'work') {
        const happened = event.event;
        if (happened.type === 'progress') page.detail(() => printable(happened.text));
        if (happened.type === 'fault') page.detail(() => faultLine(happened.fault));
        output.show(happened);
      }
      page.judge(pivotLines(event, page.look()) ?? []);
    },
    ready: screen.ready,
    live: screen.live,
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
      screen.close(runMachine, state, lines, runClosing(state, left, work, clockTime), color);
    },
  };
}

/** Shows the agent's own output; each run of the work has its own formatter. */
function agentOutput(options: ConsoleOptions, { formatWith, showText, showProgress }: ReturnType<typeof openConsole>) {
  let shown = holdResult(eventFormatter());
  let streams = true;
  formatWith(shown.format);
  return {
    streamAs({ data }: State): void {
      streams = data.inputs?.streamAgentOutput ?? true;
    },
    workBegins({ data }: State): void {
      const startedAt = uptime();
      const elapsed = (): number => uptime() - startedAt;
      shown = holdResult(eventFormatter({ ...formatOf(data.inputs?.display, options), elapsed }));
      formatWith(shown.format);
    },
    show(event: AgentEvent): void {
      showProgress(event, streams);
    },
    showHeld(worked: boolean): void {
      if (streams) showText(shown.ended(worked));
    },
  };
}

/** The actions with which a loop can continue in the middle of an iteration. */
const MIDST: ReadonlySet<Action['do']> = new Set(['await', 'check', 'publish', 'step']);
const SHOWN_PROMPT_CHARS = 200;

interface Beginning {
  open(state: State): void;
  workBegins(state: State): void;
}

/** What is shown before an action: the rule above an iteration, and with `--verbose` what happens next. */
function consoleActions({ mask, env }: ConsoleOptions, page: Page, { open, workBegins }: Beginning) {
  const { detail } = page;
  /** The iteration of the last rule. */
  let ruled = 0;
  const rule = (state: State, more: string): void => {
    ruled = state.iteration;
    page.rule(state, more);
  };
  const settingsRead = (cwd: string): void => {
    const files = [userSettingsFile(env) ?? [], SETTINGS_FILE, LOCAL_FILE].flat();
    for (const file of files.filter((one) => existsSync(resolve(cwd, one))))
      detail(() => `Loading settings from ${file}`);
  };
  const start = ({ run, agent, prompt }: Extract<Action, { do: 'start' }>, state: State): void => {
    const isWork = run.purpose === 'work';
    if (isWork) {
      workBegins(state);
      rule(state, run.try > 1 ? `, try ${run.try}` : '');
    }
    detail(() => `Agent command: ${describeCommand(agent, state.cwd, env)}`);
    if (isWork) detail(() => `Iteration ${numberOf(state)} starting`);
    const { review } = state.data.inputs ?? {};
    if (run.purpose === REVIEW && review !== undefined) page.judge([reviewStartLine(state.data.reviews, review)]);
    detail(() => `Prompt: ${[...mask(printable(prompt))].slice(0, SHOWN_PROMPT_CHARS).join('')}`);
  };
  return {
    show(action: Action, state: State): void {
      const { inputs } = state.data;
      page.actionBegins();
      // A loop that is resumed in the middle of an iteration shows something before it reads inputs.
      if (inputs !== null && action.do !== 'read-inputs' && action.do !== 'wait') open(state);
      if (MIDST.has(action.do) && !isBeforeWork(action) && ruled !== state.iteration) rule(state, ', continued');
      if (action.do === 'read-inputs' && state.iteration === 1) settingsRead(state.cwd);
      if (action.do === 'start') start(action, state);
      if (action.do === 'check')
        detail(() => `Running guardrail: ${inputs?.guardrails[action.check.index]?.command ?? ''}`);
    },
  };
}

/** Before the first iteration, there is nothing to continue. */
function isBeforeWork(action: Action): boolean {
  if (action.do === 'check') return action.check.isBaseline === true;
  return action.do === 'step' && action.what === 'prove-base';
}

/** In milliseconds. Unlike `performance`, this does not have to be loaded. */
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
