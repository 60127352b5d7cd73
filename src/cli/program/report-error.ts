/** Shows an error: one red line of fact, below it what helps. An error that the user cannot act on is a bug. */
import { CommanderError } from 'commander';
import { hasColor } from '../../config/color.ts';
import { choosableFolders, ownMask } from '../../config/environment.ts';
import { RalphError } from '../../core/error.ts';
import { SYSTEM_FAULT, systemFault } from '../../core/system-fault.ts';
import { wrap } from '../../core/text/wrap.ts';
import { printable } from '../../stream/printable.ts';
import { type Paint, painter } from '../../views/paint.ts';
import { Refused } from './command.ts';
import { type Programs, usageError } from './usage-error.ts';

/** Prints the error on stderr, and returns the exit code. */
export async function reportError(error: unknown, binary: string, programs: Programs): Promise<number> {
  // Commander has shown help; asking for it or for the version is no error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const paint = painter(hasColor(process.stderr.isTTY));
  const mask = ownMask();
  const known = error instanceof Refused ? await usageError(error, programs) : error;
  const expected = known instanceof RalphError ? known : systemFault(known, { choosable: choosableFolders() });
  if (expected === null) {
    const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(mask(`${binary}: this is a bug, please report it\n${trace}\n`));
    return 70;
  }
  // A message can contain an agent's text, so it is masked and made printable.
  const { columns, isTTY } = process.stderr;
  // On a terminal, wrap at blanks, except for indented lines, which show an excerpt of a file.
  const fitted = (text: string): string =>
    isTTY && !text.startsWith(' ') ? wrap(text, '', '  ', columns).join('\n') : text;
  const lines = linesOfError(expected, binary).map((line) => ({ ...line, text: fitted(printable(mask(line.text))) }));
  process.stderr.write(lines.map(({ text, style }) => `${style === null ? text : paint(style, text)}\n`).join(''));
  // Seed 000 has only one exit code for errors.
  return binary === 'swarm' && expected.code === SYSTEM_FAULT ? 1 : expected.advice.exitCode;
}

interface Line {
  readonly text: string;
  readonly style: Parameters<Paint>[0] | null;
}

function linesOfError({ code, message, advice }: RalphError, binary: string): Line[] {
  const isSwarm = binary === 'swarm';
  const [fact = '', ...more] = message.split('\n');
  // Seed 003's program only warns if a project is already prepared.
  const isWarning = code === 'INITIALIZED';
  const prefix = isWarning ? 'Warning: ' : isSwarm ? 'swarm: error: ' : 'error: ';
  return [
    { text: `${prefix}${fact}`, style: isWarning ? 'yellow' : 'red' },
    ...more.map((text) => ({ text, style: null })),
    ...(advice.hint === undefined ? [] : [{ text: `${isSwarm ? 'swarm' : 'hint'}: ${advice.hint}`, style: null }]),
    ...(advice.see === undefined ? [] : [{ text: `see: ${advice.see}`, style: 'dim' as const }]),
  ];
}
