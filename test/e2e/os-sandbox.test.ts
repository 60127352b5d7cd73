/** `ralph run --sandbox=os`: what an agent can and cannot do in the operating system's sandbox. Real, nothing stands in. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listen, sandboxScene } from '../support/sandbox.ts';

const DONE = 'echo "<response>DONE</response>"';

describe('files', () => {
  test('what the agent writes to the work tree is there, in the folder it was started in', async () => {
    const scene = sandboxScene({ play: `echo new >made.txt; echo $PWD; ${DONE}` });
    const { code, stdout, stderr } = await scene.sandboxed();
    expect(stderr).toMatch(/^Isolation: operating system's sandbox \(\d+ writable paths, 0 hosts\)$/m);
    expect(stdout).toContain(`${scene.work}\n`);
    expect(scene.read('work/made.txt')).toBe('new\n');
    expect(code).toBe(0);
  });

  test('a write outside is refused, told with what would allow it, and counted', async () => {
    const scene = sandboxScene({ play: `echo x >"$SCENE/outside" || echo refused; ${DONE}` });
    const { stdout, stderr } = await scene.sandboxed();
    const outside = join(scene.folder, 'outside');
    expect(stdout).toContain('refused');
    expect(stderr).toContain(`Sandbox: refused to write ${outside} (to allow it: --allow-write ${scene.folder})`);
    expect(stderr).toContain('Usage: 1 run, 1 refusal by the sandbox, cost unknown');
    expect(existsSync(outside)).toBe(false);
    expect(scene.journal().find(({ result }) => result.kind === 'ran')?.result).toMatchObject({ refusals: 1 });
  });

  test('--allow-write allows it', async () => {
    const scene = sandboxScene({ play: `echo x >"$SCENE/bin/made"; ${DONE}` });
    const { stderr } = await scene.sandboxed('--allow-write', '~/bin');
    expect(scene.read('bin/made')).toBe('x\n');
    expect(stderr).toContain('Usage: 1 run, cost unknown');
  });

  test('--deny-write leaves the tests as they are', async () => {
    const scene = sandboxScene({ play: `echo x >tests/a || rm -rf tests || mv tests elsewhere; ${DONE}` });
    mkdirSync(join(scene.work, 'tests'));
    scene.write('work/tests/a', 'a test\n');
    const { stderr } = await scene.sandboxed('--deny-write', 'tests');
    expect(scene.read('work/tests/a')).toBe('a test\n');
    expect(stderr).toContain(`refused to write ${scene.work}/tests/a (to allow it: --allow-write ${scene.work}/tests)`);
  });

  test('keys are hidden, and what the user names', async () => {
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

  test('the journal is neither read nor written', async () => {
    const scene = sandboxScene({ play: `find "$SCENE/state" -type f; rm -rf "$SCENE/state/ralph"; ${DONE}` });
    const { code, stdout } = await scene.sandboxed();
    expect(stdout).not.toContain('journal');
    expect(code).toBe(0);
    expect(scene.journal().at(-1)?.result).toMatchObject({ kind: 'ended', ending: { kind: 'done' } });
  });

  test('no mount is undone, not even by root', async () => {
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

  test('temporary files go to a folder of the loop, which is gone with it', async () => {
    const scene = sandboxScene({ play: `echo x >"$(mktemp)" && echo "made in $TMPDIR"; ${DONE}` });
    const { stdout } = await scene.sandboxed();
    const [, temp = ''] = /made in (.+)/.exec(stdout) ?? [];
    expect(temp).toMatch(/\/ralph-\w+$/);
    expect(existsSync(temp)).toBe(false);
  });
});

describe('the network', () => {
  const NODE = process.execPath;
  /** Says what came of a connection: the greeting, or why there is none. */
  const visit = (port: number) =>
    `${NODE} -e "require('net').connect(${port},'127.0.0.1').on('data',d=>console.log('got '+d)).on('error',e=>console.log(e.code))"`;
  /** By the way that is there: the proxy. */
  const ask = (host: string) =>
    `${NODE} -e "
      const { username, password, port } = new URL(process.env.HTTPS_PROXY);
      const key = Buffer.from(decodeURIComponent(username) + ':' + password).toString('base64');
      require('net').connect(port, '127.0.0.1', function () {
        this.write('CONNECT ${host} HTTP/1.1\\r\\nHost: ${host}\\r\\nProxy-Authorization: Basic ' + key + '\\r\\n\\r\\n');
      }).on('data', d => console.log('answer ' + d)).on('error', e => console.log(e.code));"`;

  test('a server of this machine is not reached, in no way', async () => {
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

  test('--allow-host lets it be reached, where the sandbox has a loopback of its own', async () => {
    const server = await listen();
    const scene = sandboxScene({ play: `${visit(server.port)}; ${DONE}` });
    const { stdout, stderr } = await scene.sandboxed('--allow-host', `localhost:${server.port}`);
    expect(stdout).toContain('got welcome');
    expect(stderr).not.toContain('Sandbox: refused');
    expect(server.visitors()).toBe(1);
  });

  test('a host that is not on the list is refused and told; one that is would be asked for', async () => {
    const scene = sandboxScene({ play: `${ask('example.com:443')}; ${DONE}` });
    const { stdout, stderr } = await scene.sandboxed('--allow-host', 'other.example.com');
    expect(stdout).toContain('answer HTTP/1.1 403');
    expect(stderr).toContain('Sandbox: refused to connect to example.com:443 (to allow it: --allow-host example.com)');
  });

  test('a socket in the file system is not reached: behind it sits a program with all its rights', async () => {
    const play = `${NODE} -e "require('net').connect('/tmp/none').on('error',e=>console.log(e.code))"; ${DONE}`;
    const { stdout } = await sandboxScene({ play }).sandboxed();
    expect(stdout).toContain('EPERM');
  });
});

