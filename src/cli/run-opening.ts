/** The first lines of `ralph run`: what it is to do, with what, how far, and how to follow it from elsewhere. */
import type { LoopState } from '../core/state.ts';
import { formatDuration } from '../core/text/duration.ts';
import type { Mask } from '../core/text/mask.ts';
import { WIDTH, wrap } from '../core/text/wrap.ts';
import { plural } from '../core/usage.ts';
import type { RunData } from '../loops/run/rules.ts';
import { columnsOf, cutToColumns, padToColumns } from '../stream/columns.ts';
import { inOneLine } from './terminal/verdict-lines.ts';

/** As wide as `isolation`. */
const NAME_WIDTH = 9;
const ROOM = WIDTH - 2 - NAME_WIDTH - 2;
/** Where hints stand, if what they are for leaves room: behind an id and two blanks. */
const HINT_COLUMN = 26;

/** `ralph · fix the failing tests`; a prompt from a file is called by the file's name. */
export function titleLine(task: string): string {
  const [line = ''] = task.trim().split('\n', 1);
  return cutToColumns(`ralph · ${inOneLine(line)}`, WIDTH);
}

/** What is told as `Name: words` before the loop begins becomes a row of the block; anything else stays a sentence. */
export function toldLines(line: string): string[] {
  const [, name, words] = /^([A-Z][a-z]{1,8}): (.+)$/.exec(line) ?? [];
  return name === undefined || words === undefined ? wrap(line, '', '  ') : [row(name.toLowerCase(), words)];
}

/** Keys are hidden before anything is cut, so that no half of one is shown. */
export function openingRows({ data: { inputs } }: LoopState<RunData>, name: string, mask: Mask): string[] {
  if (inputs === null) return [];
  const { agent, guardrails, maximumIterations, agentTimeoutMs, completionResponse } = inputs;
  const limits = [
    plural(maximumIterations, 'iteration'),
    ...(agentTimeoutMs === null ? [] : [`${formatDuration(agentTimeoutMs)} for each run of the agent`]),
  ];
  return [
    row('agent', nameOf(mask(agent.command))),
    ...checkRows(
      guardrails.map(({ command }) => inOneLine(mask(command))),
      inOneLine(mask(completionResponse)),
    ),
    row('limits', limits.join(', '), '(-m)'),
    row('loop', name, `ralph logs ${name} -f`),
  ];
}

/** All of them in one row, or each in its own: a command that cannot be seen whole says little. */
function checkRows(commands: readonly string[], done: string): string[] {
  if (commands.length === 0) return [row('checks', `none: ${cutToColumns(done, 20)} is taken at the agent's word`)];
  const together = commands.join(' · ');
  if (columnsOf(together) <= ROOM) return [row('checks', together)];
  return commands.map((command, index) => row(index === 0 ? 'checks' : '', command));
}

function row(name: string, words: string, hint = ''): string {
  const shown = cutToColumns(words, ROOM);
  const beside = `${padToColumns(shown, Math.max(HINT_COLUMN, columnsOf(shown) + 2))}${hint}`;
  const fits = hint !== '' && columnsOf(beside) <= ROOM;
  return `  ${name.padEnd(NAME_WIDTH)}  ${fits ? beside : shown}`;
}

const nameOf = (command: string): string => inOneLine(command.slice(command.lastIndexOf('/') + 1));
