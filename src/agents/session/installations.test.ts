import { expect, test } from 'vitest';
import { INSTALLATIONS } from './installations.ts';

const COMMAND = ['/opt/my node/bin/node', "/it's/session-loop.cjs", 'host'];
const LINE = String.raw`'/opt/my node/bin/node' '/it'\''s/session-loop.cjs' host`;
const OURS = { dist: '/dist', plugin: '/plugin' };
const NAMES = ['ralph-loop', 'ulw-loop', 'cancel-ralph', 'ralph-status'];

test.each([
  ['codex', ['UserPromptSubmit', 'Stop', 'PostToolUse', 'SessionStart'], 600],
  ['gemini', ['BeforeAgent', 'AfterAgent', 'SessionStart'], 600_000],
] as const)('%s: every hook is the command for a shell, with ten minutes in its own unit', (agent, events, timeout) => {
  const hooks = INSTALLATIONS[agent].hooks?.(COMMAND, OURS) ?? {};
  expect(Object.keys(hooks)).toEqual(events);
  for (const group of Object.values(hooks)) {
    const command = expect.stringContaining(LINE);
    expect(group.hooks).toEqual([expect.objectContaining({ type: 'command', command, timeout })]);
  }
});

test('Gemini CLI: a command file holds the command alone, so that what was typed follows it as it is', () => {
  const files = INSTALLATIONS.gemini.files(COMMAND, OURS);
  expect(Object.keys(files)).toEqual(NAMES.map((name) => `commands/${name}.toml`));
  for (const name of NAMES) expect(files[`commands/${name}.toml`]).toMatch(new RegExp(`^prompt = "/${name}"$`, 'm'));
});

test('Codex: a skill for each command, which no model is told of before a person types it', () => {
  const files = INSTALLATIONS.codex.files(COMMAND, OURS);
  for (const name of NAMES) {
    expect(files[`skills/${name}/SKILL.md`]).toMatch(new RegExp(`^---\nname: ${name}\ndescription: ".+"\n---\n`));
    expect(files[`skills/${name}/agents/openai.yaml`]).toContain('allow_implicit_invocation: false');
  }
});
