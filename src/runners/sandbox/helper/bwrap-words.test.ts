import { execFileSync, spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bindsIn,
  bwrapWords,
  encodedName,
  PLACEHOLDER,
  type ProgramWords,
  programWords,
  wordsOf,
} from './bwrap-words.ts';

/** As the runtime does it. */
const quote = (words: readonly string[]): string =>
  words
    .map((word) =>
      /^[A-Za-z0-9_./:@+,-][A-Za-z0-9_./:=@+,-]*$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`,
    )
    .join(' ');

const NAME = 'first0name0x';
const ENCODED = encodedName(NAME);

function wrapped(last: string, options: readonly string[] = OPTIONS): string {
  return quote([
    'bwrap',
    ...options,
    '--',
    '/bin/bash',
    '-c',
    `/bin/bash -c ${quote([`socat a &\nsocat b &\n${last}`])}`,
  ]);
}

const ENVIRONMENT = `--setenv SRT_ENCODED_CMD ${ENCODED} --setenv HTTP_PROXY http://srt.${ENCODED}:token@localhost:3128`;
const FILES = '--ro-bind / / --bind /work /work --ro-bind /dev/null /etc/shadow --ro-bind /a /b';
const OPTIONS = `${ENVIRONMENT} ${FILES} --dev /dev --proc /proc`.split(' ');
const SECCOMP = `/runtime/apply-seccomp /bin/bash -c ${PLACEHOLDER}`;

const PROGRAM: ProgramWords = {
  name: 'second0name0',
  writes: [],
  bwrap: '/usr/bin/bwrap',
  path: '/usr/bin:/bin',
  bridge: null,
  filter: '/dev/null',
  inside: ['/bin/bash', '-c', 'exec "$@"', 'ralph-inside'],
  isDeaf: true,
};

describe('the command line of the runtime', () => {
  test('is taken apart as a shell would do it', () => {
    const word = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'));
    const words = fc.array(word, { minLength: 1 });
    fc.assert(
      fc.property(words, (all) => {
        expect(wordsOf(quote(all))).toEqual(all);
      }),
    );
  });

  test.each(['a  b', 'a $HOME', 'a "b"', "a 'b", 'a;b', 'a\\ b'])(
    'is refused where it is quoted otherwise: %s',
    (line) => {
      expect(() => wordsOf(line)).toThrow('not as expected: its quotes');
    },
  );

  test('says what bubblewrap is told, and what blocks sockets', () => {
    expect(bwrapWords(wrapped(SECCOMP), NAME)).toEqual({
      options: OPTIONS,
      bash: '/bin/bash',
      seccomp: '/runtime/apply-seccomp',
      name: ENCODED,
    });
  });

  test.each([
    ['nothing that blocks sockets', wrapped(`eval ${PLACEHOLDER}`), 'a command'],
    ['another command', wrapped('/runtime/apply-seccomp /bin/bash -c other'), 'a command'],
    ['a file of arguments', `/bin/sh -c x srt-args /proc/1/fd/9 ${wrapped(SECCOMP)}`, 'a command line'],
    ['no name', wrapped(SECCOMP, ['--ro-bind', '/', '/']), 'a name'],
  ])('is refused with %s', (_, line, what) => {
    expect(() => bwrapWords(line, NAME)).toThrow(`the sandbox runtime is not as expected: ${what}`);
  });

  test('says what is mounted from the machine', () => {
    expect(bindsIn(OPTIONS)).toEqual([
      { source: '/work', target: '/work', isWritable: true },
      { source: '/a', target: '/b', isWritable: false },
    ]);
  });
});

describe('the words of a program', () => {
  const made = bwrapWords(wrapped(SECCOMP), NAME);

  test('have its own name in all places', () => {
    const words = programWords(made, PROGRAM).join(' ');
    expect(words).not.toContain(ENCODED);
    expect(words.split(encodedName(PROGRAM.name))).toHaveLength(3);
  });

  test('mount what it may write over all other files', () => {
    const words = programWords(made, { ...PROGRAM, writes: ['/state/answer'] });
    const at = words.indexOf('/state/answer');
    expect(words.slice(at - 1, at + 3)).toEqual(['--bind', '/state/answer', '/state/answer', '--dev']);
  });

  test('start a bridge before sockets are blocked, or none', () => {
    const bridge = { socat: '/usr/bin/socat', socket: '/runtime/x.sock', ports: [3128, 1080] };
    const withBridge = programWords(made, { ...PROGRAM, bridge });
    expect(withBridge.indexOf('/runtime/x.sock')).toBeLessThan(withBridge.indexOf('/runtime/apply-seccomp'));
    const [end] = [programWords(made, PROGRAM)].map((words) => words.slice(words.lastIndexOf('--')));
    expect(end).toEqual(['--', '/runtime/apply-seccomp', ...PROGRAM.inside]);
  });

  test.each(['BASH_ENV', 'ENV'])('hand %s on to the program, past the shells around it', (name) => {
    const [shell, , script = ''] = programWords(made, PROGRAM);
    const args = ['-c', script, 'ralph-sandbox', 'sh', '-c', `echo "$${name}|$RALPH_INSIDE_${name}"`];
    const env = { PATH: '/usr/bin:/bin', [name]: `/it's "here"` };
    expect(execFileSync(shell, args, { env, encoding: 'utf8' })).toBe(`|/it's "here"\n`);
  });

  test('keep the exit code, and what is around the program does not hear SIGTERM', () => {
    const [shell, , script = ''] = programWords(made, PROGRAM);
    const { status, signal } = spawnSync(shell, [
      '-c',
      script,
      'ralph-sandbox',
      'sh',
      '-c',
      'kill -TERM $PPID; exit 5',
    ]);
    expect({ status, signal }).toEqual({ status: 5, signal: null });
  });
});
