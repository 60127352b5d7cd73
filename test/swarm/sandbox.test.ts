/** `swarm spawn --sandbox=os`: what a worker can and cannot do in the operating system's sandbox. Nothing is faked. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LoopPolicy } from '../../src/runners/sandbox/policy.ts';
import { exitOf, isMade, readWindow } from '../../src/tmux/window.ts';
import { attackIn, attackOn, listen, listenAt, NO_WAY_OUT } from '../support/sandbox/sandbox.ts';
import { refusal, type Scene, said, sceneOnDisk, WORKER_LEVELS } from './scene.ts';

const IN_WINDOW = ['--tmux'];
const IN_BACKGROUND: string[] = [];
const ISOLATION = /^Isolation: operating system's sandbox \(\d+ writable paths, 0 hosts\)$/m;

/** Starts a worker in the sandbox that runs a shell script. */
function spawn(scene: Scene, play: string, flags: readonly string[]) {
  const script = join(scene.folder, 'play.sh');
  writeFileSync(script, play);
  return scene.swarm('spawn', '--name', 'agent', '--sandbox=os', ...flags, '--', 'sh', script);
}

function policyOf(scene: Scene): LoopPolicy {
  const kept = JSON.parse(scene.read('home/workers/agent/sandbox/sandbox.json')) as { readonly policy: LoopPolicy };
  return kept.policy;
}

/** The count in `ls --format json` for the worker that was started. */
async function refusals(scene: Scene): Promise<number> {
  const { stdout } = await scene.swarm('ls', '--format', 'json');
  const [worker] = JSON.parse(stdout) as { readonly refusals: number }[];
  return worker?.refusals ?? -1;
}

