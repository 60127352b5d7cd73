/** The command line of a loop inside a session with random tasks and flags: the task arrives unchanged. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readCommandLine } from '../../src/loops/session/command-line.ts';

const PIECES = [
  ...`'"\`$(){}[]<>|&;#\\!*?~=,:-/`,
  ...'$( ${ $(( `ls` !! -- --- --- --max-iterations=3 --x -x <promise>DONE</promise> \\" \\n é 🙂 \u2028 word "quoted" \'s'.split(
    ' ',
  ),
  '\n',
  '\n---\n',
  '\t',
  '  ',
];

const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join('')),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join(' ')),
);

/** Matches text that people, too, would read as the end of a quoted task. */
const ENDS_EARLY = /(?<!\\)"\s*(?:\s-+[A-Za-z]|$)/;

const flags = fc.record({
  'max-iterations': fc.integer({ min: 1, max: 1_000_000 }).map(String),
  'min-tool-calls': fc.nat(50).map(String),
  'completion-promise': fc
    .stringMatching(/^[A-Za-z][A-Za-z'"! ]{0,20}[A-Z]$/)
    .filter((text) => !/["']\s|["']$/.test(text)),
});

test('everything after -- is the task', () => {
  fc.assert(
    fc.property(nasty, fc.integer({ min: 1, max: 999 }), (task, n) => {
      fc.pre(task.trim() !== '');
      expect(readCommandLine(`--max-iterations ${n} -- ${task}`, { ultrawork: false })).toMatchObject({
        kind: 'begin',
        request: { task: task.trim(), maximumIterations: n },
      });
    }),
    { numRuns: 2000 },
  );
});

/** Matches text that, in quotes, reads as several quoted words, as in "Fix" and "Test". */
const OF_QUOTED_WORDS = /"\s(?:[\s\S]*\s)?"\S/;

test('a quoted task arrives unchanged, with flags of both forms before and after it', () => {
  fc.assert(
    fc.property(nasty, flags, fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }), (task, given, coins) => {
      fc.pre(task.trim() !== '' && !ENDS_EARLY.test(task) && !OF_QUOTED_WORDS.test(task) && !task.endsWith('\\'));
      // If both contain bare quotes, it is ambiguous where one ends and the other begins.
      fc.pre(!task.includes('"') || !given['completion-promise'].includes('"'));
      const words = Object.entries(given).map(([name, value], index) => ({
        text: `--${name}${coins[index] ? '=' : ' '}"${value}"`,
        isBefore: coins[index + 3] === true,
      }));
      const line = [
        ...words.filter(({ isBefore }) => isBefore).map(({ text }) => text),
        `"${task}"`,
        ...words.filter(({ isBefore }) => !isBefore).map(({ text }) => text),
      ].join(' ');
      expect(readCommandLine(line, { ultrawork: false })).toMatchObject({
        kind: 'begin',
        request: {
          task,
          maximumIterations: Number(given['max-iterations']),
          minToolCalls: Number(given['min-tool-calls']),
          promise: given['completion-promise'],
        },
      });
    }),
    { numRuns: 3000 },
  );
});

test('any input is understood or refused, and an unknown flag is never part of an unquoted task', () => {
  fc.assert(
    fc.property(nasty, (typed) => {
      expect(['begin', 'resume', 'help', 'wrong']).toContain(readCommandLine(typed, { ultrawork: false }).kind);
      expect(readCommandLine(`do it --no-such-flag ${typed}`, { ultrawork: false })).toEqual({
        kind: 'wrong',
        why: 'there is no flag --no-such-flag',
      });
    }),
    { numRuns: 2000 },
  );
});
