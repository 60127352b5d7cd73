import { describe, expect, test } from 'vitest';
import { CHECK_KINDS } from '../checks/index.ts';
import { effectiveSettings, LOCAL_FILE, SETTINGS_FILE } from '../config/settings.ts';
import { explainSettings } from './dry-run.ts';

const AGENT = { agent: { command: 'claude' } };

type Flags = Parameters<typeof explainSettings>[2];

function explained(base: object | null, local: object | null, flags: Flags = new Map()) {
  const layers = { base, local } as Parameters<typeof explainSettings>[1];
  return new Map(
    explainSettings(effectiveSettings(layers, CHECK_KINDS), layers, flags).map((line) => [line.path, line]),
  );
}

describe('a setting has its value', () => {
  test('by default if no file contains it', () => {
    expect(explained(AGENT, null).get('maximumIterations')).toEqual({
      path: 'maximumIterations',
      value: 10,
      origin: 'default',
    });
  });

  test('from the settings file', () => {
    expect(explained(AGENT, null).get('agent.command')).toMatchObject({ value: 'claude', origin: SETTINGS_FILE });
  });

  test('from the local file, even if both contain it', () => {
    const lines = explained({ ...AGENT, maximumIterations: 3 }, { maximumIterations: 4, completionResponse: 'OK' });
    expect(lines.get('maximumIterations')).toMatchObject({ value: 4, origin: LOCAL_FILE });
    expect(lines.get('completionResponse')).toMatchObject({ value: 'OK', origin: LOCAL_FILE });
  });

  test('from a file even if it equals the default', () => {
    expect(explained({ ...AGENT, maximumIterations: 10 }, null).get('maximumIterations')?.origin).toBe(SETTINGS_FILE);
    expect(explained({ ...AGENT, streamAgentOutput: false }, null).get('streamAgentOutput')).toMatchObject({
      value: false,
      origin: SETTINGS_FILE,
    });
  });

  test('from the command line before any file', () => {
    const flags = new Map([['maximumIterations', { flag: '--maximum-iterations', value: 7 }]]);
    expect(
      explained({ ...AGENT, maximumIterations: 3 }, { maximumIterations: 4 }, flags).get('maximumIterations'),
    ).toEqual({ path: 'maximumIterations', value: 7, origin: '--maximum-iterations' });
  });
});

test('an object is reported key by key, each with its own origin', () => {
  const lines = explained({ ...AGENT, display: { emoji: false } }, { display: { color: true } });
  expect(lines.get('display.emoji')).toMatchObject({ value: false, origin: SETTINGS_FILE });
  expect(lines.get('display.color')).toMatchObject({ value: true, origin: LOCAL_FILE });
  expect(lines.get('display.timestamps')).toMatchObject({ value: false, origin: 'default' });
  expect(lines.has('display')).toBe(false);
});

test('a list is one value, from the file that sets it, as a whole', () => {
  const check = (command: string) => ({ command, failAction: 'APPEND' });
  const lines = explained({ ...AGENT, guardrails: [check('a'), check('b')] }, { guardrails: [check('c')] });
  expect(lines.get('guardrails')).toEqual({ path: 'guardrails', value: [check('c')], origin: LOCAL_FILE });
  expect([...lines.keys()].filter((path) => path.startsWith('guardrails'))).toEqual(['guardrails']);
});

test('what only the command line sets is reported, too, after what the files set', () => {
  const flags = new Map([['agent.timeout', { flag: '--agent-timeout', value: '90s' }]]);
  expect([...explained(AGENT, null, flags).values()].at(-1)).toEqual({
    path: 'agent.timeout',
    value: '90s',
    origin: '--agent-timeout',
  });
});

test('each setting is reported once', () => {
  const layers = { base: AGENT, local: AGENT };
  const flags = new Map([['agent.command', { flag: '--agent', value: 'other' }]]);
  const paths = explainSettings(effectiveSettings(layers, CHECK_KINDS), layers, flags).map(({ path }) => path);
  expect(paths).toEqual([...new Set(paths)]);
});
