/** `ralph run --sandbox=os`: an agent creates files that programs outside the sandbox would obey later. */
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type SandboxScene, sandboxScene } from '../../support/sandbox/sandbox.ts';
import { DONE } from '../../support/scene.ts';

/** The names of the files that the first loop quarantined, without their unique suffixes. */
function quarantine(scene: SandboxScene): string[] {
  const folder = quarantineFolder(scene);
  return existsSync(folder) ? readdirSync(folder).map((name) => name.replace(/\.[0-9a-f-]{36}$/, '')) : [];
}

function quarantineFolder(scene: SandboxScene): string {
  return join(scene.state, 'ralph/loops', scene.loops()[0] ?? 'no loop', 'put-aside');
}

describe('a new file that programs outside would obey', () => {
  test.each([
    '.mcp.json',
    '.vscode/tasks.json',
    '.idea/x',
    '.claude/settings.json',
    '.claude/hooks/x',
    '.claude/skills/x',
    '.gemini/settings.json',
    '.codex/config.toml',
    '.opencode/plugin/x.js',
    'opencode.json',
  ])('%s is quarantined as soon as the agent has ended, and reported', async (path) => {
    const play = `mkdir -p "$(dirname ${path})" .claude; echo planted >${path}; echo mine >.claude/notes; ${DONE}`;
    const scene = sandboxScene({ play });
    const { code, stderr } = await scene.sandboxed();
    expect(code).toBe(0);
    expect(existsSync(join(scene.work, path))).toBe(false);
    expect(scene.read('work/.claude/notes')).toBe('mine\n');
    const guarded = /^(\.(claude|gemini|codex|opencode)\/\w+(\.\w+)?|[^/]+)/.exec(path)?.[0] ?? '';
    expect(stderr).toMatch(
      `Sandbox: moved ${scene.work}/${guarded} to quarantine, because something outside would obey it`,
    );
    expect(stderr).toContain('1 refusal by the sandbox');
    expect(quarantine(scene)).toEqual([guarded.split('/').at(-1)]);
  });

  test('stays if --allow-write names it', async () => {
    const scene = sandboxScene({ play: `echo '{}' >.mcp.json; ${DONE}` });
    const { stderr } = await scene.sandboxed('--allow-write', '.mcp.json');
    expect(scene.read('work/.mcp.json')).toBe('{}\n');
    expect(stderr).not.toContain('to quarantine');
  });

  test('is quarantined even if the agent had to be killed', async () => {
    const play = `trap '' TERM; mkdir .claude; sleep 0.2; echo '{}' >.claude/settings.json
      echo planted; while :; do sleep 1; done`;
    const scene = sandboxScene({ play });
    const loop = scene.startSandboxed('--agent-timeout', '3s', '-m', '1');
    await loop.says('planted');
    await loop.exited;
    expect(existsSync(join(scene.work, '.claude/settings.json'))).toBe(false);
    expect(quarantine(scene)).toEqual(['settings.json']);
  });

  test('can be a link, which does not make ralph move a file of the user', async () => {
    const scene = sandboxScene({ play: `ln -s "$HOME/.claude" .claude; ln -s "$HOME/.claude" .vscode; ${DONE}` });
    mkdirSync(join(scene.folder, '.claude'));
    scene.write('.claude/settings.json', 'of the user\n');
    await scene.sandboxed();
    expect(scene.read('.claude/settings.json')).toBe('of the user\n');
    expect(quarantine(scene).sort()).toEqual(['.claude', '.vscode']);
    for (const name of readdirSync(quarantineFolder(scene))) {
      expect(lstatSync(join(quarantineFolder(scene), name)).isSymbolicLink()).toBe(true);
    }
  });

  test('can redirect git to another repository, and is quarantined before git runs outside', async () => {
    const scene = sandboxScene({
      play: `mkdir evil; cp -r .git/* evil/; git --git-dir=evil config core.fsmonitor "touch $SCENE/outside; false"
        echo ../evil >.git/commondir; ${DONE}`,
    });
    const { stderr } = await scene.sandboxed();
    scene.git('status');
    expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
    expect(stderr).toContain(`Sandbox: moved ${scene.work}/.git/commondir to quarantine`);
  });

  test('cannot be a git hook or git configuration, even if there was none before', async () => {
    const play = `mkdir .git/hooks; printf '#!/bin/sh\\ntouch "$SCENE/outside"\\n' >.git/hooks/post-checkout
      chmod +x .git/hooks/post-checkout; printf '[core]\\n\\thooksPath = evil\\n' >.git/config.worktree; ${DONE}`;
    const scene = sandboxScene({ play });
    rmSync(join(scene.work, '.git/hooks'), { recursive: true });
    scene.git('config', 'extensions.worktreeConfig', 'true');
    await scene.sandboxed();
    scene.git('checkout', '--quiet', '-b', 'other');
    expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
    expect(scene.git('config', '--list')).not.toContain('hookspath');
  });

  test('cannot be in the repository of a worktree, or in its other worktrees', async () => {
    const play = `common=$(git rev-parse --path-format=absolute --git-common-dir)
      mkdir $common/evil; cp -r $common/config $common/objects $common/refs $common/evil
      git --git-dir=$common/evil config core.fsmonitor "touch $SCENE/outside; false"
      echo evil >$common/commondir; echo ../../evil >$common/worktrees/other/commondir; ${DONE}`;
    const scene = sandboxScene({ play });
    const [tree, other] = [join(scene.folder, 'tree'), join(scene.folder, 'other')];
    for (const path of [tree, other]) scene.git('worktree', 'add', '--quiet', path);
    mkdirSync(join(tree, '.ralph'));
    await scene.shell(`cp .ralph/settings.json ${tree}/.ralph`);
    const { stderr } = await scene.ralph(['run', '-p', 'Do it.', '--sandbox=os', ...scene.own], tree).exited;
    scene.git('status');
    scene.git('-C', other, 'status');
    expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
    expect(stderr).toContain(`Sandbox: moved ${scene.work}/.git/commondir to quarantine`);
    expect(stderr).toContain(`Sandbox: refused to write ${scene.work}/.git/worktrees/other/commondir`);
  });
});

