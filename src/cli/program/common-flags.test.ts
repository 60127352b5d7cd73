/** Every command that starts or continues a loop has the common flags, or says why not and what to use instead. */
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { pathOf, Refused } from './command.ts';
import { COMMON_FLAGS } from './common-flags.ts';
import { everyProgram } from './programs.ts';
import { usageError } from './usage-error.ts';

const programs = await everyProgram();

/** In the order of COMMON_FLAGS. */
const TABLE: Readonly<Record<string, string>> = {
  'ralph run': 'yes yes yes yes yes yes',
  'ralph resume': 'yes yes no no no no',
  'ralph init': 'no no yes no no no',
  // Its -m is the model, as seed 003 says.
  'ralph stories run': 'yes --model yes yes yes yes',
  'ralph stories resume': 'yes no no no no no',
  'ralph task run': 'yes yes yes yes yes yes',
  'ralph task resume': 'yes yes yes yes yes no',
  'ralph job': 'no no yes yes yes yes',
  'ralph session': 'yes yes yes yes yes no',
  'ralph fleet run': 'yes yes yes yes yes no',
  'swarm spawn': 'yes yes yes yes yes yes',
  'swarm ralph resume': 'yes yes no no no no',
  'swarm ralph run': 'no no no no no no',
};

const CELLS = Object.entries(TABLE).flatMap(([path, row]) =>
  COMMON_FLAGS.map((flag, index) => ({ path, flag, has: row.split(' ')[index] ?? '' })),
);

test.each(CELLS)('$path $flag: $has', ({ path, flag, has }) => {
  const option = commandAt(path).options.find(({ short, long }) => flag === short || flag === long);
  const found = option === undefined ? 'no' : has.startsWith('--') ? option.long : 'yes';
  expect(found).toBe(has);
});

const REFUSED = CELLS.filter(({ has }) => has === 'no');

test.each(REFUSED)('$path $flag is refused with the reason, and with what to use instead', async ({ path, flag }) => {
  const { message, advice } = await refusal(commandAt(path), flag);
  expect(message).toMatch(new RegExp(`^${path} has no ${flag}: .+; use .+`));
  expect(message).not.toContain('\n');
  expect(message.length).toBeLessThan(160);
  expect(advice.see).toBe(`${path} --help`);
  // If it suggests a command, that command exists.
  const [, instead = path] = /; use ((?:ralph|swarm)(?: [a-z]+)*) -/.exec(message) ?? [];
  expect(() => commandAt(instead)).not.toThrow();
});

test('--no-sandbox and --maximum-iterations are refused like the flags they belong to', async () => {
  const { message: sandbox } = await refusal(commandAt('ralph session'), '--no-sandbox');
  expect(sandbox).toMatch(/^ralph session has no --no-sandbox: hooks/);
  const { message: limit } = await refusal(commandAt('ralph job'), '--maximum-iterations');
  expect(limit).toBe('ralph job has no --maximum-iterations: a job starts its agent once; use ralph task run -m');
});

const refusal = (command: Command, flag: string) =>
  usageError(new Refused(command, 'commander.unknownOption', `error: unknown option '${flag}'`), async () => programs);

function commandAt(path: string): Command {
  const [binary, ...names] = path.split(' ');
  const program = programs.find((one) => one.name() === binary);
  const command = names.reduce((at, name) => at?.commands.find((one) => one.name() === name), program);
  if (command === undefined || pathOf(command) !== path) throw new Error(`there is no command ${path}`);
  return command;
}
