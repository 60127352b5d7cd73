/** Fork bombs, and files or memory that fill without end. */
import { block, type Category, type Concern, warn } from '../category.ts';
import type { Command } from '../command.ts';
import { readOptions } from '../options.ts';
import { ENDLESS_FORK, FORK_BOMB } from '../run/exhaustion.ts';
import { writesOf } from '../writes.ts';

const ENDLESS = /^\/dev\/(?:zero|u?random)$/;
const FORKS = /\bfork\b[\s()]*while\b|\bwhile\b[^;]*[:{][^;]*\bfork\b/s;
/** A bomb is short. */
const LONGEST_CODE = 1000;
const LARGE_BYTES = 50 * 1024 ** 3;
const UNITS = ['', 'K', 'M', 'G', 'T', 'P'];
const WITHOUT_END = block('writes without end');

export const exhaustion: Category = {
  number: 3,
  name: 'resource exhaustion',
  instead: 'Set a limit: a count, a size, a number of jobs.',
  look(command) {
    const { name, words } = command;
    if (name === FORK_BOMB) return block('is a fork bomb');
    if (name === ENDLESS_FORK) return block('starts processes without end');
    if (name === 'dd') return fillsByDd(words);
    if (name === 'fallocate') return allocates(command);
    if (name === 'stress' || name === 'stress-ng') return warn('uses all of the machine’s resources');
    if (name === 'tail' && readsEndless(command)) return block('reads an endless file into memory');
    const isBomb = /^(?:perl|python3?|ruby)$/.test(name) && words.some((text) => isShort(text) && FORKS.test(text));
    return isBomb ? block('forks without end') : fillsAFile(command);
  },
};

/** `yes > x`, `cat /dev/zero > x`: nothing between the endless and the file bounds it. */
function fillsAFile(command: Command): Concern | null {
  const isEndless = (each: Command) => each.name === 'yes' || (each.name === 'cat' && readsEndless(each));
  if (writesOf(command).every((path) => path.startsWith('/dev/'))) return null;
  if (isEndless(command)) return WITHOUT_END;
  const { from } = command.input;
  const passes = /^(?:cat|tee|pv|tr|base64|sed)$/.test(command.name);
  const isBound = from.some(({ name }) => name === 'head' || name === 'timeout');
  return passes && !isBound && from.some(isEndless) ? WITHOUT_END : null;
}

function readsEndless({ words }: Command): boolean {
  return words.some((text) => ENDLESS.test(text));
}

function isShort(code: string): boolean {
  return code.length < LONGEST_CODE;
}

function fillsByDd(words: readonly string[]): Concern | null {
  const isEndless = words.some((text) => text.startsWith('if=') && ENDLESS.test(text.slice(3)));
  const target = words.find((text) => text.startsWith('of=')) ?? 'of=/dev/null';
  const isBound = words.some((text) => text.startsWith('count='));
  return isEndless && target !== 'of=/dev/null' && !isBound ? WITHOUT_END : null;
}

function allocates(command: Command): Concern | null {
  const options = readOptions(command.args, { letters: 'los', names: ['length', 'offset', 'size'] });
  const size = options.values('l', 's', 'length', 'size')[0]?.text ?? '';
  const [, digits = '0', unit = ''] = /^\+?(\d+)([KMGTP]?)/i.exec(size) ?? [];
  const bytes = Number(digits) * 1024 ** UNITS.indexOf(unit.toUpperCase());
  return bytes >= LARGE_BYTES ? block(`allocates ${size} of disk space`) : null;
}
