/** The helper of a sandboxed loop: what happens to programs when it is killed, and to it when the loop is killed. */
import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { helpersOf, LOST, lost, onlyHelper, visit } from '../../support/sandbox/helper.ts';
import { listen, sandboxScene } from '../../support/sandbox/sandbox.ts';
import { DONE } from '../../support/scene.ts';

const NODE = process.execPath;
const trySocket = `echo "socket $(${NODE} -e "require('net').connect('/tmp/none').on('error',e=>console.log(e.code))")"`;

test('one helper serves all programs of a loop, and exits with the loop', async () => {
  const play = `at_gate; [ $n = 2 ] && ${DONE}; true`;
  const scene = sandboxScene({ play, settings: { guardrails: [{ command: 'test -d .ralph', failAction: 'APPEND' }] } });
  const ralph = scene.startSandboxed('-m', '2', '--allow-write', join(scene.folder, 'gate'));
  await scene.logged('at gate 1/work/1');
  const first = onlyHelper(scene);
  scene.openGate();
  await scene.logged('at gate 2/work/1');
  expect(onlyHelper(scene)).toBe(first);
  scene.openGate();
  expect((await ralph.exited).code).toBe(0);
  expect(helpersOf(scene)).toEqual([]);
});

describe('a helper that is killed', () => {
  test('while a program runs: it loses the network but stays confined; the next one has the network', async () => {
    const server = await listen();
    const play = `
      ${visit(server.port, 'before')}
      if [ $n = 1 ]; then
        at_gate
        ${visit(server.port, 'after')}; ${trySocket}
        echo x >"$SCENE/outside" || echo "write refused"
        echo x >.ralph/planted || echo "still read-only"
      else ${DONE}; fi`;
    const scene = sandboxScene({ play });
    const allowed = ['--allow-host', `localhost:${server.port}`, '--allow-write', join(scene.folder, 'gate')];
    const ralph = scene.startSandboxed('-m', '2', ...allowed);
    await scene.logged('at gate 1/work/1');
    process.kill(onlyHelper(scene), 'SIGKILL');
    await vi.waitUntil(() => helpersOf(scene).length === 0);
    scene.openGate();
    const { code, stdout, stderr } = await ralph.exited;
    const words = ['before welcome closed', 'after closed', 'socket EPERM', 'write refused', 'still read-only'];
    expect(stdout.split('\n').map((line) => line.trim())).toEqual(expect.arrayContaining(words));
    expect(stdout.match(/before welcome/g)).toHaveLength(2);
    expect(stderr.split('\n').filter((line) => line.includes('helper'))).toEqual([LOST]);
    expect(server.visitors()).toBe(2);
    expect(code).toBe(0);
  });

  test('while a program runs: files that it plants later are quarantined; the next attempt is refused', async () => {
    const play = `
      if [ $n = 1 ]; then at_gate; echo '{}' >.mcp.json
      else ls .mcp.json; cat ~/.ssh/key; mv .git/hooks .git/old; echo x >.git/hooks/pre-commit; ${DONE}; fi`;
    const scene = sandboxScene({ play });
    mkdirSync(join(scene.folder, '.ssh'));
    scene.write('.ssh/key', 's3cret\n');
    const ralph = scene.startSandboxed('-m', '2', '--allow-write', join(scene.folder, 'gate'));
    await scene.logged('at gate 1/work/1');
    process.kill(onlyHelper(scene), 'SIGKILL');
    await vi.waitUntil(() => helpersOf(scene).length === 0);
    scene.openGate();
    const { code, stdout, stderr } = await ralph.exited;
    expect(existsSync(join(scene.work, '.mcp.json'))).toBe(false);
    expect(stderr).toContain(`Sandbox: moved ${scene.work}/.mcp.json to quarantine`);
    // The supervisor quarantined it as soon as the program had ended.
    expect(scene.journal().find(({ result }) => result.kind === 'ran')?.result).toMatchObject({ refusals: 1 });
    expect(stderr).toContain(`Sandbox: refused to write ${scene.work}/.git/hooks/pre-commit`);
    expect(stderr.split('\n').filter((line) => line.includes('helper'))).toEqual([LOST]);
    expect(stdout).not.toMatch(/^\.mcp\.json$|s3cret/m);
    expect(existsSync(join(scene.work, '.git/hooks/pre-commit'))).toBe(false);
    expect(code).toBe(0);
  });

  test('between two programs: the next one has the network, and its refusals are reported', async () => {
    const server = await listen();
    const play = `
      if [ $n = 1 ]; then at_gate; else ${visit(server.port, 'then')}; echo x >"$SCENE/outside"; ${DONE}; fi`;
    const scene = sandboxScene({ play });
    const allowed = ['--allow-host', `localhost:${server.port}`, '--allow-write', join(scene.folder, 'gate')];
    const ralph = scene.startSandboxed('-m', '2', ...allowed);
    await scene.logged('at gate 1/work/1');
    await scene.shell('ralph pause');
    scene.openGate();
    await scene.journalSays('"command":"pause"');
    process.kill(onlyHelper(scene), 'SIGKILL');
    await vi.waitUntil(() => helpersOf(scene).length === 0);
    await scene.shell('ralph resume');
    const { code, stdout, stderr } = await ralph.exited;
    expect(stdout).toContain('then welcome');
    expect(stderr.split('\n').filter((line) => line.includes('helper'))).toEqual([LOST]);
    expect(stderr).toContain(`Sandbox: refused to write ${join(scene.folder, 'outside')}`);
    expect(code).toBe(0);
  });
});

