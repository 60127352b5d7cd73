/** Where both programs begin and end: the command line is read, the command runs, its errors are shown. */
import { closeSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { Command } from 'commander';
import { RalphError } from '../core/error.ts';
import { Refused } from './program/command.ts';
import { everyProgram, ralphProgram, swarmProgram } from './program/programs.ts';

export async function main(binary: 'ralph' | 'swarm'): Promise<void> {
  const words = process.argv.slice(2);
  const program = binary === 'ralph' ? await ralphProgram(words) : await swarmProgram();
  letGoOfClosedTerminal();
  process.stdout.on('error', readerGone);
  process.stderr.on('error', readerGone);
  // Errors thrown in timers and watchers, outside of any await.
  process.once('uncaughtException', (error) => void reportAndExit(error, binary));
  try {
    if (binary === 'ralph') refuseUnknownCommand(program, words);
    await program.parseAsync();
  } catch (error) {
    const isBare = words.length === 0 && error instanceof RalphError && error.code === 'PROMPT';
    if (isBare) await (await import('./program/bare.ts')).showFirstSteps();
    process.exitCode = await report(error, binary);
  }
  await Promise.all([flush(process.stdout), flush(process.stderr)]);
  // What is still open (a watch, a timer) must not keep a finished program alive.
  process.exit();
}

/** A default command would take a mistyped name for an argument of its own. */
function refuseUnknownCommand(program: Command, words: readonly string[]): void {
  let command = program;
  for (const word of words) {
    if (word.startsWith('-') || command.commands.length === 0) return;
    if (word === 'help') continue;
    // A name has no blanks in it: this is the prompt of a run.
    if (command === program && /\s/.test(word)) return;
    const next = command.commands.find((sub) => sub.name() === word || sub.aliases().includes(word));
    if (next === undefined) throw new Refused(command, 'commander.unknownCommand', `error: unknown command '${word}'`);
    command = next;
  }
}

async function report(error: unknown, binary: string): Promise<number> {
  return (await import('./program/report-error.ts')).reportError(error, binary, everyProgram);
}

async function reportAndExit(error: unknown, binary: string): Promise<never> {
  process.exit(await report(error, binary));
}

function readerGone(): void {
  // A reader that went away (`ralph run | head`) ends the showing, not the work.
}

/** Node resets the terminal that it was started in when it exits, and aborts where that has been closed meanwhile. */
function letGoOfClosedTerminal(): void {
  const terminals = [0, 1, 2].filter((fd) => isatty(fd));
  process.once('exit', () => {
    for (const fd of terminals) if (!isatty(fd)) closeSync(fd);
  });
}

function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}
