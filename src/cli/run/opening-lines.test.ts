import { expect, test } from 'vitest';
import { firstRecord, play } from '../../../test/support/loops/play.ts';
import { guardrail, inputs, REQUEST } from '../../../test/support/loops/results.ts';
import { loopMachine } from '../../core/machine/machine.ts';
import type { Json } from '../../core/text/json.ts';
import type { Chosen } from '../../loops/run/request.ts';
import { runRules } from '../../loops/run/rules.ts';
import type { RunInputs } from '../../loops/run/state.ts';
import { NO_SANDBOX } from '../../runners/sandbox/request.ts';
import { columnsOf } from '../../stream/columns.ts';
import { narrowed, openingRows, titleLine, toldLines } from './opening-lines.ts';

const run = loopMachine(runRules);
const checks = (...commands: string[]) => ({ guardrails: commands.map((command) => guardrail(command, 'APPEND')) });

function rowsOf(given: Partial<RunInputs>, mask = (text: string): string => text): string[] {
  const state = play(run, run.begin(firstRecord('run', REQUEST)), inputs(given));
  return openingRows(state, 'b58b', mask);
}

test('the lines say what the loop works with, how far it goes, and how to follow it', () => {
  const agent = { command: '/usr/bin/claude', flags: [] };
  expect(rowsOf({ ...checks('npm test', 'npm run lint'), agent, maximumIterations: 10 })).toEqual([
    '  agent      claude',
    '  checks     npm test · npm run lint',
    '  limits     10 iterations             (-m)',
    '  loop       b58b                      ralph logs b58b -f',
  ]);
});

test('what was chosen for a project without settings is shown with its source and how to change it', () => {
  const chosenRows = (
    sandbox: 'os' | 'docker' | 'none',
    more: Partial<Chosen> = {},
    commands = ['npm test'],
  ): string[] => {
    const origins = { agent: 'installed', checks: 'package.json' };
    const agent = { command: 'claude', flags: [] };
    const chosen = { agent, version: '2.1.325', isUnattended: true, checks: [], origins, ...more };
    const request = { ...REQUEST, sandbox: { ...NO_SANDBOX, kind: sandbox }, chosen };
    const begun = run.begin(firstRecord('run', JSON.parse(JSON.stringify(request)) as Json));
    return openingRows(play(run, begun, inputs({ agent, ...checks(...commands) })), 'b58b', (text) => text);
  };
  expect(chosenRows('os').slice(0, 2)).toEqual([
    '  agent      claude 2.1.325, unattended in the OS sandbox  (--agent to change)',
    '  checks     npm test                  (package.json; --check to change)',
  ]);
  expect(chosenRows('docker', { version: null })[0]).toContain(' claude, unattended in a Docker sandbox  (--agent');
  expect(chosenRows('none')[0]).toContain(' claude 2.1.325, unattended, no sandbox  (--agent');
  expect(chosenRows('none', { isUnattended: false })[0]).toContain(' claude 2.1.325, no sandbox');
  const none = chosenRows('os', { origins: { agent: '', checks: '' } }, []);
  expect(none[1]).toBe('  checks     none: nothing will check DONE  (--check to add one)');
  const own = { origins: { agent: '', checks: '/home/me/.config/ralph/settings.json' } };
  expect(chosenRows('os', own, ['a'.repeat(60)]).slice(1, 3)).toEqual([
    `  checks     ${'a'.repeat(60)}`,
    '             (your settings; --check to change)',
  ]);
});

test('a time limit is shown as a limit, too; checks that do not fit into a row have one each; no checks are named as such', () => {
  const rows = rowsOf({ ...checks('a'.repeat(40), 'b'.repeat(40)), maximumIterations: 1, agentTimeoutMs: 1_800_000 });
  expect(rows.slice(1, 4)).toEqual([
    `  checks     ${'a'.repeat(40)}`,
    `             ${'b'.repeat(40)}`,
    '  limits     1 iteration, 30m for each run of the agent  (-m)',
  ]);
  expect(rowsOf(checks())[1]).toBe('  checks     none: nothing will check DONE');
});

test('the budget is shown with the limits', () => {
  const terms = { budget: { costUsd: 5, tokens: 2_000_000, timeMs: 7_200_000 } };
  const first = firstRecord('run', REQUEST);
  const created = first.result.kind === 'created' ? { ...first, result: { ...first.result, terms } } : first;
  const state = play(run, run.begin(created), inputs({ maximumIterations: 10 }));
  expect(openingRows(state, 'b58b', (text) => text)).toContain(
    '  limits     10 iterations, $5.00, 2.0M tokens, 2h of work  (-m)',
  );
});

test('an extra call of the agent for each commit is announced, with the setting that saves it', () => {
  const scm = { command: 'git', tasks: ['commit'], stage: 'tracked' as const };
  expect(rowsOf({ scm })).toContain('  commits    the agent is called again for each message  (scm.message)');
  const template = { ...scm, message: 'template' as const };
  expect(rowsOf({ scm: template })).toContain('  commits    with a message made from the prompt  (scm.message)');
  expect(rowsOf({ scm: { ...scm, tasks: ['push'] } }).join()).not.toContain('commits');
});

test('nothing is wider than a terminal, breaks a line or clears a screen; keys are hidden before lines are cut', () => {
  const secret = 'k'.repeat(200);
  const rows = rowsOf(
    { ...checks(`日本\u001b[2J\n${secret}`), agent: { command: `/x\ny${secret}`, flags: [] } },
    (text) => text.replaceAll(secret, '***'),
  );
  expect(rows.slice(0, 2)).toEqual(['  agent      x y***', '  checks     日本 ***']);
  expect(columnsOf(titleLine(`${'日'.repeat(100)}\nmore`))).toBeLessThanOrEqual(80);
  expect(titleLine('  fix the\ttests  \nat once')).toBe('ralph · fix the tests');
});

test('a known name and its words become a row, and any other sentence stays one', () => {
  expect(toldLines('Isolation: none, the agent can do whatever you can')).toEqual([
    '  isolation  none, the agent can do whatever you can',
  ]);
  expect(toldLines('Resuming 2026 (iteration 2 of 3): Fix it')).toEqual(['Resuming 2026 (iteration 2 of 3): Fix it']);
  expect(toldLines('No sandbox: Docker is not there')).toEqual(['No sandbox: Docker is not there']);
});

test('a narrower terminal wraps the text of a row within its column, and leaves out parentheses', () => {
  const rows = [...toldLines('Isolation: none, the agent can do whatever you can'), ...rowsOf(checks('npm test'))];
  expect(narrowed(rows, 40)).toEqual([
    '  isolation  none, the agent can do',
    '             whatever you can',
    '  agent      agent',
    '  checks     npm test',
    '  limits     10 iterations',
    '  loop       b58b',
    '             ralph logs b58b -f',
  ]);
  const long = narrowed(rowsOf(checks('x'.repeat(100), '日本'.repeat(30))), 40);
  expect(long.filter((line) => columnsOf(line) > 40)).toEqual([]);
  expect(narrowed(rows, 80)).toEqual(rows);
});
