/** Programs that attack the sandbox itself: the sockets and processes of its runtime, and the kernel's settings. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { agentsAccess } from '../../../src/agents/index.ts';
import { policyFacts } from '../../../src/runners/sandbox/facts.ts';
import {
  as,
  attackIn,
  attackOn,
  listenAt,
  NO_WAY_OUT,
  SANDBOX_USERS,
  sandboxScene,
} from '../../support/sandbox/sandbox.ts';
import { DONE } from '../../support/scene.ts';

describe.each(SANDBOX_USERS)('as %s', (user) => {
  test.each([
    ['that is seen', 'host.sock'],
    ['that is hidden', '.ssh/agent.sock'],
  ])('a socket of the machine %s cannot be reached through those of the sandbox', async (_, path) => {
    const scene = sandboxScene({ play: `${attackOn(`"$SCENE/${path}"`)}; ${DONE}` });
    mkdirSync(join(scene.folder, '.ssh'));
    const host = await listenAt(join(scene.folder, path));
    const { code, stdout } = await scene.sandboxedBy(as(user));
    expect(attackIn(stdout)).toEqual(NO_WAY_OUT);
    expect({ code, visitors: host.visitors() }).toEqual({ code: 0, visitors: 0 });
  });

  test('a socket of the machine cannot be reached even if the agent can write to /tmp', async () => {
    const scene = sandboxScene({ play: `${attackOn('"$SCENE/host.sock"')}; ${DONE}` });
    const host = await listenAt(join(scene.folder, 'host.sock'));
    const { stdout } = await scene.sandboxedBy(as(user), '--allow-write', '/tmp');
    expect(attackIn(stdout)).toEqual(NO_WAY_OUT);
    expect(host.visitors()).toBe(0);
  });
});

test.each([
  ['lies in the work tree', 'work/tmp'],
  ['has a name that is too long for a socket', 'long'.repeat(25)],
])("a socket of the machine cannot be reached if the user's temporary folder %s", async (_, name) => {
  const play = `mv tmp old; cp -a old tmp; ${attackOn('"$SCENE/host.sock"')}; ${DONE}`;
  const scene = sandboxScene({ play });
  scene.env.TMPDIR = join(scene.folder, name);
  mkdirSync(scene.env.TMPDIR);
  const { stdout } = await scene.sandboxed();
  expect(attackIn(stdout)).toEqual(NO_WAY_OUT);
});

test("the machine's secrets are hidden, even from root, and so are keys in the real home if HOME differs", async () => {
  const secrets = ['/etc/shadow', '/etc/gshadow', '/etc/ssh/ssh_host_ed25519_key'];
  const { stdout } = await sandboxScene({ play: `cat ${secrets.join(' ')} 2>/dev/null | wc -c; ${DONE}` }).sandboxed();
  expect(stdout).toMatch(/^0$/m);
  const facts = policyFacts({
    loop: 'x',
    cwd: '/',
    env: { HOME: '/nowhere' },
    stateRoot: '/nowhere',
    access: agentsAccess('x'),
  });
  expect(facts.otherHomes).toContain(userInfo().homedir);
});

test('files in NODE_OPTIONS and BASH_ENV that the agent can change are not run outside the sandbox', async () => {
  const play = `
    echo "$NODE_OPTIONS $BASH_ENV" >seen; bash -c 'echo "$FROM_BASH_ENV"' >>seen
    echo 'require("fs").writeFileSync(process.env.SCENE + "/escaped", "node")' >start.cjs
    echo 'echo bash >"$SCENE/escaped"' >start.sh
    [ $n = 1 ] || ${DONE}`;
  const scene = sandboxScene({ play });
  scene.write('work/start.cjs', '');
  scene.write('work/start.sh', 'export FROM_BASH_ENV=yes\n');
  const [node, shell] = [`--require ${scene.work}/start.cjs`, join(scene.work, 'start.sh')];
  const { code } = await scene.sandboxedBy(['env', `NODE_OPTIONS=${node}`, `BASH_ENV=${shell}`], '-m', '2');
  expect(existsSync(join(scene.folder, 'escaped'))).toBe(false);
  expect(scene.read('work/seen')).toBe(`${node} ${shell}\n\n`);
  expect(code).toBe(0);
});

test('git does not push with a program that the agent can change', async () => {
  const settings = { scm: { command: 'git', tasks: ['push'] } };
  const scene = sandboxScene({ play: DONE, settings });
  const { stderr } = await scene.sandboxedBy(['env', 'GIT_SSH_COMMAND=sh ./ssh.sh'], '-m', '1');
  expect(stderr).toContain('git push is not run: GIT_SSH_COMMAND names ./ssh.sh, which the agent can write');
});

test('the shared memory of other programs is not visible', async () => {
  const made = execFileSync('ipcmk', ['--shmem', '100'], { encoding: 'utf8' });
  const [id = ''] = /\d+/.exec(made) ?? [];
  onTestFinished(() => void execFileSync('ipcrm', ['--shmem-id', id]));
  const { stdout } = await sandboxScene({ play: `ipcs --shmems; ${DONE}` }).sandboxed();
  expect(stdout).toContain('Shared Memory Segments');
  expect(stdout).not.toMatch(new RegExp(`\\b${id} +\\S+ +\\d{3} +100\\b`));
});

test('an allowed folder does not open another one, even if it is replaced by a link', async () => {
  const play = `
    if [ $n = 1 ]; then mv a old; ln -s "$SCENE/elsewhere" a
    else touch a/b/made "$SCENE/elsewhere/b/made" && echo ESCAPED; ${DONE}; fi`;
  const scene = sandboxScene({ play });
  for (const folder of ['work/a/b', 'elsewhere/b']) mkdirSync(join(scene.folder, folder), { recursive: true });
  const { stdout } = await scene.sandboxed('-m', '2', '--allow-write', 'a/b');
  expect(stdout).toContain('DONE');
  expect(stdout).not.toContain('ESCAPED');
  expect(readdirSync(join(scene.folder, 'elsewhere/b'))).toEqual([]);
});

/** If a part of /proc is mounted over, as in most containers, the kernel does not allow a new /proc. */
const IN_CONTAINER = [
  'unshare',
  ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']),
  '--mount',
  'sh',
  '-c',
  'mount -t tmpfs none /proc/acpi && exec "$@"',
  'sh',
];