describe.each([
  ['a window', IN_WINDOW],
  ['the background', IN_BACKGROUND],
])('a worker in %s', (_, where) => {
  test('can work: it writes to its worktree and commits there; its start prints one line about the sandbox', async () => {
    const scene = sceneOnDisk();
    const play = 'echo more >>file; git commit -qam "By the worker"; echo $PWD >where; mktemp >temp';
    const { code, stdout } = await spawn(scene, play, [...where, '--worktree']);
    expect(stdout).toMatch(ISOLATION);
    expect(code).toBe(0);
    await scene.swarm('wait', 'agent');
    const worktree = join(scene.folder, 'work-worktrees/agent');
    expect(scene.git('log', '--format=%s', 'agent')).toBe('By the worker\nbegin\n');
    expect(readFileSync(join(worktree, 'where'), 'utf8')).toBe(`${worktree}\n`);
    expect(readFileSync(join(worktree, 'temp'), 'utf8')).toContain(`${policyOf(scene).temp}/`);
    expect(await refusals(scene)).toBe(0);
  });

  test('cannot reach files outside of its work tree, keys, hosts, other workers or the state of any', async () => {
    const server = await listen();
    const scene = sceneOnDisk();
    for (const folder of ['.ssh', '.local/state/ralph']) mkdirSync(join(scene.folder, folder), { recursive: true });
    for (const secret of ['.ssh/id', '.local/state/ralph/journal'])
      writeFileSync(join(scene.folder, secret), 'a key\n');
    const visit = `curl -s --max-time 5 --noproxy '*' telnet://127.0.0.1:${server.port} </dev/null && echo REACHED`;
    const play = `exec >result 2>&1
      echo x >"$HOME/outside" && echo WROTE
      cat ~/.ssh/id && echo READ
      cat ~/.local/state/ralph/journal && echo READ
      grep -r agent "$SWARM_HOME" && echo FOUND
      echo '{"workers":[]}' >"$SWARM_HOME/state.json"
      tmux kill-server && echo KILLED
      curl -sSf --max-time 5 http://example.com/ && echo REACHED
      ${visit}
      unshare --user --map-root-user --net ${visit}
      nsenter --net=/proc/1/ns/net ${visit}
      mount -o remount,rw / && echo MOUNTED
      echo x >.git/hooks/pre-commit && echo HOOKED
      echo "$SSH_AUTH_SOCK" | grep . && echo FOUND
      echo through`;
    scene.env.SSH_AUTH_SOCK = join(scene.folder, 'agent.sock');
    await spawn(scene, play, where);
    await scene.swarm('wait', 'agent');
    const result = readFileSync(join(scene.work, 'result'), 'utf8');
    expect(result).toMatch(/^through$/m);
    expect(result).not.toMatch(/WROTE|READ|FOUND|KILLED|REACHED|MOUNTED|HOOKED|a key|welcome/);
    expect(server.visitors()).toBe(0);
    expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
    expect(scene.read('home/state.json')).toContain('"agent"');
    const { stdout } = await scene.swarm('status', 'agent');
    expect(stdout).toContain(
      `Sandbox: refused to write ${scene.folder}/outside (to allow it: --allow-write ${scene.folder})`,
    );
    expect(stdout).toContain('Sandbox: refused to connect to example.com:80 (to allow it: --allow-host example.com)');
    const count = stdout.split('\n').filter((line) => line.startsWith('  Sandbox: ')).length;
    expect(stdout).toContain(`sandbox os, refusals ${count}, uptime`);
    expect(await refusals(scene)).toBe(count);
  });

  test('reaches nothing through the sandbox itself', async () => {
    const scene = sceneOnDisk();
    const host = await listenAt(join(scene.folder, 'host.sock'));
    await spawn(scene, `${attackOn(join(scene.folder, 'host.sock'))} >result`, where);
    await scene.swarm('wait', 'agent');
    expect(attackIn(scene.read('work/result'))).toEqual(NO_WAY_OUT);
    expect(host.visitors()).toBe(0);
  });

  test('makes no code of the work tree run outside of the sandbox', async () => {
    const scene = sceneOnDisk();
    const planted = `if (process.argv.includes('sandbox-exec')) require('fs').writeFileSync(${JSON.stringify(join(scene.folder, 'escaped'))}, '');`;
    writeFileSync(join(scene.work, 'start.cjs'), planted);
    scene.env.NODE_OPTIONS = `--require ${scene.work}/start.cjs`;
    await spawn(scene, 'echo "$NODE_OPTIONS" >result', where);
    await scene.swarm('wait', 'agent');
    expect(scene.read('work/result')).toBe(`--require ${scene.work}/start.cjs\n`);
    expect(existsSync(join(scene.folder, 'escaped'))).toBe(false);
  });

  test('is started again in its sandbox, with everything that was allowed and denied', async () => {
    const scene = sceneOnDisk();
    mkdirSync(join(scene.folder, 'allowed'));
    mkdirSync(join(scene.work, 'tests'));
    const play = `for file in "$HOME/outside" "$HOME/allowed/made" tests/made; do echo x >>"$file" || echo "no $file" >>log; done`;
    const lists = ['--allow-write', join(scene.folder, 'allowed'), '--deny-write', 'tests'];
    await spawn(scene, play, [...where, ...lists]);
    await scene.swarm('wait', 'agent');
    const { stdout } = await scene.swarm('respawn', 'agent');
    expect(stdout).toMatch(ISOLATION);
    await scene.swarm('wait', 'agent');
    const noes = `no ${scene.folder}/outside\nno tests/made\n`;
    expect(scene.read('work/log')).toBe(noes + noes);
    expect(scene.read('allowed/made')).toBe('x\nx\n');
    // Those of the second run only.
    expect(await refusals(scene)).toBe(2);
  });

  test.each(WORKER_LEVELS)(
    'is killed with everything it has started, and leaves no temporary files (%s)',
    async (level) => {
      const scene = sceneOnDisk(level);
      const play = `
      (setsid sh -c 'echo $$ >one; sleep 1000' &)
      (env -i setsid sh -c 'sh -c "echo x >two; sleep 1001" & sleep 1002' &)
      trap 'echo goodbye >bye; exit' TERM HUP
      while ! test -s one || ! test -s two; do sleep 0.01; done
      echo x >ready
      while :; do sleep 0.01; done`;
      await spawn(scene, play, where);
      await scene.until(() => existsSync(join(scene.work, 'ready')));
      expect((await scene.swarm('status', 'agent')).code).toBe(0);
      const { temp, runtime } = policyOf(scene);
      expect([temp, runtime].map(existsSync)).toEqual([true, true]);
      expect(await scene.swarm('kill', 'agent')).toEqual(said('killed agent\n'));
      // The scene fails a test that leaves something running.
      expect(scene.read('work/bye')).toBe('goodbye\n');
      expect([temp, runtime].map(existsSync)).toEqual([false, false]);
      expect((await scene.swarm('status', 'agent')).code).toBe(1);
    },
  );
});

