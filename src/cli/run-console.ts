/** Shows a `ralph run` loop on the console: the agent on stdout, everything about the loop on stderr. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describeCommand } from '../agents/command.ts';
import { LOCAL_FILE, SETTINGS_FILE } from '../config/settings.ts';
import type { Action } from '../core/action.ts';
import { codeOfOutcome, describeOutcome, hasPassed } from '../core/check.ts';
import { sameResponse } from '../core/claims/tag.ts';
import type { Published, Recorded } from '../core/record.ts';
import type { LoopState } from '../core/state.ts';
import { linesOf } from '../core/text/lines-of.ts';
import { namesOf, runClosing } from '../loops/run/closing.ts';
import { type Display, NO_MESSAGE, type RunData } from '../loops/run/rules.ts';
import { isAlmost } from '../loops/run/tally.ts';
import { DEFAULT_FORMAT, eventFormatter, type FormatOptions, holdResult } from '../stream/formatter.ts';
import { printable } from '../stream/printable.ts';
import { leftBy, openConsole } from './terminal/open-console.ts';
import { clockTime, faultLine, outcomeLines } from './terminal/words.ts';
import type { LoopConsole, TerminalOptions } from './terminal.ts';

/** Where the terminal shows colour, the settings may say otherwise. */
export type ConsoleOptions = TerminalOptions & { readonly env: NodeJS.ProcessEnv; readonly verbose: boolean };

type State = LoopState<RunData>;

const SHOWN_PROMPT_CHARS = 200;

