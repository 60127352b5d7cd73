import { expect, test } from 'vitest';
import { plain, plainParser } from './profile.ts';

const CALL = {
  command: 'my-agent',
  flags: ['--fast'],
  mode: 'stream',
  prompt: 'Do it.',
  help: null,
  answerFile: 'a',
} as const;

test('the prompt is the last argument behind the flags, in whatever mode', () => {
  expect(plain.commandLine(CALL)).toEqual({ argv: ['my-agent', '--fast', 'Do it.'], promptOnStdin: false });
  expect(plain.commandLine({ ...CALL, mode: 'text' }).argv).toEqual(['my-agent', '--fast', 'Do it.']);
});

test('a prompt of 200 KB goes in by stdin', () => {
  expect(plain.commandLine({ ...CALL, prompt: 'x'.repeat(200_000) })).toEqual({
    argv: ['my-agent', '--fast'],
    promptOnStdin: true,
  });
});

test('every line that is printed is text, also one that looks like structure', () => {
  const parser = plainParser();
  expect(parser.hasStructure).toBe(false);
  for (const line of ['', 'words', '{"type":"result"}', 'ä 😀']) {
    expect(parser.parse(line)).toEqual([{ type: 'text', text: line }]);
  }
});