describe('the terminal of a worker in a window', () => {
  /** Prints what it gets: lines, signals, sizes. The terminal stays in cooked mode, so that keys become signals. */
  const LISTENER = `
    const size = () => console.log(process.stdout.rows + ' by ' + process.stdout.columns);
    process.on('SIGINT', () => console.log('interrupted')).stdout.on('resize', size);
    process.stdin.on('data', (text) => console.log('<' + String(text).trim() + '>')).on('end', () => process.exit(7));
    size();`;

  test('is its own: it gets keys, each Ctrl-C once, the size, and the end of input', async () => {
    const scene = sceneOnDisk();
    const command = [process.execPath, '-e', LISTENER];
    await scene.swarm('spawn', '--name', 'agent', '--sandbox=os', '--tmux', '--', ...command);
    await scene.printed('agent', '50 by 200');
    await scene.swarm('send', '--raw', 'agent', 'hello');
    await scene.printed('agent', '<hello>');
    scene.tmux('resize-window', '-t', 'swarm:agent', '-x', '120', '-y', '40');
    await scene.printed('agent', '40 by 120');
    await scene.swarm('interrupt', 'agent');
    await scene.printed('agent', 'interrupted');
    // Ctrl-Z must not stop it, because no command could continue it.
    scene.tmux('send-keys', '-t', 'swarm:agent', 'C-z');
    await scene.swarm('send', '--raw', 'agent', 'again');
    await scene.printed('agent', '<again>');
    expect(scene.read('home/logs/agent.tmux.log').split('interrupted')).toHaveLength(2);
    expect((await scene.swarm('peek', 'agent')).stdout).toContain('<again>');
    await scene.swarm('eof', 'agent');
    expect(await scene.swarm('wait', 'agent')).toEqual(said('agent: exited\n'));
    const folder = join(scene.home, 'workers/agent/window');
    const window = readWindow(folder);
    expect(window === null || !isMade(window) ? null : exitOf(folder, window)).toEqual({ by: 'code', code: 7 });
  });

  test('leads nowhere: what is typed from inside is not read', async () => {
    const scene = sceneOnDisk();
    const type = `python3 -c 'import fcntl,termios
for c in "echo x >$HOME/typed\\n": fcntl.ioctl(0, termios.TIOCSTI, c.encode())'`;
    await spawn(scene, `${type.replace('$HOME', scene.folder)}; echo x >tried`, IN_WINDOW);
    await scene.swarm('wait', 'agent');
    expect(existsSync(join(scene.work, 'tried'))).toBe(true);
    expect(existsSync(join(scene.folder, 'typed'))).toBe(false);
  });
});

describe('the worktree of a worker', () => {
  /** git asks a nested repository for its state, and that one's configuration names a program. */
  const TRAP = `
    git init -q nested; git -C nested commit -q --allow-empty -m x; git add nested 2>/dev/null; git commit -qm "A trap"
    printf '#!/bin/sh\\necho ran >>"%s/ran"\\necho x >"$HOME/outside"\\n' "$PWD" >nested/evil
    chmod +x nested/evil; echo evil >>nested/.git/info/exclude
    git -C nested config core.fsmonitor "$PWD/nested/evil"`;

  test('is inspected from within the sandbox, whatever the worker has left there', async () => {
    const scene = sceneOnDisk();
    await spawn(scene, TRAP, [...IN_WINDOW, '--worktree']);
    await scene.swarm('wait', 'agent');
    const { stderr } = await scene.swarm('kill', 'agent', '--rm-worktree');
    const worktree = join(scene.folder, 'work-worktrees/agent');
    expect(stderr).toContain(
      "swarm: warning: cannot remove worktree for 'agent': worktree has 1 uncommitted change(s)",
    );
    expect(readFileSync(join(worktree, 'ran'), 'utf8')).toMatch(/^ran\n/);
    expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
  });

  test('is removed with the worker if nothing is lost', async () => {
    const scene = sceneOnDisk();
    await spawn(scene, 'echo more >>file; git commit -qam more', [...IN_BACKGROUND, '--worktree']);
    await scene.swarm('wait', 'agent');
    const { temp } = policyOf(scene);
    expect(await scene.swarm('clean', 'agent')).toEqual(said('cleaned agent\n'));
    expect(existsSync(join(scene.folder, 'work-worktrees/agent'))).toBe(false);
    expect(scene.git('log', '-1', '--format=%s', 'agent')).toBe('more\n');
    expect(existsSync(temp)).toBe(false);
  });
});

