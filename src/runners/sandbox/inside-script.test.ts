import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { inPidNamespace, pidNamespacesWork } from '../../process/containment/containment.ts';
import { insideScript } from './inside-script.ts';

const asRoot = process.getuid?.() === 0;

const OPTIONS = { mounts: [], loopback: null, seal: null, keepsAsked: true, ownTerminal: false, seeOff: null, env: {} };
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

describe.runIf(pidNamespacesWork(asRoot))('what a program leaves behind, in a pid namespace of its own', () => {
  const outside = readlinkSync('/proc/self/ns/pid');

  function seenOff(lines: string, grace: number): { status: number | null; stdout: string; stderr: string } {
    const folder = testFolder();
    const script = join(folder, 'program');
    const options = { ...OPTIONS, seeOff: { grace, outside } };
    writeFileSync(script, insideScript(['sh', '-c', lines], options));
    const deaf = ['sh', '-c', 'trap "" TERM; cd "$1"; exec bash "$0"', script, folder];
    const [command, ...args] = inPidNamespace(deaf, asRoot);
    const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
    return { status, stdout, stderr };
  }
  const until = 'until [ -e ready ]; do sleep 0.01; done';

  test('is asked to end, and has its time', () => {
    const child = `(exec 2>/dev/null; trap 'sleep 0.05; echo bye; exit' TERM; echo >ready; while :; do sleep 0.01; done) &`;
    expect(seenOff(`${child} ${until}; echo words >&2; exit 5`, 20_000)).toEqual({
      status: 5,
      stdout: 'bye\n',
      stderr: 'words\n',
    });
  });

  test('is not waited for longer than the grace, nor at all where there is nothing', () => {
    const deaf = `(trap '' TERM; exec >/dev/null 2>&1; echo >ready; while :; do sleep 60; done) &`;
    expect(seenOff(`${deaf} ${until}; kill -9 $$`, 60)).toEqual({ status: 137, stdout: '', stderr: '' });
    expect(seenOff('true', 600_000)).toEqual({ status: 0, stdout: '', stderr: '' });
  });
});

test('in the namespace of the machine no question is asked', () => {
  const script = join(testFolder(), 'program');
  const seeOff = { grace: 20_000, outside: readlinkSync('/proc/self/ns/pid') };
  const lines = `(trap 'echo asked' TERM; sleep 0.2) >out & exit 5`;
  writeFileSync(script, insideScript(['sh', '-c', lines], { ...OPTIONS, seeOff }));
  const { status } = spawnSync('bash', [script], { cwd: join(script, '..') });
  expect(status).toBe(5);
  expect(readFileSync(join(script, '../out'), 'utf8')).toBe('');
});
