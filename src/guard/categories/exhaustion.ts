/** Fork bombs, and files or memory that fill without end. */
import { block, type Category, type Concern, warn } from '../category.ts';
import type { Command } from '../command.ts';
import { readOptions } from '../options.ts';
import { ENDLESS_FORK, FORK_BOMB } from '../run/exhaustion.ts';
import { writesOf } from '../writes.ts';

const ENDLESS = ['/dev/zero', '/dev/urandom', '/dev/random'];
/** A bomb is short. */
const LONGEST_CODE = 1000;
const LARGE_BYTES = 50 * 1024 ** 3;
const UNITS = ['', 'K', 'M', 'G', 'T', 'P'];

export const exhaustion: Category = {
  number: 3,
  name: 'resource exhaustion',
  instead: 'Set a limit: a count, a size, a number of jobs.',
  look(command) {
    const { name } = command;
    if (name === FORK_BOMB) return block('is a fork bomb');
    if (name === ENDLESS_FORK) return block('starts processes without end');
    if (['perl', 'python', 'python3', 'ruby'].includes(name) && forks(command)) return block('forks without end');
    if (name === 'dd') return fillsByDd(command);
    if (name === 'fallocate' || name === 'truncate') return allocates(command);
    if (name === 'stress' || name === 'stress-ng') return warn('uses all of the machine’s resources');
    if (name === 'tail' && reads(command)) return block('reads an endless file into memory');
    return fillsAFile(command);
  },
};

/** `yes > x`, `cat /dev/zero > x`: nothing between the endless and the file bounds it. */
function fillsAFile(command: Command): Concern | null {
  const isEndless = (each: Command) => each.name === 'yes' || (each.name === 'cat' && reads(each));
  const isFile = writesOf(command).some((path) => !path.startsWith('/dev/'));
  if (!isFile) return null;
  if (isEndless(command)) return block('writes without end');
  const passes = ['cat', 'tee', 'pv', 'tr', 'base64', 'sed'].includes(command.name);
  const isBound = command.input.from.some(({ name }) => name === 'head' || name === 'timeout');
  return passes && !isBound && command.input.from.some(isEndless) ? block('writes without end') : null;
}

function reads(command: Command): boolean {
  return command.args.some(({ text }) => ENDLESS.includes(text));
}

function forks(command: Command): boolean {
  return command.args.some(
    ({ text }) => text.length < LONGEST_CODE && /\bfork\b[\s()]*while\b|\bwhile\b[^;]*[:{][^;]*\bfork\b/s.test(text),
  );
}

function fillsByDd(command: Command): Concern | null {
  const texts = command.args.map(({ text }) => text);
  const isEndless = ENDLESS.some((path) => texts.includes(`if=${path}`));
  const of = texts.find((text) => text.startsWith('of='));
  const isBound = texts.some((text) => text.startsWith('count='));
  return isEndless && of !== undefined && of !== 'of=/dev/null' && !isBound ? block('writes without end') : null;
}

function allocates(command: Command): Concern | null {
  const [size] = readOptions(command.args, { letters: 'los', names: ['length', 'offset', 'size'] }).values(
    'l',
    's',
    'length',
    'size',
  );
  const [, digits = '0', unit = ''] = /^\+?(\d+)([KMGTP]?)/i.exec(size?.text ?? '') ?? [];
  const bytes = Number(digits) * 1024 ** Math.max(UNITS.indexOf(unit.toUpperCase()), 0);
  return bytes >= LARGE_BYTES && command.name === 'fallocate'
    ? block(`allocates ${size?.text ?? ''} of disk space`)
    : null;
}
