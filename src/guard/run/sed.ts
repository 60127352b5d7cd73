/** What a script of GNU sed runs (`1e x`, `s/a/x/e`) and writes (`1w file`, `s/a/b/w file`). */
import type { Command } from '../command.ts';
import { readOptions } from '../options.ts';

/** An address, as far as a script has one before its command: `1`, `$`, `/x/`, `1,5`, `!`. */
const ADDRESS = String.raw`(?:(?:\d+|\$|/(?:[^/\n]|\\/)*/)(?:,(?:[+~]?\d+|\$|/(?:[^/\n]|\\/)*/))?\s*!?\s*)?`;
const EXECUTES = new RegExp(String.raw`^\s*${ADDRESS}e(?:\s+(.+))?$`, 's');
const WRITES = new RegExp(String.raw`^\s*${ADDRESS}[wW]\s*(\S.*)$`, 's');
const SUBSTITUTES = new RegExp(
  String.raw`^\s*${ADDRESS}s([^\s\w\\])(?:(?!\1)[^\\]|\\.)*\1((?:(?!\1)[^\\]|\\.)*)\1([a-zA-Z0-9]*)(?:\s+(.*))?$`,
  's',
);
const LONGEST = 2000;

/** The first operand is the script unless `-e` or `-f` brings one; the others are the files that it goes through. */
export function readSed({ args, words }: Command) {
  const options = readOptions(
    args.filter(({ text }) => !/^-i./.test(text)),
    { letters: 'ef', names: ['expression', 'file'] },
  );
  const given = options.values('e', 'expression');
  const isGiven = given.length + options.values('f', 'file').length > 0;
  const scripts = isGiven ? given : options.operands.slice(0, 1);
  // Also split at `;` and `{`: what stands behind them is a command of its own.
  const lines = scripts.flatMap(({ text }) => (text.length > LONGEST ? [] : [text, ...text.split(/[;\n{}]/)]));
  return {
    files: isGiven ? options.operands : options.operands.slice(1),
    isInPlace: words.some((text) => /^-[a-zA-Z]*i|^--in-place/.test(text)),
    runs: lines.flatMap(runBy),
    writes: lines.flatMap(writtenBy),
  };
}

function runBy(line: string): string[] {
  const executed = EXECUTES.exec(line);
  if (executed !== null) return executed[1] === undefined ? [] : [executed[1]];
  const [, , replacement = '', flags = ''] = SUBSTITUTES.exec(line) ?? [];
  return flags.includes('e') ? [replacement] : [];
}

function writtenBy(line: string): string[] {
  const [, , , flags = '', file] = SUBSTITUTES.exec(line) ?? [];
  const path = WRITES.exec(line)?.[1] ?? (flags.endsWith('w') ? file : undefined);
  return path === undefined ? [] : [path];
}
