import { expect, test } from 'vitest';
import { recordedScreen } from '../../../test/support/recorded-screens.ts';
import { INTERACTIVE_AGENTS } from './agents.ts';
import { agentCommand } from './command.ts';
import { agentState, looksReady } from './ready.ts';

const NAMES = INTERACTIVE_AGENTS.map(({ name }) => name);

test.each(NAMES)('%s: ready, holding a paste, busy and idle are told apart', (name) => {
  const states = ['ready', 'pasted', 'busy', 'idle'].map((state) => stateOf(name, state));
  const [ready, pasted, busy, idle] = states;
  expect(ready).toEqual({ is: 'ready', input: '' });
  expect(pasted).toEqual({ is: 'ready', input: expect.stringMatching(/^XPROMPT do it|^\[Pasted/) });
  expect(busy).toEqual({ is: 'busy', input: '' });
  expect(idle).toEqual({ is: 'ready', input: '' });
});

test.each([
  ['claude', 'trust'],
  ['claude', 'bypass'],
  ['claude', 'key'],
  ['claude', 'unreachable'],
  ['codex', 'login'],
  ['codex', 'trust'],
  ['codex', 'hooks'],
  ['gemini', 'trust'],
  ['gemini', 'login'],
])('%s: its %s dialog is named, and is not ready for a prompt', (name, kind) => {
  expect(stateOf(name, kind)).toMatchObject({ is: 'asking', dialog: { kind } });
});

test('words of a dialog in a conversation are no dialog', () => {
  const { screen, title } = recordedScreen('claude', 'idle');
  const talked = screen.replace(
    'All of it is finished now.',
    'Do you trust the files in this folder? Select login method',
  );
  expect(agentState(agent('claude'), { screen: talked, title }).is).toBe('ready');
});

test('a numbered list that is typed into codex is an input, not a choice', () => {
  const { screen, title } = recordedScreen('codex', 'pasted');
  const list = screen.replace('XPROMPT do it\n', '1. do it\n').replace('line two', '2. line two');
  expect(agentState(agent('codex'), { screen: list, title })).toEqual({ is: 'ready', input: '1. do it' });
});

test('a blank screen is an agent that starts', () => {
  for (const name of NAMES) expect(agentState(agent(name), { screen: '', title: '' })).toEqual({ is: 'starting' });
});

test.each([
  ['claude', 'interactive'],
  ['/usr/local/bin/claude --dangerously-skip-permissions', 'interactive'],
  ['env A=1 B=2 codex --no-daemon', 'interactive'],
  ['gemini --approval-mode yolo', 'interactive'],
  ['claude -p --verbose', 'headless'],
  ['claude --print', 'headless'],
  ['codex exec -', 'headless'],
  ['opencode run', 'headless'],
  ['gemini --prompt=x', 'headless'],
  ['claude --version', 'headless'],
  ['bash', 'other'],
  ['python3 claude', 'other'],
  ['env A=1', 'other'],
  ['', 'other'],
])('%s is %s', (line, kind) => {
  expect(agentCommand(line.split(' ')).kind).toBe(kind);
});

test.each([
  ['$', true],
  ['$ ', true],
  ['me@host:~/project$', true],
  ['>>>', true],
  ['>', true],
  ['❯', true],
  ['host%', true],
  ['100%', false],
  ['downloading > 5 files', false],
  ['', false],
  ['costs $5', false],
])('without the blanks that a capture drops, %j as a prompt: %s', (screen, is) => {
  expect(looksReady({ screen, title: '' })).toBe(is);
});

test('a dialog is not a prompt, though a mark stands in it', () => {
  expect(looksReady(recordedScreen('claude', 'bypass'))).toBe(false);
  expect(looksReady(recordedScreen('claude', 'ready'))).toBe(true);
});

function agent(name: string) {
  const command = agentCommand([name]);
  if (command.kind !== 'interactive') throw new Error(`${name} is not interactive`);
  return command.agent;
}

function stateOf(name: string, state: string) {
  return agentState(agent(name), recordedScreen(name, state));
}
