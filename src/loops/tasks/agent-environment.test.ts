import { describe, expect, test } from 'vitest';
import { agentEnvironment, type RunNames, runVariables } from './agent-environment.ts';

const NAMES: RunNames = {
  project: 'p',
  task: 't',
  runId: 'r',
  parentRunId: null,
  runsFolder: '/t/runs',
  taskFolder: '/t',
  runFolder: '/t/runs/r',
  bus: '/t/bus',
};
const environment = (agent: string, names = NAMES) => agentEnvironment(names, agent, { PATH: '/bin' }, '/tools');

describe('the names of a run', () => {
  test('are there in both forms', () => {
    expect(environment('agent')).toEqual({
      CLAUDECODE: undefined,
      JRUN_PROJECT_ID: 'p',
      JRUN_TASK_ID: 't',
      JRUN_ID: 'r',
      JRUN_PARENT_ID: undefined,
      JRUN_RUNS_DIR: '/t/runs',
      JRUN_MESSAGE_BUS: '/t/bus',
      JRUN_TASK_FOLDER: '/t',
      JRUN_RUN_FOLDER: '/t/runs/r',
      RUNS_DIR: '/t/runs',
      MESSAGE_BUS: '/t/bus',
      TASK_FOLDER: '/t',
      RUN_FOLDER: '/t/runs/r',
      PATH: '/tools:/bin',
      BASH_ENV: '/tools/bash-env',
      RALPH_USERS_BASH_ENV: undefined,
    });
  });

  test('hold the parent’s only where there is one', () => {
    expect(environment('agent', { ...NAMES, parentRunId: 'q' }).JRUN_PARENT_ID).toBe('q');
    expect(runVariables(NAMES)).not.toHaveProperty('JRUN_PARENT_ID');
  });
});

describe('keys', () => {
  const taken = (agent: string): string[] =>
    Object.entries(environment(agent)).flatMap(([name, value]) =>
      value === undefined && name.endsWith('_KEY') ? name : [],
    );

  test.each([
    ['claude', 'ANTHROPIC_API_KEY'],
    ['/usr/bin/codex', 'OPENAI_API_KEY'],
    ['gemini', 'GEMINI_API_KEY'],
    ['perplexity', 'PERPLEXITY_API_KEY'],
    ['xai', 'XAI_API_KEY'],
  ])('of others are taken from %s', (agent, own) => {
    expect(taken(agent)).toHaveLength(4);
    expect(taken(agent)).not.toContain(own);
  });

  test('an agent that is not known keeps all: it may speak with any model', () => {
    expect(taken('opencode')).toEqual([]);
  });
});
