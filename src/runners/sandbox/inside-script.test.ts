import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { insideScript } from './inside-script.ts';

const OPTIONS = { loopback: null, seal: null, keepsAsked: true, ownTerminal: false, env: {} };
const ECHO = [process.execPath, '-e', 'process.stdout.write(JSON.stringify(process.argv.slice(1)))', '--'];

function played(argv: readonly string[]): unknown {
  const script = join(testFolder(), 'program');
  writeFileSync(script, insideScript(argv, OPTIONS));
  return JSON.parse(execFileSync('bash', [script], { encoding: 'utf8', maxBuffer: 2 ** 24 }));
}

test('whatever the arguments hold, the program gets them as they are, and no shell sees them', () => {
  const nasty = [
    "'",
    "'; touch /tmp/x; '",
    '$(id)',
    '`id`',
    '\\',
    '\n',
    '',
    ' ',
    '--',
    '-e',
    '!!',
    '$HOME',
    '\u{1F600}',
  ];
  expect(played([...ECHO, ...nasty])).toEqual(nasty);
});

test('any arguments, in any number', () => {
  const word = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'));
  fc.assert(
    fc.property(fc.array(word, { maxLength: 5 }), (words) => {
      expect(played([...ECHO, ...words])).toEqual(words);
    }),
    { numRuns: 20 },
  );
});

test('an argument as long as the kernel lets one be', () => {
  const long = "it's ".repeat(26_000);
  expect(played([...ECHO, long])).toEqual([long]);
});

test('a program of a shell that does not hear SIGTERM hears it', () => {
  const script = join(testFolder(), 'program');
  writeFileSync(script, insideScript(['sh', '-c', 'kill -TERM $$; echo deaf'], OPTIONS));
  const { stdout, signal } = spawnSync('sh', ['-c', 'trap "" TERM; exec bash "$0"', script], { encoding: 'utf8' });
  expect({ stdout, signal }).toEqual({ stdout: '', signal: 'SIGTERM' });
});