test('the agent can work on a submodule, but plant nothing in its repository', async () => {
  const play = `cd lib; git config core.fsmonitor "touch $SCENE/outside; false"
    printf '#!/bin/sh\\ntouch "$SCENE/outside"\\n' >../.git/modules/lib/hooks/post-checkout
    chmod +x ../.git/modules/lib/hooks/post-checkout
    echo "gitdir: $PWD/evil" >.git
    echo new >new.txt; git add new.txt; git -c user.name=a -c user.email=a@b.c commit -qm new; ${DONE}`;
  const scene = sandboxScene({ play });
  const made =
    await scene.shell(`git init -q ../lib && cd ../lib && git commit -q --allow-empty -m begin && cd ../work &&
    git -c protocol.file.allow=always submodule add -q ../lib lib && git commit -qm lib`);
  expect(made).toMatchObject({ code: 0 });
  const { code, stderr } = await scene.sandboxed();
  expect(code).toBe(0);
  expect(scene.git('-C', 'lib', 'log', '--format=%s')).toBe('new\nbegin\n');
  scene.git('-C', 'lib', 'checkout', '--quiet', '-b', 'other');
  scene.git('status');
  expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
  expect(stderr).toContain(`Sandbox: refused to write ${scene.work}/.git/modules/lib/hooks/post-checkout`);
  expect(stderr).toContain(`Sandbox: refused to write ${scene.work}/lib/.git`);
});

test('git filters of a repository inside the work tree do not run when the next loop starts', async () => {
  const filter = 'sub/.git/filter.sh';
  const play = `mkdir sub; cd sub; git init -q; echo old >a; git add a; git -c user.name=a -c user.email=a@b.c commit -qm a
    printf '#!/bin/sh\\ntouch "$SCENE/outside"; cat\\n' >.git/filter.sh; chmod +x .git/filter.sh
    git config filter.e.clean "$PWD/.git/filter.sh"; echo '* filter=e' >.gitattributes; cd ..
    git add sub; git -c user.name=a -c user.email=a@b.c commit -qm sub; echo new >sub/a; ${DONE}`;
  const scene = sandboxScene({ play, settings: { scm: { command: 'git', tasks: ['commit'] } } });
  await scene.sandboxed();
  expect(scene.read(`work/${filter}`)).toContain('outside');
  scene.write('play', DONE);
  expect(await scene.sandboxed()).toMatchObject({ code: 0 });
  expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
});

