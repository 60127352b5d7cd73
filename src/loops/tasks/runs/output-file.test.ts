import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { testFolder } from '../../../../test/support/folder.ts';
import { runFile } from '../folder/task-folder.ts';
import { completeOutput } from './output-file.ts';

let run: string;

beforeEach(() => {
  run = testFolder();
});

function outputOf(stdout: string, words: string | null): string {
  writeFileSync(runFile.stdout(run), stdout);
  completeOutput(run, words);
  return readFileSync(runFile.output(run), 'utf8');
}

test('a file that the agent wrote is left alone', () => {
  writeFileSync(runFile.output(run), 'mine');
  expect(outputOf('printed', 'said')).toBe('mine');
});

test('the output is the agent’s last words', () => {
  expect(outputOf('{"type":"result"}', 'the result')).toBe('the result\n');
});

test('without last words, it is everything that was printed', () => {
  expect(outputOf('one\ntwo\n', null)).toBe('one\ntwo\n');
});

test('without last words and a transcript, there is none', () => {
  completeOutput(run, null);
  expect(existsSync(runFile.output(run))).toBe(false);
});
