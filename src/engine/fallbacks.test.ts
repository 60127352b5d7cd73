import { describe, expect, test } from 'vitest';
import { refuseOutsiders, termsWith } from './fallbacks.ts';

const OWN = { command: '/opt/bin/claude', flags: ['--dangerously-skip-permissions', '--model', 'opus'] };
const autonomy = (command: string): string[] => [`--free-${command}`];
const named = (agent: string, model: string | null = null) => ({ fallbacks: [{ agent, model }] });

describe('a fallback', () => {
  test('that is another agent gets the flags of agents in this loop, and its own flag for a model', () => {
    expect(termsWith({ terms: { hangMs: 5 }, ...named('codex', 'gpt-5') }, OWN, autonomy)).toEqual({
      hangMs: 5,
      fallbacks: [{ name: 'codex:gpt-5', command: 'codex', flags: ['-m', 'gpt-5', '--free-codex'] }],
    });
  });

  test('that is another model is the same program, with its other flags', () => {
    const flags = ['--model', 'sonnet', '--dangerously-skip-permissions'];
    const fallbacks = [{ name: 'claude:sonnet', command: '/opt/bin/claude', flags }];
    expect(termsWith(named('claude', 'sonnet'), OWN, autonomy)).toEqual({ fallbacks });
  });

  test('that is the agent itself, or whose model flag is unknown, is refused', () => {
    expect(() => termsWith(named('claude', 'opus'), { ...OWN, flags: ['--model', 'opus'] }, autonomy)).toThrow(
      '--fallback claude:opus is the agent that the loop works with',
    );
    expect(() => termsWith(named('my-agent', 'x'), OWN, autonomy)).toThrow('the model flag of my-agent is not known');
  });

  test('is none if none was named', () =>
    expect(termsWith({ terms: { hangMs: 5 } }, OWN, autonomy)).toEqual({ hangMs: 5 }));
});

test('a loop in a sandbox can only be continued with agents that the sandbox was made for', () => {
  const known = ['/opt/bin/claude', 'codex'];
  const specs = [
    { agent: 'claude', model: 'sonnet' },
    { agent: 'codex', model: null },
  ];
  expect(() => refuseOutsiders('os', known, specs)).not.toThrow();
  expect(() => refuseOutsiders('none', known, [{ agent: 'gemini', model: null }])).not.toThrow();
  expect(() => refuseOutsiders('os', known, [{ agent: 'gemini', model: null }])).toThrow(
    '--fallback gemini: the sandbox of this loop was made for claude, codex',
  );
});
