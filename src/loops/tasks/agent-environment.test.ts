import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import {
  agentEnvironment,
  BASH_ENV_NAME,
  makeTools,
  type RunOwner,
  runVariables,
  taskFlags,
  USERS_BASH_ENV,
  withPreamble,
} from './agent-environment.ts';

const OWNER: RunOwner = { project: 'p', task: 't', folder: '/t', bus: '/t/bus', agent: 'agent', parentRunId: null };
const environment = (agent: string, owner = OWNER) =>
  agentEnvironment({ ...owner, agent }, 'r', { PATH: '/bin' }, '/tools');

describe('the names of a run', () => {
  test('exist in both forms', () => {
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

  test('include the parent’s only if there is one', () => {
    expect(environment('agent', { ...OWNER, parentRunId: 'q' }).JRUN_PARENT_ID).toBe('q');
    expect(runVariables(OWNER, 'r')).not.toHaveProperty('JRUN_PARENT_ID');
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
  ])('of other agents are removed from %s', (agent, own) => {
    expect(taken(agent)).toHaveLength(4);
    expect(taken(agent)).not.toContain(own);
  });

  test('an unknown agent keeps all, because it can use any model', () => {
    expect(taken('opencode')).toEqual([]);
  });
});

test('known agents work without asking', () => {
  const claude = ['--input-format', 'text', '--tools', 'default', '--permission-mode', 'bypassPermissions'];
  expect(taskFlags('/opt/claude', [])).toEqual(claude);
  expect(taskFlags('codex', [])).toEqual(['--dangerously-bypass-approvals-and-sandbox']);
  expect(taskFlags('gemini', ['-m', 'x'])).toEqual(['--screen-reader', 'true', '-m', 'x']);
  expect(taskFlags('other', ['--x'])).toEqual(['--x']);
});

test.each([
  ['claude', ['--permission-mode', 'plan']],
  ['claude', ['--permission-mode=plan']],
  ['claude', ['--dangerously-skip-permissions']],
  ['codex', ['--sandbox', 'read-only']],
  ['codex', ['-a', 'never']],
])('the flags of the user win for %s: %s', (agent, given) => {
  const flags = taskFlags(agent, given);
  expect(flags.slice(-given.length)).toEqual(given);
  expect(flags.join(' ')).not.toMatch(/bypass/);
});

const PATH = process.env.PATH ?? '';

/** With an otherwise empty home folder, so that only the system's own profile has an effect. */
function inBash(flag: '-lc' | '-c', command: string, env: Readonly<Record<string, string>>, home: string): string {
  return execFileSync('bash', [flag, command], { env: { HOME: home, ...env }, encoding: 'utf8' }).trim();
}

test('the program that started an agent is on its path by both names, and gets its arguments unchanged', () => {
  const folder = testFolder();
  const self = join(folder, "it's me");
  writeFileSync(self, '#!/bin/sh\nprintf "<%s>" "$@"\n');
  chmodSync(self, 0o755);
  const tools = makeTools(folder, [self, 'a b']);
  for (const name of ['ralph', 'run-agent']) {
    const said = inBash('-c', `${name} 'bus' '$HOME "x"'`, { PATH: `${tools}:${PATH}` }, folder);
    expect(said).toBe('<a b><bus><$HOME "x">');
  }
});

test('a login shell, which sets the path again, finds it, too, and the user’s start-up files are read', () => {
  const folder = testFolder();
  const tools = makeTools(folder, ['/bin/true']);
  const users = join(folder, 'users');
  writeFileSync(users, 'FOUND=yes\n');
  const env = { PATH: '/usr/bin:/bin', BASH_ENV: join(tools, BASH_ENV_NAME), [USERS_BASH_ENV]: users };
  expect(inBash('-lc', 'command -v ralph; echo $FOUND', env, folder)).toBe(`${join(tools, 'ralph')}\nyes`);
});

const CODEX = { project: 'p', task: 't', folder: '/t', bus: '/t/bus', agent: 'codex', parentRunId: null };

test('before the prompt come the names, where things are, how to talk, to split work and to finish', () => {
  const whole = withPreamble(CODEX, 'r', true, '\n  Do it.\n\n');
  expect(whole).toMatch(
    /^JRUN_TASK_FOLDER=\/t\n[^ ]*\nJRUN_ID=r\n[^ ]*\nWrite output\.md to \/t\/runs\/r\/output\.md\n\n## Message Bus\n/,
  );
  expect(whole).toContain('\n## Sub-Agent Spawning (RLM Pattern)\n');
  expect(whole).toContain('--agent codex ');
  expect(whole).toContain('\n## Completion\nWhen done, create: /t/DONE\n');
  expect(whole.endsWith('\n\n---\n\nDo it.\n')).toBe(true);
});

test('a prompt that contains a line of three dashes is whole after the first one', () => {
  const prompt = 'a\n---\nb';
  const whole = withPreamble(CODEX, 'r', true, prompt);
  expect(whole.slice(whole.indexOf('\n---\n') + '\n---\n\n'.length)).toBe(`${prompt}\n`);
});

test('if `ralph` cannot be called, it is not mentioned', () => {
  const whole = withPreamble(CODEX, 'r', false, 'Do it.');
  expect(whole).toMatch(/output\.md\n\n## Completion\nWhen done, create: \/t\/DONE\n/);
  expect(whole).not.toContain('ralph ');
});
