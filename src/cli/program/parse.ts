/** Runs a command line: declares the commands, and lets commander find the one that is meant. */
import { closeSync } from 'node:fs';
import { isatty } from 'node:tty';
import type { Command } from 'commander';
import { Refused } from './command.ts';
import { ralphProgram, swarmProgram } from './programs.ts';

export async function runProgram(binary: 'ralph' | 'swarm', words: readonly string[]): Promise<void> {
  letGoOfClosedTerminal();
  const program = binary === 'ralph' ? await ralphProgram(words) : await swarmProgram();
  if (binary === 'ralph') refuseUnknownCommand(program, words);
  await program.parseAsync();
}

/** Otherwise, a default command would take a mistyped name for its own argument. */
function refuseUnknownCommand(program: Command, words: readonly string[]): void {
  let command = program;
  for (const word of words) {
    if (word.startsWith('-') || command.commands.length === 0) return;
    if (word === 'help') continue;
    // Names have no blanks, so this is the prompt of a run.
    if (command === program && /\s/.test(word)) return;
    const next = command.commands.find((sub) => sub.name() === word || sub.aliases().includes(word));
    if (next === undefined) throw new Refused(command, 'commander.unknownCommand', `error: unknown command '${word}'`);
    command = next;
  }
}

/** On exit, Node resets its terminal, and aborts if that was closed in the meantime: close what is left of it first. */
function letGoOfClosedTerminal(): void {
  const terminals = [0, 1, 2].filter((fd) => isatty(fd));
  process.once('exit', () => {
    for (const fd of terminals) if (!isatty(fd)) closeSync(fd);
  });
}