export function runConsole(options: ConsoleOptions): LoopConsole<RunData> {
  const { mask, verbose } = options;
  const { say, frame, ready, showText, formatWith, showProgress, close, live } = openConsole(options);
  const detail = (line: () => string): void => {
    if (verbose) say(`[ralph] ${line()}`);
  };
  let shown = holdResult(eventFormatter());
  formatWith(shown.format);
  let began = 0;
  let warned = '';
  let streams = true;

  const beforeAction = (action: Action, state: State): void => {
    // Only then: a clock is 1 ms of the start.
    if (verbose) began = performance.now();
    streams = state.data.inputs?.streamAgentOutput ?? true;
    if (action.do === 'read-inputs' && state.iteration === 1) {
      const files = [SETTINGS_FILE, LOCAL_FILE].filter((file) => existsSync(join(state.cwd, file)));
      for (const file of files) detail(() => `Loading settings from ${file}`);
    }
    if (action.do === 'start') {
      const isWork = action.run.purpose === 'work';
      const number = `${state.iteration}/${state.data.inputs?.maximumIterations ?? 0}`;
      if (isWork) {
        const startedAt = uptime();
        const elapsed = (): number => uptime() - startedAt;
        shown = holdResult(eventFormatter({ ...formatOf(state.data.inputs?.display, options), elapsed }));
        formatWith(shown.format);
        frame(`\n=== Ralph iteration ${number} ===`);
      }
      detail(() => `Agent command: ${describeCommand(action.agent, state.cwd, options.env)}`);
      if (isWork) detail(() => `Iteration ${number} starting`);
      detail(() => `Prompt: ${[...mask(printable(action.prompt))].slice(0, SHOWN_PROMPT_CHARS).join('')}`);
    } else if (action.do === 'check') {
      const command = state.data.inputs?.guardrails[action.check.index]?.command ?? '';
      frame(`Guardrail start: ${command}`);
      detail(() => `Running guardrail: ${command}`);
    }
  };
  const afterRecord = ({ key, result }: Recorded, state: State): void => {
    const took = (): string => `(${((performance.now() - began) / 1000).toFixed(1)}s)`;
    switch (result.kind) {
      case 'inputs':
        for (const file of result.ignored ?? []) say(`warning: ${file} has changed; ${KEPT}`);
        if (result.inputs !== undefined) detail(() => `Settings: ${JSON.stringify(result.inputs)}`);
        return;
      case 'ran': {
        detail(() => `Agent ended ${took()}`);
        if (streams) showText(shown.ended(result.outcome.kind === 'worked'));
        for (const line of outcomeLines(result.outcome)) say(line);
        const heard = result.said.tag === null ? 'no response tag' : `"${printable(result.said.tag)}"`;
        const isMessage = key.includes('/message/');
        if (!isMessage) for (const line of almostDoneLines(result.said.tag, state)) say(line);
        if (isMessage && state.data.message === '') say(`SCM error: ${NO_MESSAGE}; nothing is committed`);
        detail(() => `Completion detection: found ${heard}, looking for "${state.data.inputs?.completionResponse}"`);
        return;
      }
      case 'checked': {
        const code = codeOfOutcome(result.outcome);
        detail(() => `Guardrail ${code === null ? 'ended' : `exited with code ${code}`} ${took()}`);
        for (const refusal of result.refused ?? []) say(`Sandbox: ${printable(refusal)}`);
        for (const line of guardrailLines(result, state)) say(line);
        return;
      }
      case 'published': {
        say(publishedLine(result));
        const warning = leftBehindWarning(result);
        // Said once, and again when it changes.
        if (warning !== '' && warning !== warned) say(warning);
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
      else if (event.type === 'record') afterRecord(event.record, event.state);
      // The commit message's run is shown by what comes of it.
      else if (event.run.purpose === 'work') {
        const happened = event.event;
        if (happened.type === 'progress') detail(() => printable(happened.text));
        if (happened.type === 'fault') detail(() => faultLine(happened.fault));
        showProgress(happened, streams);
      }
    },
    ready,
    live,
    words: { limit: ({ inputs }) => inputs?.maximumIterations },
    tell: say,
    close(driven, state, work) {
      const left = leftBy(driven);
      // A configuration error is printed like any other error, above the closing lines.
      const error = left.kind === 'configuration' ? left : null;
      const lines = linesOf(error && `error: ${error.reason}`, error?.hint !== undefined && `hint: ${error.hint}`);
      close(state, lines, runClosing(state, left, work, clockTime));
    },
  };
}

const KEPT = 'the loop keeps the settings it started with (ralph resume or --live-settings reads them again)';

function guardrailLines(checked: Extract<Recorded['result'], { kind: 'checked' }>, state: State): string[] {
  const guardrails = state.data.inputs?.guardrails ?? [];
  const { command, failAction } = guardrails[checked.index] ?? {};
  const action = hasPassed(checked) ? '' : `, action=${failAction}`;
  const line = `Guardrail end: ${command} (${describeOutcome(checked.outcome)}${action})`;
  if (checked.index + 1 < guardrails.length) return [line];
  const { feedback, failures } = state.data;
  const allPassed = hasPassed(checked) && feedback.length === 0 && failures.length === 0;
  return allPassed ? [line, 'All guardrails passed'] : [line, ...rejectionLines(state)];
}

function rejectionLines({ data: { response, failures, inputs } }: State): string[] {
  const expected = inputs?.completionResponse ?? '';
  if (!sameResponse(response, expected)) return [];
  const red = failures.map(({ command }) => command).join(', ');
  return [`${expected} rejected: ${red} ${failures.length === 1 ? 'is' : 'are'} red`];
}

function almostDoneLines(heard: string | null, { data: { inputs } }: State): string[] {
  const expected = inputs?.completionResponse ?? '';
  if (!isAlmost(heard, expected)) return [];
  const said = `<response>${printable(heard ?? '')}</response>`;
  return [`warning: the agent said ${said}; only <response>${expected}</response> counts, without spaces`];
}

function publishedLine({ status, task, detail }: Published): string {
  if (status === 'failed') return `SCM error: ${printable(detail)}`;
  return status === 'nothing' ? 'SCM: nothing to commit' : `SCM: ${task} ${detail.slice(0, 12)}`.trimEnd();
}

function leftBehindWarning({ leftBehind }: Published): string {
  if (leftBehind === undefined) return '';
  const names = printable(namesOf(leftBehind));
  return `warning: untracked files are not committed: ${names} (set scm.stage to "all" to commit new files)`;
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
