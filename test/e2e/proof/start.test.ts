/** `ralph run --prove` checks before the first iteration whether a proof is possible; if not, it starts no agent. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FIX, GREETER, inOneLine, type ProofScene, proofScene, put } from '../../support/proof/proof-scene.ts';
import { DONE, PROMPT } from '../../support/scene.ts';

const WORK = `${FIX}; ${DONE}`;

/** Returns stderr. */
async function refusedBy(scene: ProofScene, ...flags: string[]): Promise<string> {
  const { code, stderr } = await scene.prove(...flags);
  expect(code).toBe(2);
  expect(scene.starts()).toEqual([]);
  scene.expectNoCheckouts();
  return inOneLine(stderr);
}

describe('the loop does not begin', () => {
  test('if the setup fails in a clean checkout', async () => {
    const scene = proofScene({ play: WORK, settings: { proof: { setup: 'echo no such mirror; exit 7' } } });
    const said = await refusedBy(scene);
    expect(said).toContain(
      'the setup "echo no such mirror; exit 7" fails in a clean checkout (exit 7, see .ralph/proof_base_setup.log)',
    );
    expect(said).toContain('Set proof.setup in .ralph/settings.json');
    expect(scene.read('work/.ralph/proof_base_setup.log')).toBe('no such mirror\n');
  });

  test('if a check passes in the work tree, but not in a clean checkout', async () => {
    const scene = proofScene({ play: WORK, check: 'test -f is-there.local' });
    scene.write('work/is-there.local', '');
    const said = await refusedBy(scene);
    expect(said).toContain(
      '"test -f is-there.local" passes in the work tree, but not in a clean checkout (exit 1, see .ralph/proof_base_0_test_f_is_there_local.log)',
    );
    expect(said).toContain('Name such files in .worktreeinclude or proof.include');
  });

  test('if a check that fails in the work tree cannot even be run in a clean checkout', async () => {
    const scene = proofScene({ play: WORK, check: './tools.local/check' });
    scene.write('work/.gitignore', '*.local\n');
    put(join(scene.work, 'tools.local/check'), '#!/bin/sh\nexit 3\n');
    await scene.shell('chmod +x tools.local/check');
    expect(await refusedBy(scene)).toContain(
      '"./tools.local/check" cannot be run in a clean checkout (exit 127, see .ralph/proof_base_0_tools_local_check.log); in the work tree it can: exit 3',
    );
  });

  test('if a check passes only in the work tree, even with --no-baseline', async () => {
    const scene = proofScene({ play: WORK, check: 'test -f is-there.local' });
    scene.write('work/is-there.local', '');
    const said = await refusedBy(scene, '--no-baseline');
    expect(said).toContain('"test -f is-there.local" passes in the work tree, but not in a clean checkout');
  });

  test('if git ignores the tests, so that a clean checkout has none', async () => {
    const scene = proofScene({ play: WORK });
    scene.write('work/.gitignore', 'test/\n.ralph/\n');
    expect((await scene.shell('git rm -rq --cached test; git add .gitignore; git commit -qm Ignored')).code).toBe(0);
    const said = await refusedBy(scene);
    expect(said).toContain(
      '"node --test" runs no test in a clean checkout, which lacks tests that git ignores: test/greet.test.js',
    );
    expect(said).toContain('Name such files in .worktreeinclude or proof.include');
  });

  const withTest = (name: string, skip: string) => ({
    ...GREETER,
    'test/greet.test.js': `import { existsSync } from 'node:fs';
      import { test } from 'node:test';
      test('always', () => {});
      test('${name}', { skip: ${skip} }, () => {});\n`,
  });
  const HERE = "!existsSync('data.local')";

  test.each([
    ['are skipped', withTest('with data', HERE), 'in a clean checkout 1 test of it is skipped: test › with data'],
    [
      'are all skipped',
      {
        ...GREETER,
        'test/greet.test.js': withTest('with data', HERE)['test/greet.test.js'].replace(
          "test('always', () => {});",
          '',
        ),
      },
      'in a clean checkout 1 test of it is skipped: test › with data',
    ],
    [
      'are missing, since git ignores them',
      { ...GREETER, 'test/greet.test.js': "import { test } from 'node:test';\ntest('one', () => {});\n" },
      'in a clean checkout 1 test of it is missing: test › only here',
    ],
  ])('if tests that run in the work tree %s in a clean checkout', async (_how, files, words) => {
    for (const flags of [[], ['--no-baseline']]) {
      const scene = proofScene({ play: WORK, files });
      scene.write('work/data.local', '');
      scene.write('work/.gitignore', '.ralph/\n*.local\n*.local.test.js\n');
      if (words.includes('only here'))
        put(
          join(scene.work, 'test/data.local.test.js'),
          "import { test } from 'node:test';\ntest('only here', () => {});\n",
        );
      const said = await refusedBy(scene, ...flags);
      expect(said).toContain(`"node --test" passes in the work tree, but ${words}`);
      expect(said).toContain('Name such files in .worktreeinclude or proof.include');
    }
  });

  test('but it does begin if the work tree skips them as well', async () => {
    const scene = proofScene({ play: `echo done >done.txt; ${DONE}`, files: withTest('later', 'true') });
    expect((await scene.prove('-m', '1')).code).toBe(0);
  });

  test('if a witness passes before any work is done', async () => {
    const guardrails = [{ command: 'true', failAction: 'APPEND', witness: true }];
    const said = await refusedBy(proofScene({ play: WORK, settings: { guardrails } }));
    expect(said).toContain('the witness "true" passes before any work is done, so it proves nothing');
    expect(said).toContain('Choose a check that fails until the work is done, or remove "witness".');
  });

  test('without a git repository', async () => {
    const scene = proofScene({ play: WORK });
    rmSync(join(scene.work, '.git'), { recursive: true });
    expect(await refusedBy(scene)).toContain(`--prove needs a git repository, and ${scene.work} is in none`);
  });

  test("in Docker's sandbox", async () => {
    const said = await refusedBy(proofScene({ play: WORK }), '--sandbox=docker');
    expect(said).toContain('Use --sandbox=os, or run with --no-prove.');
  });
});

