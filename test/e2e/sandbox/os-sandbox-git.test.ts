/** `ralph run --sandbox=os`: guardrails, commits and pushes with an agent in the operating system's sandbox. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findProgram } from '../../../src/process/which.ts';
import { type SandboxScene, sandboxScene } from '../../support/sandbox/sandbox.ts';
import { DONE } from '../../support/scene.ts';

describe('guardrails and git', () => {
  test("a guardrail runs inside, because it runs the agent's code; refusals are reported", async () => {
    const scene = sandboxScene({
      play: `printf '#!/bin/sh\\necho x >"$SCENE/outside"\\n' >check.sh; chmod +x check.sh; ${DONE}`,
      settings: { guardrails: [{ command: './check.sh', failAction: 'APPEND' }] },
    });
    const { code, stderr } = await scene.sandboxed('-m', '1');
    expect(stderr).toContain(`Sandbox: refused to write ${join(scene.folder, 'outside')}`);
    expect(stderr).toMatch(/^✗ \.\/check\.sh {2}exit 2 /m);
    expect(stderr).toContain('1 refusal by the sandbox');
    expect(code).toBe(1);
    expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
  });

  test('the agent can commit', async () => {
    const scene = sandboxScene({ play: `echo more >>work.txt; git commit -aqm "by the agent"; ${DONE}` });
    expect((await scene.sandboxed()).code).toBe(0);
    expect(scene.git('log', '--format=%s')).toBe('by the agent\nbegin\n');
  });

  test('green work is committed inside, so a hook in the work tree can do no more than the agent', async () => {
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

  test('a commit takes two programs in the sandbox: git status, and git commit with its check', async () => {
    const scene = sandboxScene({
      play: `echo more >>work.txt; ${DONE}`,
      settings: { scm: { command: 'git', tasks: ['commit'] } },
    });
    const started = traceOf(scene);
    const { code } = await scene.sandboxed();
    expect(code).toBe(0);
    expect(scene.git('log', '--format=%s')).toBe('Commit of iteration 1\nbegin\n');
    expect(started()).toEqual([
      expect.stringMatching(/bin\/agent /),
      // Whether there is anything to write a commit message for.
      expect.stringMatching(/^git --no-optional-locks status --porcelain /),
      expect.stringMatching(/bin\/agent /),
      expect.stringMatching(/^git --no-optional-locks status --porcelain=v2 /),
      expect.stringMatching(/^sh -c .* ralph-commit \S+ git commit -am Commit of iteration 1$/s),
      // For the last lines.
      expect.stringMatching(/^git --no-optional-locks status --porcelain=v2 /),
    ]);
  });

  test("a push uses the user's keys, and runs no hooks", async () => {
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
    expect(stderr).toContain('✓ pushed');
    expect(scene.git('--git-dir=../remote.git', 'log', '--format=%s', 'main')).toBe('Commit of iteration 1\nbegin\n');
    expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
  });

  test('a repository that the agent has redirected is not pushed', async () => {
    const scene = sandboxScene({
      play: `echo more >>work.txt; mkdir evil; cp -r .git/* evil/; echo ../evil >.git/commondir; ${DONE}`,
      settings: { scm: { command: 'git', tasks: ['push'] } },
    });
    // Otherwise the file would be quarantined before the push.
    const { stderr } = await scene.sandboxed('-m', '1', '--allow-write', '.git/commondir');
    expect(stderr).toContain('✗ git push is not run: the repository is not the one that the loop began in');
  });

  test('a repository whose configuration includes a file that the agent has changed is not pushed', async () => {
    const scene = sandboxScene({
      play: `printf '[core]\\n\\tsshCommand = evil\\n' >shared.gitconfig; ${DONE}`,
      settings: { scm: { command: 'git', tasks: ['push'] } },
    });
    scene.git('config', 'include.path', '../shared.gitconfig');
    const { stderr } = await scene.sandboxed('-m', '1');
    expect(stderr).toContain("✗ git push is not run: git's settings have changed since the loop began");
  });

  test('the agent cannot change hooks and settings of git and ralph, or move the repository', async () => {
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

  test('in a worktree, the agent can commit, but not point it to another repository', async () => {
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

/** Replaces bubblewrap by a script that logs its arguments; returns the programs started in the sandbox since then. */
function traceOf(scene: SandboxScene): () => string[] {
  const file = join(scene.folder, 'bwrap.log');
  const real = findProgram('bwrap', process.env.PATH, '/');
  scene.write('bin/bwrap', `#!/bin/bash\n{ printf '%s\\0' "$@"; printf '\\1'; } >>'${file}'\nexec ${real} "$@"\n`);
  chmodSync(join(scene.folder, 'bin/bwrap'), 0o755);
  return () =>
    scene
      .read('bwrap.log')
      .split('\u0001')
      .flatMap((start) => {
        const words = start.split('\0').slice(0, -1);
        // Programs of root have one more script around them; the test whether the sandbox works has none.
        const begins = words.includes('ralph-seal')
          ? words.indexOf('ralph-seal') + 2
          : words.indexOf('ralph-inside') + 1;
        return begins === 0 ? [] : [words.slice(begins).join(' ')];
      });
}
