/** `ralph run --sandbox=os`: what an agent can and cannot do in the real sandbox of the operating system. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listen, sandboxScene } from '../../support/sandbox/sandbox.ts';
import { DONE } from '../../support/scene.ts';

describe('files', () => {
  test('the agent runs in the work tree, and can write to it', async () => {
    const scene = sandboxScene({ play: `echo new >made.txt; echo $PWD; ${DONE}` });
    const { code, stdout, stderr } = await scene.sandboxed();
    expect(stderr).toMatch(/^ {2}isolation {2}operating system's sandbox \(\d+ writable paths, 0 hosts\)$/m);
    expect(stdout).toContain(`${scene.work}\n`);
    expect(scene.read('work/made.txt')).toBe('new\n');
    expect(code).toBe(0);
  });

  test('a write outside is refused, reported with the flag that would allow it, and counted', async () => {
    const scene = sandboxScene({ play: `echo x >"$SCENE/outside" || echo refused; ${DONE}` });
    const { stdout, stderr } = await scene.sandboxed();
    const outside = join(scene.folder, 'outside');
    expect(stdout).toContain('refused');
    expect(stderr).toContain(`Sandbox: refused to write ${outside} (to allow it: --allow-write ${scene.folder})`);
    expect(stderr).toContain('Usage: 1 run, 1 refusal by the sandbox, cost unknown');
    expect(existsSync(outside)).toBe(false);
    expect(scene.journal().find(({ result }) => result.kind === 'ran')?.result).toMatchObject({ refusals: 1 });
  });

  test('--allow-write allows a write outside', async () => {
    const scene = sandboxScene({ play: `echo x >"$SCENE/bin/made"; ${DONE}` });
    const { stderr } = await scene.sandboxed('--allow-write', '~/bin');
    expect(scene.read('bin/made')).toBe('x\n');
    expect(stderr).toContain('Usage: 1 run, cost unknown');
  });

  test('--deny-write protects the tests', async () => {
    const scene = sandboxScene({ play: `echo x >tests/a || rm -rf tests || mv tests elsewhere; ${DONE}` });
    mkdirSync(join(scene.work, 'tests'));
    scene.write('work/tests/a', 'a test\n');
    const { stderr } = await scene.sandboxed('--deny-write', 'tests');
    expect(scene.read('work/tests/a')).toBe('a test\n');
    expect(stderr).toContain(`refused to write ${scene.work}/tests/a (to allow it: --allow-write ${scene.work}/tests)`);
  });

  test("the user's own settings, which can contain tokens of receivers, are hidden", async () => {
    const scene = sandboxScene({ play: `cat ~/.config/ralph/settings.json; ${DONE}` });
    mkdirSync(join(scene.folder, '.config/ralph'), { recursive: true });
    const receivers = { chat: { kind: 'slack', url: 'http://127.0.0.1:1/s3cret', events: ['tampered'] } };
    scene.write('.config/ralph/settings.json', JSON.stringify({ notify: { receivers } }));
    const { code, stdout } = await scene.sandboxed();
    expect(code).toBe(0);
    expect(stdout).not.toContain('s3cret');
  });

  test('keys are hidden, and paths that the user names', async () => {
    const play = `cat ~/.ssh/id ~/.netrc notes/secret ~/.kube/config ~/.run-agent/task; ls -A ~/.ssh; ${DONE}`;
    const scene = sandboxScene({ play });
    for (const folder of ['.ssh', '.kube', '.run-agent', 'work/notes']) mkdirSync(join(scene.folder, folder));
    for (const file of ['.ssh/id', '.netrc', '.kube/config', '.run-agent/task', 'work/notes/secret'])
      scene.write(file, 'a key\n');
    const { stdout, stderr } = await scene.sandboxed('--deny-read', 'notes');
    expect(stdout).not.toContain('a key');
    expect(stderr).not.toContain('a key');
    expect(stdout).toContain('<response>DONE</response>');
    expect(scene.read('.ssh/id')).toBe('a key\n');
  });

  test('the journal can be neither read nor written', async () => {
    const scene = sandboxScene({ play: `find "$SCENE/state" -type f; rm -rf "$SCENE/state/ralph"; ${DONE}` });
    const { code, stdout } = await scene.sandboxed();
    expect(stdout).not.toContain('journal');
    expect(code).toBe(0);
    expect(scene.journal().at(-1)?.result).toMatchObject({ kind: 'ended', ending: { kind: 'done' } });
  });

  test('mounts cannot be undone, not even by root', async () => {
    const play = `
      mount -o remount,rw / && echo x >/etc/ralph-was-here && echo REMOUNTED
      umount "$HOME/.ssh" && cat ~/.ssh/id
      unshare --user --map-root-user --mount sh -c 'umount "$HOME/.ssh"; cat ~/.ssh/id; mount -o remount,bind,rw / && echo REMOUNTED'
      ${DONE}`;
    const scene = sandboxScene({ play });
    mkdirSync(join(scene.folder, '.ssh'));
    scene.write('.ssh/id', 'a key\n');
    const { stdout } = await scene.sandboxed();
    expect(stdout).not.toContain('a key');
    expect(stdout).not.toContain('REMOUNTED');
    expect(stdout).toContain('DONE');
    expect(existsSync('/etc/ralph-was-here')).toBe(false);
  });

  test('temporary files go to a folder of the loop, which is removed at its end', async () => {
    const scene = sandboxScene({ play: `echo x >"$(mktemp)" && echo "made in $TMPDIR"; ${DONE}` });
    const { stdout } = await scene.sandboxed();
    const [, temp = ''] = /made in (.+)/.exec(stdout) ?? [];
    expect(temp).toMatch(/\/ralph-\w+$/);
    expect(existsSync(temp)).toBe(false);
  });
});

describe('the network', () => {
  const NODE = process.execPath;
  /** Connects, and prints the greeting or the error. */
  const visit = (port: number) =>
    `${NODE} -e "require('net').connect(${port},'127.0.0.1').on('data',d=>console.log('got '+d)).on('error',e=>console.log(e.code))"`;
  /** Connects through the proxy of the sandbox. */
  const ask = (host: string) =>
    `${NODE} -e "
      const { username, password, port } = new URL(process.env.HTTPS_PROXY);
      const key = Buffer.from(decodeURIComponent(username) + ':' + password).toString('base64');
      require('net').connect(port, '127.0.0.1', function () {
        this.write('CONNECT ${host} HTTP/1.1\\r\\nHost: ${host}\\r\\nProxy-Authorization: Basic ' + key + '\\r\\n\\r\\n');
      }).on('data', d => console.log('answer ' + d)).on('error', e => console.log(e.code));"`;

  test('a server of this machine cannot be reached in any way', async () => {
    const server = await listen();
    const play = `
      ${visit(server.port)}
      ${ask(`127.0.0.1:${server.port}`)}
      ${ask(`localhost:${server.port}`)}
      nsenter --net=/proc/1/ns/net ${visit(server.port)}
      unshare --user --map-root-user --net ${visit(server.port)}
      ${DONE}`;
    const scene = sandboxScene({ play });
    const { stdout, stderr } = await scene.sandboxed();
    expect(stdout).toContain('ECONNREFUSED');
    expect(stdout).toContain('answer HTTP/1.1 403');
    expect(stdout).not.toContain('welcome');
    expect(server.visitors()).toBe(0);
    expect(stderr).toContain(
      `Sandbox: refused to connect to 127.0.0.1:${server.port} (to allow it: --allow-host 127.0.0.1:${server.port})`,
    );
  });

  test('--allow-host makes such a server reachable, although the sandbox has its own loopback', async () => {
    const server = await listen();
    const scene = sandboxScene({ play: `${visit(server.port)}; ${DONE}` });
    const { stdout, stderr } = await scene.sandboxed('--allow-host', `localhost:${server.port}`);
    expect(stdout).toContain('got welcome');
    expect(stderr).not.toContain('Sandbox: refused');
    expect(server.visitors()).toBe(1);
  });

  test('a host that is not on the list is refused and reported', async () => {
    const scene = sandboxScene({ play: `${ask('example.com:443')}; ${DONE}` });
    const { stdout, stderr } = await scene.sandboxed('--allow-host', 'other.example.com');
    expect(stdout).toContain('answer HTTP/1.1 403');
    expect(stderr).toContain('Sandbox: refused to connect to example.com:443 (to allow it: --allow-host example.com)');
  });

  test('sockets in the file system cannot be opened, because programs outside listen on them', async () => {
    const play = `${NODE} -e "require('net').connect('/tmp/none').on('error',e=>console.log(e.code))"; ${DONE}`;
    const { stdout } = await sandboxScene({ play }).sandboxed();
    expect(stdout).toContain('EPERM');
  });
});

