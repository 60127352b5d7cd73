/** Adapters of harnesses that are rarely installed: what they start (a fake records it), and how they read endings. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HARNESSES } from '../../bench/loopbench/harnesses/index.mjs';
import { testFolder } from '../support/folder.ts';
import { ROOT } from '../support/scene.ts';

const TASK = {
  prompt: 'Do it.',
  promptFile: null,
  checks: ['npm test', 'npm run lint'],
  iterations: 4,
  hangAfterMs: null,
  longestRunMs: 10_000,
};

/** Runs the harness as LoopBench does, in a separate process, because adapters read the environment when loaded. */
function started(name: string, task = {}) {
  const folder = testFolder();
  const place = (part: string): string => join(folder, part);
  for (const part of ['bin', 'agents', 'clone', 'work']) mkdirSync(place(part));
  const seen = `#!/bin/sh
case $1 in --help) echo 'Ralph Wiggum Loop'; exit ;; esac
printf '%s\\n' "$RALPH_CLAUDE_BINARY" "$PATH" "$PWD" "$@" >'${place('seen')}'
exit 3
`;
  for (const path of ['bin/ralph', 'clone/ralph.sh']) writeFileSync(place(path), seen, { mode: 0o755 });
  const given = { ...TASK, agent: place('agents/claude'), ...task };
  const env = { ...process.env, PATH: `${place('bin')}:${process.env.PATH ?? ''}`, SNARKTANK_RALPH: place('clone') };
  const script = `
    import { spawnSync } from 'node:child_process';
    import { HARNESSES } from ${JSON.stringify(join(ROOT, 'bench/loopbench/harnesses/index.mjs'))};
    const harness = HARNESSES.find(({ name }) => name === ${JSON.stringify(name)});
    const [scene, task] = [{ work: process.cwd(), env: process.env }, ${JSON.stringify(given)}];
    if (harness.missing() !== null) throw new Error(harness.missing());
    harness.prepare(scene, task);
    const [program, ...args] = harness.start(scene, task);
    process.exitCode = spawnSync(program, args, { stdio: 'inherit' }).status;`;
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: place('work'),
    env,
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 3, stderr: '' });
  const [agent = '', path = '', cwd = '', ...args] = readFileSync(place('seen'), 'utf8').trimEnd().split('\n');
  return { agent, path, cwd, args, place };
}

const adapter = (name: string) => {
  const found = HARNESSES.find((harness) => harness.name === name);
  if (found === undefined) throw new Error(`no adapter for ${name}`);
  return found;
};

describe('open-ralph-wiggum', () => {
  const FLAGS =
    '--agent claude-code --max-iterations 4 --completion-promise DONE --abort-promise BLOCKED --no-questions --last-activity-timeout';

  test('gets the prompt with the checks, the limits and the agent', () => {
    const { agent, args, place } = started('open-ralph-wiggum');
    expect(agent).toBe(place('agents/claude'));
    expect(args).toEqual(['Do it.', 'npm test', 'npm run lint', ...FLAGS.split(' '), '10s']);
  });

  test('gets a prompt file, and a shorter limit for hangs', () => {
    const { args } = started('open-ralph-wiggum', { promptFile: 'PROMPT.md', hangAfterMs: 1500 });
    expect(args).toEqual(['--prompt-file', 'PROMPT.md', ...FLAGS.split(' '), '2s']);
  });

  test.each([
    [0, 'All good.', 'done'],
    [0, 'Max iterations (4) reached.', 'iterations'],
    [1, 'Abort promise detected', 'blocked'],
    [1, 'No such agent', 'failed'],
  ])('exit %i with "%s" is %s', (code, output, ending) => {
    expect(adapter('open-ralph-wiggum').endingOf(code, output)).toBe(ending);
  });
});

describe('snarktank/ralph', () => {
  test('is copied into the project, with the prompt beside it, and has the agent first on its PATH', () => {
    const { args, path, place } = started('snarktank/ralph');
    expect(args).toEqual(['--tool', 'claude', '4']);
    expect(path.startsWith(`${place('agents')}:`)).toBe(true);
    const prompt = readFileSync(place('work/scripts/ralph/CLAUDE.md'), 'utf8');
    expect(prompt).toBe('Do it.\nnpm test\nnpm run lint\n');
  });

  test.each([
    [0, 'done'],
    [1, 'iterations'],
  ])('exit %i is %s', (code, ending) => {
    expect(adapter('snarktank/ralph').endingOf(code, '')).toBe(ending);
  });
});

test.each([
  ['ralph', 5, 'blocked'],
  ['ralph', 9, 'tampered'],
  ['ralph --prove', 2, 'configuration'],
  ['ralph', 70, 'bug'],
  ['while loop', 0, 'done'],
  ['while loop', 124, 'iterations'],
])('%s: exit %i is %s', (name, code, ending) => {
  expect(adapter(name).endingOf(code, '')).toBe(ending);
});