test('a helper that hangs between two programs is killed and reported once; the next has the network', async () => {
  const server = await listen();
  const play = `
    if [ $n = 1 ]; then at_gate; else ${visit(server.port, 'then')}; ${DONE}; fi`;
  const scene = sandboxScene({ play });
  const allowed = ['--allow-host', `localhost:${server.port}`, '--allow-write', join(scene.folder, 'gate')];
  const ralph = scene.startSandboxed('-m', '2', ...allowed);
  await scene.logged('at gate 1/work/1');
  process.kill(onlyHelper(scene), 'SIGSTOP');
  scene.openGate();
  const { code, stdout, stderr } = await ralph.exited;
  expect(stdout).toContain('then welcome');
  expect(stderr.split('\n').filter((line) => line.includes('helper'))).toEqual([
    lost('it gave no answer for 10 seconds'),
  ]);
  expect(code).toBe(0);
  expect(helpersOf(scene)).toEqual([]);
});

test.each([
  ['does its work', []],
  ['hangs', ['SIGSTOP']],
] as const)('a helper that %s exits when its ralph is killed', async (_, signals) => {
  const scene = sandboxScene({ play: `at_gate; ${DONE}` });
  const ralph = scene.startSandboxed('--allow-write', join(scene.folder, 'gate'));
  await scene.logged('at gate 1/work/1');
  const helper = onlyHelper(scene);
  for (const signal of signals) process.kill(helper, signal);
  ralph.signal('SIGKILL');
  await ralph.exited;
  await vi.waitFor(() => expect(helpersOf(scene)).toEqual([]));
  await scene.letGo();
});

test('no program starts if a writable path leads elsewhere than when the loop began', async () => {
  const command = 'touch "$SCENE/open/inner/by-guardrail"';
  const settings = { guardrails: [{ command, failAction: 'APPEND' }] };
  const scene = sandboxScene({ play: `at_gate; ${DONE}`, settings });
  for (const folder of ['open/inner', 'elsewhere/inner']) mkdirSync(join(scene.folder, folder), { recursive: true });
  const allowed = ['gate', 'open/inner'].flatMap((path) => ['--allow-write', join(scene.folder, path)]);
  const ralph = scene.startSandboxed('-m', '1', ...allowed);
  await scene.logged('at gate 1/work/1');
  // Another loop that can write to the parent folder could do this.
  renameSync(join(scene.folder, 'open'), join(scene.folder, 'moved'));
  symlinkSync(join(scene.folder, 'elsewhere'), join(scene.folder, 'open'));
  scene.openGate();
  const { code } = await ralph.exited;
  expect(code).toBe(1);
  expect(scene.journal().find(({ result }) => result.kind === 'checked')?.result).toMatchObject({
    outcome: { is: 'failed' },
    output: expect.stringContaining(
      `open/inner is writable and now leads to ${join(scene.folder, 'elsewhere/inner')}, but led to`,
    ) as string,
  });
  expect(readdirSync(join(scene.folder, 'elsewhere/inner'))).toEqual([]);
});
