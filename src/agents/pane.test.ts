import { expect, test } from 'vitest';
import { recordedScreen } from '../../test/support/recorded/screens.ts';
import { agentState, findDialog } from '../tmux/ready.ts';
import { AGENTS } from './index.ts';
import { faultOnScreen, paneAgent } from './pane.ts';

const NAMES = AGENTS.filter(({ terminal }) => terminal !== undefined).map(({ name }) => name);
const UNKNOWN = paneAgent(['some-tool']);
const { dialogs: DIALOGS } = UNKNOWN;

test('seven agents were seen in a terminal', () => {
  expect(NAMES).toEqual(['claude', 'codex', 'gemini', 'opencode', 'copilot', 'qwen', 'pi']);
});

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
  expect(agentState(paneAgent(['claude']), { screen: talked, title }).is).toBe('ready');
});

test('a numbered list that is typed into codex is an input, not a choice', () => {
  const { screen, title } = recordedScreen('codex', 'pasted');
  const list = screen.replace('XPROMPT do it\n', '1. do it\n').replace('line two', '2. line two');
  expect(agentState(paneAgent(['codex']), { screen: list, title })).toEqual({ is: 'ready', input: '1. do it' });
});

test('a blank screen is an agent that starts', () => {
  for (const name of NAMES)
    expect(agentState(paneAgent([name]), { screen: '', title: '' })).toEqual({ is: 'starting' });
});

test.each([
  ['claude', true],
  ['/usr/local/bin/claude --dangerously-skip-permissions', true],
  ['env A=1 B=2 codex --no-daemon', true],
  ['gemini --approval-mode yolo', true],
  ['claude -p --verbose', false],
  ['claude --print', false],
  ['codex exec -', false],
  ['opencode run', false],
  ['gemini --prompt=x', false],
  ['claude --version', false],
  ['bash', false],
  ['python3 claude', false],
  ['env A=1', false],
  ['', false],
])('%s is an agent with a screen: %s', (line, is) => {
  expect(paneAgent(line.split(' ')).screen !== null).toBe(is);
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
  expect(agentState(UNKNOWN, { screen, title: '' }).is === 'ready').toBe(is);
});

test('a dialog is not a prompt, though a mark stands in it', () => {
  expect(agentState(UNKNOWN, recordedScreen('claude', 'bypass')).is).toBe('asking');
  expect(agentState(UNKNOWN, recordedScreen('claude', 'ready')).is).toBe('ready');
});

test.each([
  ['Select login method:', 'Worker stuck at login prompt. Check auth credentials.'],
  ['Choose the text style that looks best', 'Worker stuck at theme picker. Check settings.local.json.'],
  ['one that looks best with your terminal', 'Worker stuck at theme picker. Check settings.local.json.'],
  ['Paste code here if prompted >', 'Worker stuck at OAuth code entry. Use ANTHROPIC_API_KEY instead.'],
])('%j has the words of the original', (text, message) => {
  expect(findDialog(`\n ${text}\n\n ❯ 1. One\n   2. Two`, DIALOGS)?.message).toBe(message);
});

test('a working agent shows no dialog', () => {
  for (const name of NAMES) {
    for (const state of ['ready', 'busy', 'idle']) {
      expect(findDialog(recordedScreen(name, state).screen, DIALOGS)).toBe(null);
    }
  }
});

test('what scrolled far up asks nothing any more', () => {
  expect(findDialog(`Select login method\n${'line\n'.repeat(40)}`, DIALOGS)).toBe(null);
});

test.each([
  ['claude', "  ⎿  You've hit your session limit · resets 3pm", 'limit'],
  ['claude', '● Invalid API key · Please run /login', 'auth'],
  ['codex', "■ You've hit your usage limit. Try again in 2 hours.", 'limit'],
  ['codex', 'ERROR: unexpected status 401 Unauthorized', 'auth'],
  ['gemini', '✕ [API Error: {"error":{"code":429,"message":"quota exceeded"}}]', 'limit'],
  ['claude', 'The tests print "You have hit your limit".', null],
  ['some-tool', "You've hit your session limit · resets 3pm", null],
])('%s that shows %j: %s', (name, line, kind) => {
  expect(faultOnScreen([name, '-p'], `working\n${line}\n\n> \n`, Date.now())?.kind ?? null).toBe(kind);
});

test('a fault that has scrolled away was got over', () => {
  const screen = `You've hit your session limit\n${'line\n'.repeat(40)}`;
  expect(faultOnScreen(['claude'], screen, Date.now())).toBe(null);
});

function stateOf(name: string, state: string) {
  return agentState(paneAgent([name]), recordedScreen(name, state));
}
