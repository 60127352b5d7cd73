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

test('the agent’s own is left alone', () => {
  writeFileSync(runFile.output(run), 'mine');
  expect(outputOf('printed', 'said')).toBe('mine');
});

test('it is the agent’s last words', () => {
  expect(outputOf('{"type":"result"}', 'the result')).toBe('the result\n');
});

test('without words it is all that was printed', () => {
  expect(outputOf('one\ntwo\n', null)).toBe('one\ntwo\n');
});

test('without words and a transcript there is none', () => {
  completeOutput(run, null);
  expect(existsSync(runFile.output(run))).toBe(false);
});
