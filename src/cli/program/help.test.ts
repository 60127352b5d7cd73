/** What `--help` of every command of both programs shows. */
import { stripVTControlCharacters } from 'node:util';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { pathOf } from './command.ts';
import { everyProgram } from './programs.ts';

const programs = await everyProgram();
const commands = programs.flatMap(inAndBelow).map((command) => [pathOf(command), command] as const);

describe.each(commands)('%s --help', (path, command) => {
  const help = helpOf(command, false);
  const lines = help.split('\n');

  test('fits 80 columns', () => expect(lines.filter((line) => line.length > 80)).toEqual([]));

  test('says what the command does, in a sentence', () => {
    expect(command.description()).toMatch(/^[A-Z].*\.$/s);
    expect(help).toContain(command.description().split(' ').slice(0, 3).join(' '));
  });

  test('has an example', () => {
    const [, examples = ''] = /^Examples?:\n((?: {2}.*\n)+)/m.exec(help) ?? [];
    expect(examples).toContain(`  ${path}`);
  });

  test('describes every flag and argument', () => {
    const flags = command.createHelp().visibleOptions(command);
    const named = [...flags, ...command.registeredArguments].filter(({ description }) => description === '');
    expect(named.map((each) => ('flags' in each ? each.flags : each.name()))).toEqual([]);
  });
});

test('every command of a program has one line in its help', () => {
  for (const program of programs) {
    const help = helpOf(program, false);
    for (const command of program.createHelp().visibleCommands(program)) {
      expect(help).toMatch(new RegExp(`^  ${command.name()} +[A-Z].*\\n(  \\S|$)`, 'm'));
    }
  }
});

test('headings are bold if there is colour, and nothing is without', () => {
  const [ralph] = programs;
  if (ralph === undefined) throw new Error('there is no program');
  const [plain, styled] = [helpOf(ralph, false), helpOf(ralph, true)];
  for (const heading of ['Usage:', 'Run a loop:', 'See and steer:', 'Set up:', 'Options:', 'Examples:']) {
    expect(styled).toContain(`\u001B[1m${heading}\u001B[22m`);
  }
  expect(plain).not.toContain('\u001B');
  expect(stripVTControlCharacters(styled)).toBe(plain);
});

test('flags of ralph run are grouped', () => {
  const run = commands.find(([path]) => path === 'ralph run')?.[1];
  const headings = run === undefined ? [] : helpOf(run, false).match(/^\S.*:$/gm);
  expect(headings).toEqual(
    expect.arrayContaining(['Prompt:', 'Agent and checks:', 'Limits:', 'Where it runs:', 'Output:']),
  );
  expect(headings).not.toContain('Options:');
});

function helpOf(command: Command, hasColors: boolean): string {
  let text = '';
  const write = (piece: string): void => {
    text += piece;
  };
  command.configureOutput({ writeOut: write, getOutHasColors: () => hasColors, getOutHelpWidth: () => 200 });
  command.outputHelp();
  return text;
}

/** All commands except hidden ones, which only ralph itself calls. */
function inAndBelow(command: Command): Command[] {
  const own = command.createHelp().visibleCommands(command);
  return [command, ...own.flatMap(inAndBelow)];
}
