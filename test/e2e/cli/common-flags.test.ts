/** Flags that have the same name in all loops: --max-iterations, -m, --agent, --model, --timeout. */
import { describe, expect, test } from 'vitest';
import { makeScene } from '../../support/scene.ts';

describe('ralph task run', () => {
  const line = 'ralph task run --project shop --root runs --prompt x --agent claude --dry-run';

  test('--model is passed to the agent', async () => {
    const { code, stdout } = await makeScene({ play: '', agent: 'claude' }).shell(`${line} --model opus`);
    expect(stdout).toMatch(/^ {2}claude .*--model opus/m);
    expect(code).toBe(0);
  });

  test('-m and --max-iterations mean --max-restarts, and refuse 0', async () => {
    const scene = makeScene({ play: 'exit 1' });
    const run = (limit: string) =>
      scene.shell(`ralph task run --project shop --root runs --prompt x --agent agent --restart-delay 0 ${limit}`);
    expect((await run('-m 0')).stderr).toBe(
      'error: -m, --max-iterations must be a positive integer such as 10, got "0"\nsee: ralph task run --help\n',
    );
    await run('-m 2');
    await run('--max-iterations 3');
    expect(scene.starts()).toHaveLength(5);
  });
});

describe('swarm spawn', () => {
  const swarm = (flags: string) => {
    const scene = makeScene({ play: '', agent: 'claude' });
    scene.env.SWARM_HOME = `${scene.folder}/swarm`;
    return scene.shell(`echo x >P.md; swarm spawn --name a --dry-run ${flags}`);
  };

  test('--agent, --model, -m and --timeout', async () => {
    const { code, stdout } = await swarm('--agent claude --model opus --ralph --prompt-file P.md -m 3 --timeout 5');
    expect(stdout).toContain('Loop: up to 3 iterations');
    expect(stdout).toContain('\n  claude --model opus\n');
    expect(code).toBe(0);
  });

  test('--agent is refused together with a command', async () => {
    const { code, stderr } = await swarm('--agent claude -- codex');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'swarm: error: give the command after -- or with --agent, not both\n',
    });
  });

  test('--model is refused for an agent whose model flag is unknown', async () => {
    const { code, stderr } = await swarm('--agent sh --model opus');
    expect(stderr).toMatch(/^swarm: error: --model cannot be passed on: .*\nswarm: Give the whole command after --\n$/);
    expect(code).toBe(1);
  });
});

test('ralph session takes --agent and --model', async () => {
  const scene = makeScene({ play: '' });
  const line = String.raw`printf '#!/bin/sh\necho "$@" >"$SCENE/args"\n' >my-claude; chmod +x my-claude`;
  await scene.shell(`${line}; ralph session -p Work. --agent ./my-claude --model opus`);
  expect(scene.read('args')).toMatch(/^--model opus /);
});

test('ralph resume takes --max-iterations', async () => {
  const scene = makeScene({ play: 'echo no' });
  await scene.run('-m', '1');
  await scene.shell('ralph resume --max-iterations 3');
  expect(scene.starts()).toHaveLength(3);
});

test('ralph session --timeout ends the session, and says how to continue it', async () => {
  const scene = makeScene({ play: '' });
  const program = '#!/bin/sh\nsleep 60 &\ntrap "kill $!; echo asked >$SCENE/asked; exit 1" TERM\nwait\n';
  scene.write('bin/claude', program);
  const { code, stderr } = await scene.shell('chmod +x ../bin/claude; ralph session -p Work. --timeout 300ms');
  expect(stderr).toMatch(/^The session was ended at iteration 0: it took 300ms \(--timeout\)\.\n/);
  expect(stderr).toMatch(/ claude --plugin-dir .* --resume \S+\n {4}continue\n$/);
  expect(scene.read('asked')).toBe('asked\n');
  expect(code).toBe(1);
});

test('a common flag that a command does not have is refused in one line', async () => {
  const { code, stderr } = await makeScene({ play: '' }).shell('ralph session -p Work. --sandbox');
  const why = 'hooks inside the session write the journal, which a sandbox protects; use ralph run --sandbox';
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `error: ralph session has no --sandbox: ${why}\nsee: ralph session --help\n`,
  });
});

describe('ralph init --agent', () => {
  test('is written instead of the installed agent', async () => {
    const scene = makeScene({ play: '', agent: 'gemini' });
    const { code } = await scene.shell('ralph init --yes --force --agent gemini');
    expect(JSON.parse(scene.read('work/.ralph/settings.json'))).toMatchObject({ agent: { command: 'gemini' } });
    expect(code).toBe(0);
  });

  test('an agent that is not installed is refused', async () => {
    const { code, stderr } = await makeScene({ play: '' }).shell('ralph init --yes --force --agent cluade');
    expect(stderr).toContain('error: agent command not found: cluade; did you mean claude?\n');
    expect(code).toBe(2);
  });
});
