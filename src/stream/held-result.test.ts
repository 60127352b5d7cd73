import { expect, test } from 'vitest';
import type { AgentEvent } from '../core/events.ts';
import { eventFormatter, holdResult } from './formatter.ts';

const RESULT: AgentEvent = { type: 'result', isError: false, text: '' };

test('the closing account is shown when the run has ended, by how it ended, and once', () => {
  const held = holdResult(eventFormatter());
  expect(held.format({ type: 'text', text: 'Hello' })).toBe('Hello');
  expect(held.ended(true)).toBeNull();
  expect(held.format(RESULT)).toBeNull();
  expect(held.ended(true)).toMatch(/^✅ Complete/);
  expect(held.ended(true)).toBeNull();
  held.format(RESULT);
  expect(held.ended(false)).toMatch(/^❌ Failed/);
});