test('the settings of the kernel can be read, and not be written, not even by root', async () => {
  const play = `cat /proc/sys/kernel/ostype; : >>/proc/sys/kernel/core_pattern && echo OPENED
    find /proc/sys -type f -writable | head -3; mount -o remount,rw /proc/sys && echo REMOUNTED; ${DONE}`;
  const { stdout } = await sandboxScene({ play }).sandboxed();
  expect(stdout).toMatch(/^Linux$/m);
  expect(stdout).not.toMatch(/OPENED|REMOUNTED|^\/proc/m);
});

test('what the settings keep from the agent is not silently left to it', async () => {
  const scene = sandboxScene({ play: DONE, settings: { sandbox: { denyWrite: ['tests'] } } });
  const { code, stderr } = await scene.ralph(['run', '-p', 'x', '-m', '1']).exited;
  expect({ code, stderr }).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('the settings keep "tests" from the agent by a sandbox, and there is none'),
  });
  expect(scene.starts()).toEqual([]);
  expect((await scene.ralph(['run', '-p', 'x', '-m', '1', '--no-sandbox']).exited).code).toBe(0);
  expect((await scene.sandboxed()).code).toBe(0);
});

describe('processes', () => {
  test('the harness is not seen and cannot be signalled', async () => {
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
    'one that leaves its group, its parent and its environment is gone with the run (%s)',
    async (level) => {
      const play = `
        (setsid sh -c 'echo $$ >escaped; sleep 1000' &)
        (env -i setsid sh -c 'sleep 1001 & sleep 1002' &)
        while ! test -s escaped; do sleep 0.01; done
        ${DONE}`;
      const scene = sandboxScene({ play, level });
      expect((await scene.sandboxed()).code).toBe(0);
      // The scene fails a test that leaves something running.
      expect(existsSync(join(scene.work, 'escaped'))).toBe(true);
    },
  );

  test.each(['cgroup', 'pid-namespace', 'group'] as const)(
    'an agent whose time is up is asked first, and may say goodbye (%s)',
    async (level) => {
      const play = `trap 'echo goodbye >bye; exit 0' TERM; echo $$ >began; while :; do sleep 0.01; done`;
      const scene = sandboxScene({ play, level });
      const { stderr } = await scene.sandboxed('-m', '1', '--agent-timeout', '3s');
      expect(stderr).toContain('Agent failed (timed out after 3s)');
      expect(scene.read('work/bye')).toBe('goodbye\n');
    },
  );

  test('when ralph is killed, whoever resumes ends everything and goes on in a sandbox', async () => {
    const play = `case $n$(cat again) in 1) at_gate ;; esac; touch "$SCENE/outside"; ${DONE}`;
    const scene = sandboxScene({ play });
    scene.write('work/again', '');
    const ralph = scene.startSandboxed('--allow-write', join(scene.folder, 'gate'));
    await scene.logged('at gate 1/work/1');
    ralph.signal('SIGKILL');
    await ralph.exited;
    scene.write('work/again', 'yes');
    const { code, stderr } = await scene.ralph(['resume']).exited;
    expect(stderr).toContain("Isolation: operating system's sandbox");
    expect(code).toBe(0);
    expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
  });

  test.each([
    ['exit 3', 'exit 3'],
    ['kill -9 $$', 'exit 137'],
  ])('an agent that ends with `%s` has failed', async (ending, told) => {
    const { stderr } = await sandboxScene({ play: ending }).sandboxed('-m', '1');
    expect(stderr).toContain(`Agent failed (${told})`);
  });

  test.each([
    ['as an argument', 15_000, DONE],
    ['by stdin, where it is too long for one', 60_000, `cat >"$SCENE/prompts/1-work-1"; ${DONE}`],
  ])('a long prompt reaches the agent as it is, %s', async (_how, words, play) => {
    const scene = sandboxScene({ play });
    const prompt = `it's "$HOME" \`id\` \\ ${'long '.repeat(words)}\n`;
    scene.write('prompt.md', prompt);
    const { code } = await scene.ralph(['run', '-f', '../prompt.md', '--sandbox=os', ...scene.own]).exited;
    expect(code).toBe(0);
    // Not `toBe`: it would print both.
    expect(scene.promptOf('1/work/1') === prompt).toBe(true);
  });
});

describe('guardrails and git', () => {
  test('a guardrail runs inside, since it runs what the agent wrote; what it is refused is told', async () => {
    const scene = sandboxScene({
      play: `printf '#!/bin/sh\\necho x >"$SCENE/outside"\\n' >check.sh; chmod +x check.sh; ${DONE}`,
      settings: { guardrails: [{ command: './check.sh', failAction: 'APPEND' }] },
    });
    const { code, stderr } = await scene.sandboxed('-m', '1');
    expect(stderr).toContain(`Sandbox: refused to write ${join(scene.folder, 'outside')}`);
    expect(stderr).toContain('Guardrail end: ./check.sh (exit 2, action=APPEND)');
    expect(stderr).toContain('1 refusal by the sandbox');
    expect(code).toBe(1);
    expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
  });

  test('the agent can commit', async () => {
    const scene = sandboxScene({ play: `echo more >>work.txt; git commit -aqm "by the agent"; ${DONE}` });
    expect((await scene.sandboxed()).code).toBe(0);
    expect(scene.git('log', '--format=%s')).toBe('by the agent\nbegin\n');
  });

  test('green work is committed inside: a hook in the work tree can do no more than the agent', async () => {
    const scene = sandboxScene({
      play: `echo more >>work.txt; mkdir hooks; printf '#!/bin/sh\\ntouch ran "$SCENE/outside"; exit 0\\n' >hooks/pre-commit
        chmod +x hooks/pre-commit; ${DONE}`,
      settings: { scm: { command: 'git', tasks: ['commit'] } },
    });
    scene.git('config', 'core.hooksPath', 'hooks');
    const { code } = await scene.sandboxed();
    expect(code).toBe(0);
    expect(scene.git('log', '--format=%s')).toBe('Commit of iteration 1\nbegin\n');
    expect(existsSync(join(scene.work, 'ran'))).toBe(true);
    expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
  });

  test('a push goes out with the keys of the user, and without hooks', async () => {
    const scene = sandboxScene({
      play: `echo more >>work.txt; mkdir hooks; printf '#!/bin/sh\\ntouch "$SCENE/outside"\\n' >hooks/pre-push
        chmod +x hooks/pre-push; ${DONE}`,
      settings: { scm: { command: 'git', tasks: ['commit', 'push'] } },
    });
    scene.git('init', '--quiet', '--bare', '../remote.git');
    scene.git('remote', 'add', 'origin', '../remote.git');
    scene.git('push', '--quiet', '--set-upstream', 'origin', 'main');
    scene.git('config', 'core.hooksPath', 'hooks');
    const { stderr } = await scene.sandboxed();
    expect(stderr).toContain('SCM: push');
    expect(scene.git('--git-dir=../remote.git', 'log', '--format=%s', 'main')).toBe('Commit of iteration 1\nbegin\n');
    expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
  });

  test('a repository that the agent has bent is not pushed from outside', async () => {
    const scene = sandboxScene({
      play: `echo more >>work.txt; mkdir evil; cp -r .git/* evil/; echo ../evil >.git/commondir; ${DONE}`,
      settings: { scm: { command: 'git', tasks: ['push'] } },
    });
    // Otherwise it would be put aside before.
    const { stderr } = await scene.sandboxed('-m', '1', '--allow-write', '.git/commondir');
    expect(stderr).toContain('SCM error: git push is not run: the repository is not the one that the loop began in');
  });

  test('nor is one whose settings include a file of the work tree that the agent has changed', async () => {
    const scene = sandboxScene({
      play: `printf '[core]\\n\\tsshCommand = evil\\n' >shared.gitconfig; ${DONE}`,
      settings: { scm: { command: 'git', tasks: ['push'] } },
    });
    scene.git('config', 'include.path', '../shared.gitconfig');
    const { stderr } = await scene.sandboxed('-m', '1');
    expect(stderr).toContain("SCM error: git push is not run: git's settings have changed since the loop began");
  });

  test('hooks and settings, of git and of ralph, are not changed, and the repository is not exchanged', async () => {
    const play = `
      echo x >.git/hooks/pre-commit; git config core.fsmonitor ./evil; mv .git other && echo MOVED; rm -rf .ralph
      ${DONE}`;
    const scene = sandboxScene({ play });
    const { stdout, stderr } = await scene.sandboxed();
    expect(stdout).not.toContain('MOVED');
    expect(stderr).toContain(`refused to write ${scene.work}/.git/hooks/pre-commit`);
    expect(existsSync(join(scene.work, '.git/hooks/pre-commit'))).toBe(false);
    expect(scene.git('config', '--list')).not.toContain('fsmonitor');
    expect(existsSync(join(scene.work, '.ralph/settings.json'))).toBe(true);
  });

  test('in a worktree the agent can commit, and cannot point it to another repository', async () => {
    const scene = sandboxScene({
      play: `echo more >>work.txt; echo x >.git; git commit -aqm "in a worktree"; ${DONE}`,
    });
    const tree = join(scene.folder, 'tree');
    scene.git('worktree', 'add', '--quiet', tree);
    mkdirSync(join(tree, '.ralph'));
    writeFileSync(join(tree, '.ralph/settings.json'), readFileSync(join(scene.work, '.ralph/settings.json')));
    const { code, stderr } = await scene.ralph(['run', '-p', 'Do it.', '--sandbox=os', ...scene.own], tree).exited;
    expect(stderr).toContain(`refused to write ${tree}/.git`);
    expect(code).toBe(0);
    expect(scene.git('log', '--format=%s', 'tree')).toBe('in a worktree\nbegin\n');
  });
});

describe('which sandbox', () => {
  test('none unless asked for, and that is said', async () => {
    const scene = sandboxScene({ play: `touch "$SCENE/outside"; ${DONE}` });
    const { stderr } = await scene.run();
    expect(stderr).toMatch(/^Isolation: none, the agent can do whatever you can$/m);
    expect(existsSync(join(scene.folder, 'outside'))).toBe(true);
  });

  test('the one of the settings; --no-sandbox wins', async () => {
    const settings = { sandbox: { kind: 'os', allowWrite: ['~/prompts', '~/starts.log'] } };
    const scene = sandboxScene({ play: `touch "$SCENE/outside"; ${DONE}`, settings });
    await scene.run();
    expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
    await scene.run('--no-sandbox');
    expect(existsSync(join(scene.folder, 'outside'))).toBe(true);
  });

  test('--sandbox=auto, or so in the settings, is the strongest that is there; which is kept', async () => {
    const scene = sandboxScene({ play: `touch "$SCENE/outside"; ${DONE}` });
    const found = await scene.run('--sandbox=auto', ...scene.own);
    expect(found.stderr).toMatch(/^Isolation: operating system's sandbox \(/m);
    expect(scene.journal()[0]?.result).toMatchObject({ options: { sandbox: { kind: 'os' } } });
    expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
    scene.write('bin/bwrap', '#!/bin/sh\necho "No permissions" >&2; exit 1\n');
    scene.write('bin/docker', '#!/bin/sh\nexit 1\n');
    await scene.shell('chmod +x ../bin/bwrap ../bin/docker');
    const settings = { agent: { command: join(scene.folder, 'bin/agent') }, sandbox: { kind: 'auto' } };
    scene.write('work/.ralph/settings.json', JSON.stringify(settings));
    const none = await scene.run();
    expect(none.stderr).toMatch(/^No sandbox: Docker Sandbox cannot be used: .*; .*No permissions/m);
    expect(none.stderr).toMatch(/^Isolation: none, the agent can do whatever you can$/m);
    expect(none.code).toBe(0);
    expect((await scene.run('--dry-run')).stdout).toContain('\nSandbox: none\n');
    const narrowed = await scene.run('--deny-read', 'x');
    expect(narrowed.stderr).toContain('error: "x" was given for a sandbox, and there is none');
    expect(narrowed.code).toBe(2);
  });

  test('--sandbox alone is Docker, and without one nothing is begun', async () => {
    const scene = sandboxScene({ play: DONE });
    scene.write('bin/docker', '#!/bin/sh\necho "docker: unknown command: docker sandbox" >&2; exit 1\n');
    const { code, stderr } = await scene.shell(`chmod +x ../bin/docker; ralph run --sandbox -p x`);
    expect(stderr).toContain(
      'error: Docker Sandbox cannot be used: "docker sandbox ls" failed (docker: unknown command: docker sandbox)',
    );
    expect(stderr).toContain('--sandbox=os');
    expect(code).toBe(2);
    expect(scene.loops()).toEqual([]);
  });

  test('--sandbox=os without its programs says which are missing, and nothing is begun', async () => {
    const scene = sandboxScene({ play: DONE });
    symlinkSync(process.execPath, join(scene.folder, 'bin/node'));
    const { code, stderr } = await scene.shell(`PATH=$SCENE/bin $SCENE/bin/node ../bin/ralph run --sandbox=os -p x`);
    expect(stderr).toContain("error: the operating system's sandbox cannot be used: bwrap, socat, rg not found");
    expect(stderr).toContain('apt-get install bubblewrap socat ripgrep');
    expect(code).toBe(2);
    expect(scene.loops()).toEqual([]);
  });

  test('what is allowed to a sandbox that is not there is refused, and so is a host that is every host', async () => {
    const scene = sandboxScene({ play: DONE });
    const without = await scene.run('--allow-host', 'example.com');
    expect(without.stderr).toContain('error: "example.com" was given for a sandbox, and there is none');
    const every = await scene.run('--sandbox=os', '--allow-host', '*');
    expect(every.stderr).toContain('error: "*" is not a host that can be allowed');
    expect([without.code, every.code]).toEqual([2, 2]);
    expect(scene.loops()).toEqual([]);
  });

  test('--dry-run shows what it would be', async () => {
    const scene = sandboxScene({ play: DONE });
    mkdirSync(join(scene.folder, '.ssh'));
    scene.write('work/package.json', '{}');
    const { stdout } = await scene.sandboxed('--dry-run', '--allow-host', 'example.com');
    expect(stdout).toContain("Sandbox (the operating system's):\n  may be written:\n");
    expect(stdout).toContain(`  may be read only, within that:\n    ${scene.work}/.ralph\n`);
    expect(stdout).toContain(`  is hidden:\n    ${scene.folder}/.ssh\n    ${scene.state}/ralph\n`);
    expect(stdout).toContain('  may be reached:\n    *.npmjs.org\n    *.yarnpkg.com\n    example.com\n');
    expect(scene.loops()).toEqual([]);
  });

  test('a sandbox in a tmux pane', async () => {
    const scene = sandboxScene({ play: `touch "$SCENE/outside"; echo in a pane; ${DONE}` });
    const { code, stdout } = await scene.sandboxed('--runner', 'tmux');
    expect(stdout).toContain('in a pane');
    expect(code).toBe(0);
    expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
  });
});
