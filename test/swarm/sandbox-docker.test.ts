/** `swarm spawn --ralph --sandbox` with a scripted Docker, whose client has no terminal: its agents are headless. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { type Program, startProgram } from '../support/programs/program.ts';
import { type DockerScene, dockerScene } from '../support/sandbox/docker.ts';
import { ROOT } from '../support/scene.ts';

interface DockerSwarm extends DockerScene {
  swarm(...args: string[]): Program;
  loop(name: string, ...flags: string[]): Program;
}

async function dockerSwarm(play: string): Promise<DockerSwarm> {
  const scene = await dockerScene({ play });
  Object.assign(scene.env, {
    SWARM_HOME: join(scene.folder, 'swarm'),
    TMUX_TMPDIR: scene.folder,
    // Copying files out of the sandbox takes 100 ms; the loop waits for three of these.
    SWARM_SECOND_MS: '100',
  });
  scene.write('work/PROMPT.md', 'Do the task.\n');
  const swarm = (...args: string[]): Program =>
    startProgram([process.execPath, join(ROOT, 'bin/swarm.cjs'), ...args], {
      cwd: scene.work,
      env: scene.env,
      detached: true,
    });
  const loop = (name: string, ...flags: string[]): Program => {
    const command = ['--', 'claude', '-p', '--dangerously-skip-permissions'];
    const limits = ['--prompt-file', 'PROMPT.md', '--max-iterations', '3', '--inactivity-timeout', '600'];
    return swarm('spawn', '--name', name, '--ralph', '--sandbox', ...limits, ...flags, ...command);
  };
  return { ...scene, swarm, loop };
}

test("a loop runs to its done pattern inside; the prompt is an argument, and each iteration's files are copied out", async () => {
  const scene = await dockerSwarm('echo "$prompt" >>heard; [ $(grep -c task heard) = 2 ] && echo ALL DONE; true');
  const { code, stdout } = await scene.loop('agent', '--done-pattern', 'ALL DONE').exited;
  expect(stdout).toMatch(`Isolation: Docker Sandbox ${scene.name} (5 hosts)\nspawned agent`);
  expect(stdout).toContain('[ralph] agent: done pattern matched, stopping loop');
  expect(code).toBe(0);
  const runs = scene.calls().filter(([command]) => command === 'run');
  expect(runs).toEqual([1, 2].map(() => ['run', scene.name, '--', '-p', 'Do the task.\n']));
  expect(scene.read('work/heard').match(/Do the task/g)).toHaveLength(2);
});

test('killing a loop stops the sandbox, because nothing else ends what runs inside', async () => {
  const scene = await dockerSwarm('echo x >"$SCENE/began"; sleep 1000');
  const loop = scene.loop('agent');
  await vi.waitFor(() => expect(existsSync(join(scene.folder, 'began'))).toBe(true), { timeout: 20_000 });
  const second = await scene.loop('second').exited;
  expect(second.stderr).toContain(`swarm: error: the Docker Sandbox of ${scene.work} is used by worker 'agent'`);
  expect(second.code).toBe(2);
  expect((await scene.swarm('kill', 'agent').exited).code).toBe(0);
  expect((await loop.exited).code).toBe(1);
  expect(scene.calls().at(-1)).toEqual(['stop', scene.name]);
});

test('a dry run shows the sandbox, what it shares and what it can reach', async () => {
  const scene = await dockerSwarm('true');
  const { code, stdout } = await scene.loop('agent', '--dry-run', '--allow-host', 'example.com').exited;
  expect(stdout).toContain(`\nSandbox (Docker's):\n  machine: ${scene.name}\n`);
  expect(stdout).toContain(`  is shared, to be read and written:\n    ${scene.work}\n`);
  expect(stdout).toContain('    example.com\n');
  expect(code).toBe(0);
  const elsewhere = await scene.loop('agent', '--dry-run', '--worktree').exited;
  const worktree = join(scene.folder, 'work-worktrees/agent');
  expect(elsewhere.stdout).toContain(`    ${worktree}\n    ${scene.work}/.git\n`);
});