describe('before anything is created', () => {
  const nothing = (scene: Scene): boolean =>
    !existsSync(join(scene.home, 'workers')) && scene.git('branch').trim() === '* main';

  test.each([
    [['--sandbox=os'], "the operating system's sandbox cannot be used: bwrap, socat, rg not found"],
    [
      ['--sandbox', '--ralph', '--prompt-file', 'file', '--max-iterations', '1'],
      'Docker Sandbox cannot be used: docker is not on the PATH',
    ],
    [['--sandbox'], 'a worker without a loop cannot run in a Docker Sandbox: '],
    [['--allow-host', 'example.com'], '"example.com" needs a sandbox, and there is none'],
  ])('%j that cannot be satisfied is refused with the reason', async (flags, reason) => {
    const scene = sceneOnDisk();
    const bin = join(scene.folder, 'bin');
    mkdirSync(bin);
    for (const program of ['git', 'tmux', 'sh']) {
      writeFileSync(join(bin, program), `#!/bin/sh\nexec $(PATH=${scene.env.PATH} command -v ${program}) "$@"\n`, {
        mode: 0o755,
      });
    }
    const args = ['spawn', '--name', 'agent', '--tmux', '--worktree', ...flags, '--', 'sh'];
    const { code, stdout, stderr } = await scene.swarmIn({ env: { PATH: bin } }, ...args);
    expect(stderr).toContain(`swarm: error: ${reason}`);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(nothing(scene)).toBe(true);
  });

  test('an unreadable record does not count as a worker without a sandbox', async () => {
    const scene = sceneOnDisk();
    await spawn(scene, 'echo x >"$HOME/outside"', IN_BACKGROUND);
    await scene.swarm('wait', 'agent');
    const state = scene.read('home/state.json');
    writeFileSync(join(scene.home, 'state.json'), state.replace('"kind": "os"', '"kind": "no"'));
    const { code, stderr } = await scene.swarm('respawn', 'agent');
    expect(stderr).toContain(refusal("the sandbox of worker 'agent' cannot be read from its record").stderr.trim());
    expect(code).toBe(1);
    writeFileSync(join(scene.home, 'state.json'), state);
  });

  test('--sandbox=auto finds the strongest sandbox before the worker starts, and the record has it', async () => {
    const scene = sceneOnDisk();
    const { code, stdout } = await scene.swarm('spawn', '--name', 'agent', '--sandbox=auto', '--', 'true');
    expect(stdout).toMatch(ISOLATION);
    expect(code).toBe(0);
    await scene.swarm('wait', 'agent');
    expect(JSON.parse(scene.read('home/state.json'))).toMatchObject({
      workers: [{ name: 'agent', metadata: { sandbox: { kind: 'os' } } }],
    });
    expect((await scene.swarm('respawn', 'agent')).stdout).toMatch(ISOLATION);
  });

  test('a dry run shows the command line and the policy, and creates nothing', async () => {
    const scene = sceneOnDisk();
    const flags = ['--tmux', '--worktree', '--sandbox=os', '--allow-host', 'example.com', '--dry-run'];
    const { code, stdout, stderr } = await scene.swarm(
      'spawn',
      '--name',
      'agent',
      ...flags,
      '--',
      'sh',
      '-c',
      'echo hi',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const worktree = join(scene.folder, 'work-worktrees/agent');
    for (const line of [
      'Worker: agent (tmux: swarm:agent)',
      `Folder: ${worktree} (a worktree that would be created)`,
      "  sh -c 'echo hi'",
      "Sandbox (the operating system's):",
      `    ${worktree}`,
      `    ${scene.work}/.git`,
      `    ${scene.work}/.git/config`,
      `    example.com`,
      'Dry run: nothing was started.',
    ]) {
      expect(stdout.split('\n')).toContain(line);
    }
    expect(nothing(scene)).toBe(true);
  });
});
