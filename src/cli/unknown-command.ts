/** Refuses a mistyped command: a default command would take a mistyped name for an argument of its own. */
import type { Command } from 'commander';
import { nearest } from '../config/nearest.ts';
import { RalphError } from '../core/error.ts';

export function refuseUnknownCommand(program: Command, words: readonly string[]): void {
  let command = program;
  for (const word of words) {
    if (word.startsWith('-') || command.commands.length === 0) return;
    const known = command.commands.flatMap((sub) => [sub.name(), ...sub.aliases()]);
    const next = command.commands.find((sub) => sub.name() === word || sub.aliases().includes(word));
    if (next === undefined && word !== 'help') {
      const meant = nearest(word, known);
      const hint = meant === null ? `ralph ${[...path(command), '--help'].join(' ')}` : `Did you mean ${meant}?`;
      throw new RalphError('COMMAND', `unknown command '${word}'`, { hint });
    }
    if (next === undefined) return;
    command = next;
  }
}

function path(command: Command): string[] {
  return command.parent === null ? [] : [...path(command.parent), command.name()];
}
