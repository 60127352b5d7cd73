import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { testFolder } from '../../../../test/support/folder.ts';
import type { AgentChoice } from '../../../core/action.ts';
import { runFile } from '../folder/task-folder.ts';
import { completeOutput } from './output-file.ts';

const CLAUDE: AgentChoice = { command: 'claude', flags: [], mode: 'stream' };
const PLAIN: AgentChoice = { command: 'agent', flags: [], mode: 'stream' };
const said = (text: string): string =>
  `${JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text }] } })}\n`;
let run: string;

beforeEach(() => {
  run = testFolder();
});

async function outputOf(stdout: string, agent: AgentChoice): Promise<string> {
  writeFileSync(runFile.stdout(run), stdout);
  await completeOutput(run, agent);
  return readFileSync(runFile.output(run), 'utf8');
}

test('the agent’s own is left alone', async () => {
  writeFileSync(runFile.output(run), 'mine');
  expect(await outputOf('printed', PLAIN)).toBe('mine');
});

test('of a stream it is the final result, else the last words', async () => {
  const result = { type: 'result', subtype: 'success', is_error: false, result: 'the result' };
  expect(await outputOf(`${said('first')}${said('last')}${JSON.stringify(result)}\n`, CLAUDE)).toBe('the result\n');
});

test('of a stream that broke off it is the last words', async () => {
  expect(await outputOf(`${said('first')}${said('last\n')}{"type":`, CLAUDE)).toBe('last\n');
});

test('of a stream without any words it is all that was printed', async () => {
  expect(await outputOf('no JSON\n', CLAUDE)).toContain('no JSON');
});

test('of plain text it is all that was printed', async () => {
  expect(await outputOf('one\ntwo\n', PLAIN)).toBe('one\ntwo\n');
});

test('without a transcript there is none', async () => {
  await completeOutput(run, PLAIN);
  expect(existsSync(runFile.output(run))).toBe(false);
});