test('new files that the loop will not commit are named before the first iteration', async () => {
  const settings = { scm: { command: 'git', tasks: ['commit'], stage: 'tracked' } };
  const scene = proofScene({ play: WORK, settings });
  scene.write('work/notes.txt', '');
  scene.write('work/needed.js', '');
  const { stderr } = await scene.prove('-m', '1');
  expect(inOneLine(stderr)).toContain(
    '! not in the commits that are to be proved: needed.js, notes.txt if the checks need one, git add it, or set scm.stage to "all"',
  );
  const all = proofScene({ play: WORK, settings: { scm: { ...settings.scm, stage: 'all' } } });
  all.write('work/notes.txt', '');
  expect((await all.prove('-m', '1')).stderr).not.toContain('not in the commits');
});

test('a witness that is red at the start and green at the end is accepted', async () => {
  const guardrails = [{ command: 'node --test', failAction: 'APPEND', witness: true }];
  const { code } = await proofScene({ play: WORK, settings: { guardrails } }).prove();
  expect(code).toBe(0);
});

test('the settings turn proofs on, and --no-prove turns them off', async () => {
  const scene = proofScene({ play: DONE, check: 'true', settings: { proof: {} } });
  const proving = await scene.ralph(['run', '-p', PROMPT, '-m', '1']).exited;
  expect(inOneLine(proving.stderr)).toContain('DONE rejected: nothing has changed since the loop began.');
  expect(proving.code).toBe(1);
  const plain = await scene.ralph(['run', '-p', PROMPT, '-m', '1', '--no-prove']).exited;
  expect(plain.stderr).toContain("· checked in the agent's work tree");
  expect(plain.code).toBe(0);
});

describe('ignored files that the checks need', () => {
  const play = `${FIX}; echo changed >needed.local; ${DONE}`;
  const check = '[ "$PWD" = "$SCENE/work" ] || grep original needed.local deep/er.local';

  test.each([
    ['.worktreeinclude', { files: { ...GREETER, '.worktreeinclude': '*.local\n' } }],
    ['proof.include', { settings: { proof: { include: ['/needed.local', 'deep/*.local'] } } }],
  ])('are included by %s, as they were at the start', async (_where, options) => {
    const scene = proofScene({ play, check, ...options });
    scene.write('work/needed.local', 'original\n');
    mkdirSync(join(scene.work, 'deep'));
    scene.write('work/deep/er.local', 'original\n');
    const { code, stderr } = await scene.prove('-m', '1');
    expect(stderr).toContain('✓ proved in a clean checkout of the work tree');
    expect(code).toBe(0);
    expect(scene.read('work/needed.local')).toBe('changed\n');
  });
});

