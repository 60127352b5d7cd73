import { expect, test } from 'vitest';
import { recordedScreen } from '../../test/support/recorded-screens.ts';
import { findDialog } from './dialogs.ts';

test.each([
  ['Select login method:', 'Worker stuck at login prompt. Check auth credentials.'],
  ['Choose the text style that looks best', 'Worker stuck at theme picker. Check settings.local.json.'],
  ['one that looks best with your terminal', 'Worker stuck at theme picker. Check settings.local.json.'],
  ['Paste code here if prompted >', 'Worker stuck at OAuth code entry. Use ANTHROPIC_API_KEY instead.'],
])('%j has the words of the original', (text, message) => {
  expect(findDialog(`\n ${text}\n\n ❯ 1. One\n   2. Two`)?.message).toBe(message);
});

test('a working agent shows none', () => {
  for (const name of ['claude', 'codex', 'gemini', 'opencode', 'copilot', 'qwen', 'pi']) {
    for (const state of ['ready', 'busy', 'idle']) expect(findDialog(recordedScreen(name, state).screen)).toBe(null);
  }
});

test('what scrolled far up asks nobody any more', () => {
  const screen = `Select login method\n${'line\n'.repeat(40)}`;
  expect(findDialog(screen)).toBe(null);
});
