/** The first lines of `ralph run`: its task, agent, checks and limits, and how to follow it from elsewhere. */
import { isAbsolute } from 'node:path';
import type { LoopTerms } from '../../core/budget/terms.ts';
import { dollars, plural, shortCount } from '../../core/budget/usage.ts';
import { humanDuration } from '../../core/closing/closing-summary.ts';
import type { ProofTerms } from '../../core/proof/proof.ts';
import type { ReviewTerms } from '../../core/review/review.ts';
import type { LoopState } from '../../core/state.ts';
import { formatDuration } from '../../core/text/duration.ts';
import { linesOf } from '../../core/text/lines-of.ts';
import type { Mask } from '../../core/text/mask.ts';
import { WIDTH, wrap } from '../../core/text/wrap.ts';
import type { RunRequest } from '../../loops/run/request.ts';
import type { RunData, RunInputs } from '../../loops/run/state.ts';
import { columnsOf, cutToColumns, padToColumns } from '../../stream/columns.ts';
import { inOneLine } from '../../views/verdict-lines.ts';
import { clockTime } from '../terminal/words.ts';

/** As wide as `isolation`. */
const NAME_WIDTH = 9;
const ROOM = WIDTH - 2 - NAME_WIDTH - 2;
/** The column of hints, if the words before them leave room: after an id and two blanks. */
const HINT_COLUMN = 26;

/** `ralph · fix the failing tests`; for a prompt from a file, the name of the file. */
export function titleLine(task: string): string {
  const [line = ''] = task.trim().split('\n', 1);
  return cutToColumns(`ralph · ${inOneLine(line)}`, WIDTH);
}

/** A message before the loop begins becomes a row of the block if it is like `Name: words`; others stay sentences. */
export function toldLines(line: string): string[] {
  const [, name, words] = /^([A-Z][a-z]{1,8}): (.+)$/.exec(line) ?? [];
  return name === undefined || words === undefined ? wrap(line, '', '  ') : [row(name.toLowerCase(), words)];
}

/** Secrets are masked before anything is cut, so that no half of one is shown. */
export function openingRows({ data, terms }: LoopState<RunData>, name: string, mask: Mask): string[] {
  const { inputs, request } = data;
  if (inputs === null) return [];
  const { agent, guardrails, maximumIterations, agentTimeoutMs, completionResponse, scm, review } = inputs;
  const limits = [
    // A resumed loop can have been given another limit than the one in its inputs.
    plural(request.maximumIterations ?? maximumIterations, 'iteration'),
    ...(agentTimeoutMs === null ? [] : [`${formatDuration(agentTimeoutMs)} for each run of the agent`]),
    ...termWords(terms),
  ];
  return [
    row('agent', agentWords(nameOf(mask(agent.command)), request), agentHint(request)),
    ...checkRows(
      guardrails.map(({ command }) => inOneLine(mask(command))),
      inOneLine(mask(completionResponse)),
      checksHint(request),
    ),
    ...(request.proof === undefined ? [] : [proofRow(request.proof, inputs, mask)]),
    ...(review === undefined ? [] : [reviewRow(review)]),
    ...(scm?.tasks.includes('commit') === true ? [commitRow(scm.message)] : []),
    row('limits', limits.join(', '), '(-m)'),
    row('loop', name, `ralph logs ${name} -f`),
  ];
}

/** The budget and the time limit of the loop. */
function termWords({ budget: { costUsd, tokens, timeMs } = {}, notAfter }: LoopTerms): string[] {
  return linesOf(
    costUsd !== undefined && dollars(costUsd),
    tokens !== undefined && `${shortCount(tokens)} tokens`,
    timeMs !== undefined && `${humanDuration(timeMs)} of work`,
    notAfter !== undefined && `no start after ${clockTime(notAfter)}`,
  );
}

/** `claude 2.1.325, unattended in the OS sandbox`. If the settings decide, only the agent; the sandbox has a row. */
function agentWords(agent: string, { chosen, sandbox }: RunRequest): string {
  if (chosen?.isUnattended === undefined) return agent;
  const named = chosen.version === null ? agent : `${agent} ${inOneLine(chosen.version)}`;
  const place = PLACES[sandbox?.kind ?? 'none'];
  if (!chosen.isUnattended) return `${named}, ${place ?? 'no sandbox'}`;
  return `${named}, unattended${place === undefined ? ', no sandbox' : ` ${place}`}`;
}