test.each(SANDBOX_USERS)('if the sandbox shares /proc with the machine, %s cannot misuse it', async (user) => {
  const scene = sandboxScene({ play: `${attackOn('"$SCENE/host.sock"')}; ${DONE}` });
  const { code, stdout } = await scene.sandboxedBy([...IN_CONTAINER, ...as(user)]);
  // It sees the processes of the sandbox runtime, which shows that /proc was shared.
  expect(attackIn(stdout)).toEqual({ ...NO_WAY_OUT, seen: expect.toSatisfy((seen) => /\bbwrap\b/.test(`${seen}`)) });
  expect(code).toBe(0);
});

test('root inside cannot undo mounts of the sandbox, or create a writable /proc', async () => {
  const tried = `umount /proc/sys; umount /proc; umount -l /proc; mount -o remount,bind,rw /proc/sys
    mkdir p; mount -t proc proc p; mount --move /proc/sys p && echo MOVED; mount --bind /proc p; umount p/sys`;
  const play = `
    attempt() { ${tried.replaceAll('\n', ';')}; ${attackOn('"$SCENE/host.sock"')}; }
    ( attempt )
    export -f attempt
    unshare --user --map-root-user --mount bash -c attempt
    unshare --user --map-root-user --mount --pid --fork bash -c 'attempt; : >>p/sys/kernel/core_pattern && echo WRITABLE'
    ${DONE}`;
  const scene = sandboxScene({ play: `cat >try.sh <<'END'\n${play}\nEND\nbash try.sh` });
  const { stdout } = await scene.sandboxed();
  const reports = stdout.split('\n').filter((line) => line.startsWith('{"sockets"'));
  // The attempts in new namespaces do not even start.
  expect(reports.map(attackIn)).toEqual([NO_WAY_OUT]);
  expect(stdout).not.toMatch(/MOVED|WRITABLE/);
  expect(stdout).toContain('DONE');
});

test('root inside cannot create a namespace, in which it could rename mount points', async () => {
  const play = `unshare --mount true; echo "mounts $?"; unshare --user --map-root-user --mount true; echo "user $?"
    echo 9 >/proc/sys/user/max_user_namespaces; unshare --user true; echo "again $?"; ${DONE}`;
  const { code, stdout } = await sandboxScene({ play }).sandboxed();
  expect(code).toBe(0);
  // The programs of an ordinary user still can, as docs/isolation.md says.
  const user = process.getuid?.() === 0 ? 1 : 0;
  expect(stdout).toContain(`mounts 1\nuser ${user}\nagain ${user}\n`);
});