test.each(['--deny-write', '--deny-read'])('%s with a path that would be a pattern is refused', async (flag) => {
  const scene = sandboxScene({ play: DONE });
  mkdirSync(join(scene.work, 'app/[id]'), { recursive: true });
  const { code, stderr } = await scene.sandboxed(flag, 'app/[id]');
  expect(code).toBe(2);
  expect(stderr).toContain(
    `error: the sandbox does not accept a path with *, ?, [ or ] in it: ${scene.work}/app/[id]\n`,
  );
  expect(scene.starts()).toEqual([]);
});

describe('a loop whose supervisor was killed', () => {
  const play = `mkdir -p .claude; sleep 0.2; echo '{}' >.claude/settings.json
    [ -e gated ] || { touch gated; at_gate; }
    ${DONE}`;

  async function killed(scene: SandboxScene): Promise<string> {
    const first = scene.startSandboxed();
    await scene.logged('at gate 1/work/1');
    await scene.journalSays('"kind":"started"');
    first.signal('SIGKILL');
    await first.exited;
    const kept = scene.read(`state/ralph/loops/${scene.loops()[0]}/sandbox.json`);
    return (JSON.parse(kept) as { policy: { temp: string } }).policy.temp;
  }

  test('leaves no temporary files or planted files to the next one', async () => {
    const scene = sandboxScene({ play });
    const temp = await killed(scene);
    expect(existsSync(temp)).toBe(true);
    expect((await scene.sandboxed('--allow-write', '.claude/settings.json')).code).toBe(0);
    expect(existsSync(temp)).toBe(false);
    const [first, second] = scene.loops().map((id) => existsSync(join(scene.state, 'ralph/loops', id, 'put-aside')));
    expect([first, second].filter(Boolean)).toHaveLength(1);
  });

  test('has the same sandbox when it is resumed', async () => {
    const scene = sandboxScene({ play });
    const temp = await killed(scene);
    expect((await scene.ralph(['resume']).exited).code).toBe(0);
    expect(existsSync(temp)).toBe(false);
    expect(existsSync(join(scene.work, '.claude/settings.json'))).toBe(false);
  });

  test('has it even if an earlier release saved it under other names', async () => {
    const scene = sandboxScene({ play });
    await killed(scene);
    const file = `state/ralph/loops/${scene.loops()[0]}/sandbox.json`;
    const { policy, resolved, ...kept } = JSON.parse(scene.read(file)) as Record<'policy' | 'resolved', object>;
    const { placeholders: standIns, work: _, ...settled } = resolved as { placeholders: unknown; work: unknown };
    scene.write(file, JSON.stringify({ ...kept, policy, settled: { ...settled, standIns } }));
    expect((await scene.ralph(['resume']).exited).code).toBe(0);
    expect(existsSync(join(scene.work, '.claude/settings.json'))).toBe(false);
    expect(JSON.parse(scene.read(file))).toMatchObject({ resolved: { ...resolved, work: [scene.work] } });
  });
});

describe('programs that ralph itself runs', () => {
  test('are not looked up in folders where the agent can write', async () => {
    const own = ['sh', 'bash', 'env', 'git', 'bwrap', 'socat', 'rg', 'true', 'setsid', 'nice'];
    const play = `for name in ${own.join(' ')}; do
        printf '#!/bin/bash\\n( echo %s >>"$SCENE/outside" ) 2>/dev/null\\nPATH=\${PATH#*:} exec %s "$@"\\n' $name $name \\
          >node_modules/.bin/$name
        chmod +x node_modules/.bin/$name
      done
      command -v rg >>work.txt
      [ "$n" = 2 ] && ${DONE}`;
    const scene = sandboxScene({ play, settings: { scm: { command: 'git', tasks: ['commit', 'push'] } } });
    mkdirSync(join(scene.work, 'node_modules/.bin'), { recursive: true });
    scene.env.PATH = `${scene.work}/node_modules/.bin:${scene.env.PATH}`;
    await scene.sandboxed('-m', '3');
    const again = await scene.sandboxed('-m', '1');
    expect(scene.starts().length).toBeGreaterThanOrEqual(3);
    expect(again.stderr).toContain("isolation  operating system's sandbox");
    // The agent's own PATH is unchanged.
    expect(readFileSync(join(scene.work, 'work.txt'), 'utf8')).toContain(`${scene.work}/node_modules/.bin/rg\n`);
    expect(existsSync(join(scene.folder, 'outside')) ? scene.read('outside') : '').toBe('');
  });
});