const PLACES: Readonly<Record<string, string>> = { os: 'in the OS sandbox', docker: 'in a Docker sandbox' };

const agentHint = ({ chosen }: RunRequest): string => (chosen?.agent == null ? '' : '(--agent to change)');

/** Where the checks come from and how to change them; empty if they are in the settings. */
function checksHint({ chosen }: RunRequest): string {
  if (chosen?.checks == null) return '';
  const { checks: origin } = chosen.origins;
  if (origin === '') return '(--check to add one)';
  // The path of the user's own settings would fill the row.
  const from = isAbsolute(origin) ? 'your settings' : inOneLine(origin);
  return from === '--check' ? '(--check)' : `(${from}; --check to change)`;
}

/** All checks in one row, or each in its own: a command that is cut off says little. */
function checkRows(commands: readonly string[], done: string, hint: string): string[] {
  if (commands.length === 0) return [row('checks', `none: nothing will check ${cutToColumns(done, 20)}`, hint)];
  const together = commands.join(' · ');
  const isOne = columnsOf(together) <= ROOM;
  const rows = isOne ? [together] : commands;
  const isBeside = isOne && columnsOf(together) + 2 + columnsOf(hint) <= ROOM;
  const below = hint === '' || isBeside ? [] : [row('', hint)];
  return [...rows.map((words, index) => row(index === 0 ? 'checks' : '', words, isBeside ? hint : '')), ...below];
}

/** A setup that ralph detects is not known yet: it is detected in the checkout. */
function proofRow({ setup }: ProofTerms, { guardrails, completionResponse }: RunInputs, mask: Mask): string {
  if (guardrails.length === 0) return row('proof', 'without checks, nothing is proved', '(--check to add one)');
  const after = setup === null ? '' : `, after ${inOneLine(mask(setup))}`;
  const done = cutToColumns(inOneLine(mask(completionResponse)), 20);
  return row('proof', `${done} is proved in a clean checkout${after}`, '(--no-prove)');
}

function reviewRow({ by, rounds }: ReviewTerms): string {
  return row('review', `${inOneLine(by.name)}, ${plural(rounds, 'round')}`, '(--review-agent, --review-rounds)');
}

/** Announces an extra call of the agent, because it costs money. */
function commitRow(message: 'agent' | 'template' = 'agent'): string {
  const who =
    message === 'template' ? 'with a message made from the prompt' : 'the agent is called again for each message';
  return row('commits', who, '(scm.message)');
}

function row(name: string, words: string, hint = ''): string {
  const shown = cutToColumns(words, ROOM);
  const beside = `${padToColumns(shown, Math.max(HINT_COLUMN, columnsOf(shown) + 2))}${hint}`;
  const fits = hint !== '' && columnsOf(beside) <= ROOM;
  return `  ${name.padEnd(NAME_WIDTH)}  ${fits ? beside : shown}`;
}

const nameOf = (command: string): string => inOneLine(command.slice(command.lastIndexOf('/') + 1));

/** The columns before the words of a row. */
const BEFORE = 2 + NAME_WIDTH + 2;

/** Fits the lines to a narrow terminal: rows continue on the next line, and hints in parentheses are left out. */
export function narrowed(lines: readonly string[], width: number): string[] {
  return lines.flatMap((line) => {
    if (columnsOf(line) <= width) return [line];
    const isRow = line.startsWith('  ') && line.slice(NAME_WIDTH + 2, BEFORE) === '  ';
    if (!isRow) return [cutToColumns(line, width)];
    const [words = '', ...hints] = line.slice(BEFORE).split(/ {2,}/);
    const shown = [words, ...hints.filter((hint) => !hint.startsWith('('))];
    const wrapped = shown.flatMap((part) => wrap(part, '', '', width - BEFORE));
    return wrapped.map((part, index) => {
      const before = index === 0 ? line.slice(0, BEFORE) : ' '.repeat(BEFORE);
      return `${before}${cutToColumns(part, width - BEFORE)}`;
    });
  });
}
