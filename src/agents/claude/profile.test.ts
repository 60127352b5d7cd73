import { describe, expect, test } from 'vitest';
import { claude } from './profile.ts';

const CALL = {
  command: 'claude',
  flags: [] as string[],
  mode: 'stream',
  prompt: 'Do it.',
  help: null,
  answerFile: 'answer',
} as const;

describe('the command line', () => {
  test('asks for a stream of JSON, and for text where that is wanted; the prompt is the last argument', () => {
    const stream = {
      argv: ['claude', '-p', '--output-format', 'stream-json', '--verbose', 'Do it.'],
      promptOnStdin: false,
    };
    expect(claude.commandLine(CALL)).toEqual(stream);
    expect(claude.commandLine({ ...CALL, mode: 'text' }).argv).toEqual([
      'claude',
      '-p',
      '--output-format',
      'text',
      'Do it.',
    ]);
  });

  test('holds the flags of the user behind ours, as they are', () => {
    const { argv } = claude.commandLine({ ...CALL, command: '/opt/claude', flags: ['--model', 'opus', 'a b'] });
    expect(argv).toEqual([
      '/opt/claude',
      '-p',
      '--output-format',
      'stream-json',
      '--verbose',
      '--model',
      'opus',
      'a b',
      'Do it.',
    ]);
  });

  test.each([
    [['--verbose'], ['--output-format', 'stream-json', '--verbose']],
    [
      ['--output-format', 'stream-json'],
      ['--verbose', '--output-format', 'stream-json'],
    ],
    [['--output-format=json'], ['--verbose', '--output-format=json']],
    [
      ['--verbose', '--output-format', 'text'],
      ['--verbose', '--output-format', 'text'],
    ],
  ])('repeats no flag that the user gave: %j', (flags, expected) => {
    expect(claude.commandLine({ ...CALL, flags }).argv).toEqual(['claude', '-p', ...expected, 'Do it.']);
  });

  test.each([
    ['begins with a dash', '-1 is the wrong answer: fix it.'],
    ['is 200 KB long', 'x'.repeat(200_000)],
    ['is too long only in bytes', '做'.repeat(50_000)],
  ])('has no prompt that %s: it goes in by stdin', (_how, prompt) => {
    const { argv, promptOnStdin } = claude.commandLine({ ...CALL, prompt });
    expect(promptOnStdin).toBe(true);
    expect(argv.at(-1)).toBe('--verbose');
  });

  test('output that the user wants in another format is read as plain text', () => {
    const hasStructure = (flags: readonly string[], mode: 'stream' | 'text' = 'stream'): boolean =>
      claude.parser({ command: 'claude', flags, mode }).hasStructure;
    expect(hasStructure([])).toBe(true);
    expect(hasStructure(['--output-format', 'stream-json'])).toBe(true);
    expect(hasStructure(['--output-format', 'text'])).toBe(false);
    expect(hasStructure(['--output-format=json'])).toBe(false);
    expect(hasStructure([], 'text')).toBe(false);
  });
});