test('kernel settings can be read, but not written, not even by root', async () => {
  const play = `cat /proc/sys/kernel/ostype; : >>/proc/sys/kernel/core_pattern && echo OPENED
    find /proc/sys -type f -writable | head -3; mount -o remount,rw /proc/sys && echo REMOUNTED; ${DONE}`;
  const { stdout } = await sandboxScene({ play }).sandboxed();
  expect(stdout).toMatch(/^Linux$/m);
  expect(stdout).not.toMatch(/OPENED|REMOUNTED|^\/proc/m);
});

test('a loop without a sandbox is refused if the settings protect paths with one', async () => {
  const scene = sandboxScene({ play: DONE, settings: { sandbox: { denyWrite: ['tests'] } } });
  const { code, stderr } = await scene.ralph(['run', '-p', 'x', '-m', '1']).exited;
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('the settings keep "tests" from the agent with a sandbox, and there is none'),
  });
  expect(scene.starts()).toEqual([]);
  expect((await scene.ralph(['run', '-p', 'x', '-m', '1', '--no-sandbox']).exited).code).toBe(0);
  expect((await scene.sandboxed()).code).toBe(0);
});

describe('processes', () => {
  test('the harness is invisible and cannot be signalled', async () => {
    const play = `at_gate
      grep -l bin/ralph.cjs /proc/[0-9]*/cmdline && echo SEEN
      kill -9 "$(cat pid)" && echo KILLED
      ls "/proc/$(cat pid)/root" && echo LOOKED
      ${DONE}`;
    const scene = sandboxScene({ play });
    const ralph = scene.startSandboxed('--allow-write', join(scene.folder, 'gate'));
    await scene.logged('at gate 1/work/1');
    scene.write('work/pid', String(ralph.pid));
    scene.openGate();
    const { code, stdout } = await ralph.exited;
    expect(stdout).not.toMatch(/SEEN|KILLED|LOOKED/);
    expect(code).toBe(0);
  });

  test.each(['cgroup', 'pid-namespace', 'group'] as const)(
    'a process that leaves its group, parent and environment ends with the run (%s)',
    async (level) => {
      const play = `
        (setsid sh -c 'echo $$ >escaped; sleep 1000' &)
        (env -i setsid sh -c 'sleep 1001 & sleep 1002' &)
        while ! test -s escaped; do sleep 0.01; done
        ${DONE}`;
      const scene = sandboxScene({ play, level });
      expect((await scene.sandboxed()).code).toBe(0);
      // The scene fails a test that leaves a process running.
      expect(existsSync(join(scene.work, 'escaped'))).toBe(true);
    },
  );

  test.each(['cgroup', 'pid-namespace', 'group'] as const)(
    'an agent that times out gets SIGTERM first, and can clean up (%s)',
    async (level) => {
      const play = `trap 'echo goodbye >bye; exit 0' TERM; echo $$ >began; while :; do sleep 0.01; done`;
      const scene = sandboxScene({ play, level });
      const { stderr } = await scene.sandboxed('-m', '1', '--agent-timeout', '3s');
      expect(stderr).toContain('Agent failed (timed out after 3s)');
      expect(scene.read('work/bye')).toBe('goodbye\n');
    },
  );

  test('when ralph is killed, resume terminates its processes and continues in the sandbox', async () => {
    const play = `case $n$(cat again) in 1) at_gate ;; esac; touch "$SCENE/outside"; ${DONE}`;
    const scene = sandboxScene({ play });
    scene.write('work/again', '');
    const ralph = scene.startSandboxed('--allow-write', join(scene.folder, 'gate'));
    await scene.logged('at gate 1/work/1');
    ralph.signal('SIGKILL');
    await ralph.exited;
    scene.write('work/again', 'yes');
    const { code, stderr } = await scene.ralph(['resume']).exited;
    expect(stderr).toContain("isolation  operating system's sandbox");
    expect(code).toBe(0);
    expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
  });

  test.each([
    ['exit 3', 'exit 3'],
    ['kill -9 $$', 'exit 137'],
  ])('an agent that exits with `%s` has failed', async (ending, told) => {
    const { stderr } = await sandboxScene({ play: ending }).sandboxed('-m', '1');
    expect(stderr).toContain(`Agent failed (${told})`);
  });

  test.each([
    ['as an argument', 15_000, DONE],
    ['by stdin, where it is too long for one', 60_000, `cat >"$SCENE/prompts/1-work-1"; ${DONE}`],
  ])('a long prompt reaches the agent unchanged, %s', async (_how, words, play) => {
    const scene = sandboxScene({ play });
    const prompt = `it's "$HOME" \`id\` \\ ${'long '.repeat(words)}\n`;
    scene.write('prompt.md', prompt);
    const { code } = await scene.ralph(['run', '-f', '../prompt.md', '--sandbox=os', ...scene.own]).exited;
    expect(code).toBe(0);
    // Not `toBe`: it would print both.
    expect(scene.promptOf('1/work/1') === prompt).toBe(true);
  });
});
