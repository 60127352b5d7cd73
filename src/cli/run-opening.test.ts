import { expect, test } from 'vitest';
import { firstRecord, play } from '../../test/support/loops/play.ts';
import { guardrail, inputs, REQUEST } from '../../test/support/loops/results.ts';
import { loopMachine } from '../core/machine.ts';
import { type RunInputs, runRules } from '../loops/run/rules.ts';
import { columnsOf } from '../stream/columns.ts';
import { openingRows, titleLine, toldLines } from './run-opening.ts';

const run = loopMachine(runRules);
const checks = (...commands: string[]) => ({ guardrails: commands.map((command) => guardrail(command, 'APPEND')) });

function rowsOf(given: Partial<RunInputs>, mask = (text: string): string => text): string[] {
  const state = play(run, run.begin(firstRecord('run', REQUEST)), inputs(given));
  return openingRows(state, 'b58b', mask);
}

test('what it works with, how far it goes, and how to follow it', () => {
  const agent = { command: '/usr/bin/claude', flags: [] };
  expect(rowsOf({ ...checks('npm test', 'npm run lint'), agent, maximumIterations: 10 })).toEqual([
    '  agent      claude',
    '  checks     npm test · npm run lint',
    '  limits     10 iterations             (-m)',
    '  loop       b58b                      ralph logs b58b -f',
  ]);
});

test('a limit of time is one, too; checks that do not fit into a row have one each; none are named as such', () => {
  const rows = rowsOf({ ...checks('a'.repeat(40), 'b'.repeat(40)), maximumIterations: 1, agentTimeoutMs: 1_800_000 });
  expect(rows.slice(1, 4)).toEqual([
    `  checks     ${'a'.repeat(40)}`,
    `             ${'b'.repeat(40)}`,
    '  limits     1 iteration, 30m for each run of the agent  (-m)',
  ]);
  expect(rowsOf(checks())[1]).toBe("  checks     none: DONE is taken at the agent's word");
});

test('nothing is wider than a terminal, breaks a line or clears a screen; keys are hidden before they are cut', () => {
  const secret = 'k'.repeat(200);
  const rows = rowsOf(
    { ...checks(`日本\u001b[2J\n${secret}`), agent: { command: `/x\ny${secret}`, flags: [] } },
    (text) => text.replaceAll(secret, '***'),
  );
  expect(rows.slice(0, 2)).toEqual(['  agent      x y***', '  checks     日本 ***']);
  expect(columnsOf(titleLine(`${'日'.repeat(100)}\nmore`))).toBeLessThanOrEqual(80);
  expect(titleLine('  fix the\ttests  \nat once')).toBe('ralph · fix the tests');
});

test('what is told as a name and words is a row, and any other sentence stays one', () => {
  expect(toldLines('Isolation: none, the agent can do whatever you can')).toEqual([
    '  isolation  none, the agent can do whatever you can',
  ]);
  expect(toldLines('Resuming 2026 (iteration 2 of 3): Fix it')).toEqual(['Resuming 2026 (iteration 2 of 3): Fix it']);
  expect(toldLines('No sandbox: Docker is not there')).toEqual(['No sandbox: Docker is not there']);
});