test('ignored tests are named before the first iteration, and run if they are included', async () => {
  const scene = proofScene({ play: WORK });
  scene.write('work/.gitignore', '.ralph/\n*.local.test.js\ntest/*.log\ndist/\n');
  const ignored = "import { test } from 'node:test';\ntest('only here', () => {});\n";
  for (const path of ['test/here.local.test.js', 'dist/built.test.js']) put(join(scene.work, path), ignored);
  put(join(scene.work, 'test/last.log'), "assert.equal() failed\ntest('greets', …\n");
  const lacks = 'the clean checkout does not have tests that git ignores: test/here.local.test.js.';
  const { code, stderr } = await scene.prove();
  expect(code).toBe(0);
  const said = inOneLine(stderr);
  expect(said).toContain(`! ${lacks} To run them there, name them in .worktreeinclude or proof.include.`);
  expect(said.indexOf(lacks)).toBeLessThan(said.indexOf('1/10'));

  const included = proofScene({ play: WORK, settings: { proof: { include: ['*.local.test.js'] } } });
  included.write('work/.gitignore', '.ralph/\n*.local.test.js\n');
  put(join(included.work, 'test/here.local.test.js'), ignored);
  const with3 = await included.prove();
  expect(with3.code).toBe(0);
  expect(with3.stderr).not.toContain('that git ignores');
  expect(included.proofs()[0]?.checks[0]?.tests?.passed).toBe(3);
});

test('a setup command detected from the files of the project runs in each checkout', async () => {
  const lock = { name: 'greeter', lockfileVersion: 3, requires: true, packages: { '': { name: 'greeter' } } };
  const files = { ...GREETER, 'package-lock.json': JSON.stringify(lock) };
  const scene = proofScene({ play: WORK, files });
  const { code, stderr } = await scene.prove();
  expect(code).toBe(0);
  expect(stderr).toMatch(/clean checkout before the first iteration: npm ci ✓ · node --test ✗/);
  expect(stderr).toMatch(/✓ npm ci +\d/);
  expect(scene.proofs()[0]?.setup).toMatchObject({ command: 'npm ci', outcome: { is: 'passed' } });
});

test('a loop in a subfolder of the repository is proved there', async () => {
  const scene = proofScene({ play: `${FIX}; ${DONE}`, files: { 'README.md': 'A monorepo\n' } });
  const inner = join(scene.work, 'packages/greeter');
  for (const [path, content] of Object.entries(GREETER)) put(join(inner, path), content);
  put(join(inner, '.ralph/settings.json'), scene.read('work/.ralph/settings.json'));
  scene.git('add', '--all');
  scene.git('commit', '--quiet', '--message=A package');
  const { code, stderr } = await scene.ralph(['run', '-p', PROMPT, '--prove'], inner).exited;
  expect(stderr).toMatch(/✓ node --test {2}2 tests/);
  expect(code).toBe(0);
});

describe('in a project without tests, the agent may add tests and their configuration', () => {
  const tests = `mkdir test; cat >test/greet.test.js <<'END'\n${GREETER['test/greet.test.js']}END`;
  const config = `echo '{ "type": "module", "scripts": { "test": "node --test" } }' >package.json; echo '{}' >tsconfig.json`;

  test.each(['npm test', 'node --test'])('%s', async (check) => {
    const files = { 'package.json': '{ "type": "module" }\n', 'greet.js': GREETER['greet.js'] ?? '' };
    const scene = proofScene({ files, check, play: `${FIX}; ${tests}\n${config}; ${DONE}` });
    const { code, stderr } = await scene.prove('-m', '1');
    expect(stderr).toMatch(new RegExp(`✓ ${check} {2}2 tests`));
    expect(code).toBe(0);
  });
});
