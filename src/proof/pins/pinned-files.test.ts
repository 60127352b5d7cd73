import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Proving, provingScene } from '../../../test/support/proof/proving.ts';
import { pinnedFiles } from './pinned-files.ts';

const FILES: Readonly<Record<string, string>> = {
  'a.js': 'a\n',
  'test/a.test.js': 'test a\n',
  'golden/out': 'out\n',
  'package.json': '{ "scripts": { "test": "node --test" } }\n',
};

/** What is pinned after `change` changed the work tree or the commit. */
async function pinnedAfter(
  change: (scene: Proving) => void,
  {
    files = FILES,
    pins = [] as string[],
    allowEdit = [] as string[],
    isCommitted = false,
    untracked = {},
    commands = ['npm test'],
    reportsTests = false,
    imported = [] as string[],
    subfolder = '',
  } = {},
) {
  const scene = provingScene(files);
  for (const [path, content] of Object.entries(untracked)) scene.write(path, String(content));
  const trees = scene.trees();
  const [at, head] = [await trees.take('refs/proof/base'), await trees.head()];
  change(scene);
  const work = await trees.take('refs/proof/1');
  const claimed = isCommitted ? await trees.head() : work;
  if (claimed === null || head === null) throw new Error('there is a commit');
  const {
    changed,
    files: put,
    freed,
    hasNewTests,
  } = await pinnedFiles(
    trees,
    { base: { at, head: head.at }, work, claimed },
    { terms: { pins, allowEdit }, commands, reportsTests, subfolder, imported: async () => new Set(imported) },
  );
  const files_ = Object.fromEntries(
    [...put].map(([path, file]) => [path, file === null ? null : file.content.toString()]),
  );
  return { changed, files: files_, freed, hasNewTests };
}

const NOTHING = { changed: [], files: {}, freed: null, hasNewTests: false };

describe('in the work tree', () => {
  test('the work itself is not pinned', async () => {
    expect(await pinnedAfter(({ write }) => write('a.js', 'b\n'))).toEqual(NOTHING);
  });

  test('a test that was changed or deleted comes back, a new one goes and is no change', async () => {
    const change = ({ write, remove }: Proving): void => {
      remove('test/a.test.js');
      write('test/b.test.js');
    };
    expect(await pinnedAfter(change)).toEqual({
      changed: ['test/a.test.js'],
      files: { 'test/a.test.js': 'test a\n', 'test/b.test.js': null },
      freed: null,
      hasNewTests: true,
    });
  });

  test('a test that can be executed now is changed', async () => {
    const { changed } = await pinnedAfter(({ work }) => chmodSync(join(work, 'test/a.test.js'), 0o755));
    expect(changed).toEqual(['test/a.test.js']);
  });

  test('what controls tests is a change also where it is new, but for a project that had no tests', async () => {
    const plant = ({ write }: Proving): void => write('conftest.py', '');
    expect(await pinnedAfter(plant)).toMatchObject({ changed: ['conftest.py'], files: { 'conftest.py': null } });
    expect(
      await pinnedAfter(plant, { files: { 'a.js': '', 'golden/out': '', 'package.json': '{}', 'test/a.test.js': '' } }),
    ).toMatchObject({ changed: ['conftest.py'] });
    expect(await pinnedAfter(plant, { files: { 'a.js': 'a\n' } })).toMatchObject({ changed: [] });
  });

  test('of a package.json the scripts come back; a deleted one comes back whole', async () => {
    const weaken = ({ write }: Proving): void =>
      write('package.json', '{ "name": "x", "scripts": { "test": "true" } }\n');
    const { changed, files } = await pinnedAfter(weaken);
    expect(changed).toEqual(['package.json']);
    expect(JSON.parse(files['package.json'] ?? '')).toEqual({ name: 'x', scripts: { test: 'node --test' } });
    expect(await pinnedAfter(({ remove }) => remove('package.json'))).toMatchObject({
      files: { 'package.json': FILES['package.json'] },
    });
    expect(await pinnedAfter(({ write }) => write('deep/package.json', '{}'))).toEqual(NOTHING);
  });

  test('a program of a check is pinned where its name says that it decides, and never the work that a script runs', async () => {
    const files = {
      ...FILES,
      'check.sh': 'exit 1\n',
      'package.json': '{ "scripts": { "start": "node a.js", "test": "node --test" } }\n',
    };
    const change = ({ write }: Proving): void => {
      write('check.sh', 'exit 0\n');
      write('a.js', 'b\n');
    };
    const { changed } = await pinnedAfter(change, {
      files,
      commands: ['sh ./check.sh', 'node a.js | diff golden/out -'],
    });
    expect(changed).toEqual(['check.sh']);
  });

  test.each([
    { commands: ['node --test'], called: [] },
    { commands: ['npm run verify'], called: ['tools/check.js', 'tools/lint.js'] },
    { commands: ['make'], called: ['tools/check.js', 'tools/lint.js'] },
    { commands: ['sh ./all.sh'], called: ['tools/check.js', 'tools/lint.js'] },
    { commands: ['npx npm-run-all "lint:*"'], called: ['tools/lint.js'] },
  ])(
    'of the scripts in package.json, only those that $commands.0 reaches run what decides',
    async ({ commands, called }) => {
      const scripts = {
        start: 'node src/check.js',
        verify: 'node tools/check.js',
        postverify: 'npm run lint:js',
        'lint:js': 'node tools/lint.js',
      };
      const programs = ['src/check.js', 'tools/check.js', 'tools/lint.js'];
      const files = {
        ...FILES,
        ...Object.fromEntries(programs.map((path) => [path, ''])),
        'package.json': JSON.stringify({ scripts }),
        'all.sh': 'npm run verify\n',
        ...(commands[0] === 'make' ? { Makefile: 'all:\n\tnpm run verify\n' } : {}),
      };
      const change = ({ write }: Proving): void => {
        for (const path of programs) write(path, 'process.exit();\n');
      };
      expect((await pinnedAfter(change, { files, commands })).changed).toEqual(called);
    },
  );

  test('the script that a check starts is pinned in the folder where it is run; one that is yet to be written is the work', async () => {
    const files = { ...FILES, run: 'exit 1\n', 'sub/go': 'exit 1\n', 'deep/all.sh': 'exit 1\n' };
    const change = ({ write }: Proving): void => {
      for (const path of ['run', 'sub/go', 'deep/all.sh', 'sub/new']) write(path, 'exit 0\n');
    };
    const commands = ['./go && ./new', 'cd deep && ./all.sh', './run | diff golden/out -'];
    const { changed } = await pinnedAfter(change, { files, commands, subfolder: 'sub' });
    expect(changed).toEqual(['deep/all.sh', 'sub/go']);
  });

  test('--pin adds paths, new files as well; --allow-edit takes some out', async () => {
    const change = ({ write }: Proving): void => {
      write('golden/out', 'other\n');
      write('golden/new', 'new\n');
      write('test/a.test.js', 'other\n');
    };
    expect(await pinnedAfter(change, { pins: ['golden'], allowEdit: ['test/*.js'] })).toEqual({
      changed: ['golden/new', 'golden/out'],
      files: { 'golden/new': null, 'golden/out': 'out\n' },
      freed: { files: ['test/a.test.js'], areAll: true },
      hasNewTests: true,
    });
  });
});

describe('in a commit', () => {
  const untracked = { 'conftest.py': 'mine\n', 'test/mine.test.js': 'mine\n', 'setup.cfg': '[tool:pytest]\n' };
  const commit = (scene: Proving, ...paths: string[]): void => {
    scene.git('add', ...paths);
    scene.git('commit', '--quiet', '--message=work');
  };

  test('what was never added, and is as it was, is no change', async () => {
    const work = (scene: Proving): void => {
      scene.write('a.js', 'b\n');
      commit(scene, 'a.js');
    };
    const { 'test/mine.test.js': _test, ...others } = untracked;
    const options = { isCommitted: true, untracked: others };
    expect(await pinnedAfter(work, options)).toMatchObject({ changed: [], hasNewTests: false });
  });

  test('a test that was never added is no change, and is run as well', async () => {
    const work = (scene: Proving): void => {
      scene.write('a.js', 'b\n');
      commit(scene, 'a.js');
    };
    expect(await pinnedAfter(work, { isCommitted: true, untracked })).toMatchObject({
      changed: [],
      files: { 'test/mine.test.js': 'mine\n' },
      hasNewTests: true,
    });
  });

  test('it is one once it is deleted, or committed otherwise', async () => {
    const work = (scene: Proving): void => {
      scene.write('setup.cfg', '[tool:pytest]\naddopts = -k name\n');
      scene.write('conftest.py', 'other\n');
      commit(scene, 'setup.cfg', 'conftest.py');
      scene.write('conftest.py', 'mine\n');
      scene.remove('test/mine.test.js');
    };
    const { changed } = await pinnedAfter(work, { isCommitted: true, untracked });
    expect(changed).toEqual(['conftest.py', 'setup.cfg', 'test/mine.test.js']);
  });

  test('a test that is taken out of the repository alone is changed', async () => {
    const work = (scene: Proving): void => {
      scene.git('rm', '--quiet', '--cached', 'test/a.test.js');
      scene.git('commit', '--quiet', '--message=work');
    };
    expect(await pinnedAfter(work, { isCommitted: true })).toMatchObject({ changed: ['test/a.test.js'] });
  });
});

describe('names that say too much', () => {
  const LIKE = 'export function test() { return 1; }\n';

  test('a command that is called test is the work itself, unless it holds tests', async () => {
    const files = { ...FILES, 'src/commands/test.js': LIKE, 'src/test.js': "test('a', () => {});\n" };
    const change = ({ write }: Proving): void => {
      write('src/commands/test.js', 'other\n');
      write('src/test.js', 'other\n');
      write('lib/test.js', LIKE);
    };
    const { changed, files: put } = await pinnedAfter(change, { files });
    expect([changed, Object.keys(put)]).toEqual([['src/test.js'], ['src/test.js']]);
  });
});

describe('a new package', () => {
  const files = { ...FILES, 'packages/a/index.js': '' };
  const settings =
    (folder: string) =>
    ({ write }: Proving): void => {
      write(`${folder}/package.json`, '{}');
      write(`${folder}/tsconfig.json`, '{}');
      write(`${folder}/.npmrc`, '');
    };

  test('brings its own settings, but for those of how programs are found', async () => {
    expect(await pinnedAfter(settings('packages/b'), { files })).toMatchObject({ changed: ['packages/b/.npmrc'] });
  });

  test('is none where files of the start are', async () => {
    const { changed } = await pinnedAfter(settings('packages/a'), { files });
    expect(changed).toEqual(['packages/a/.npmrc', 'packages/a/tsconfig.json']);
  });
});

describe('a project without files of tests', () => {
  const files = { 'a.js': '', Makefile: 'check:\n' };
  const plant = ({ write }: Proving): void => {
    write('.npmrc', 'script-shell=/bin/true\n');
    write('.venv/bin/make', '');
    write('argparse.py', '');
    write('pytest.ini', '');
  };

  test('gets what runs tests, and nothing that decides which programs are run', async () => {
    const { changed } = await pinnedAfter(plant, { files });
    expect(changed).toEqual(['.npmrc', '.venv/bin/make', 'argparse.py']);
  });

  test('has some if a check has reported them, or if they stand in Rust files', async () => {
    expect((await pinnedAfter(plant, { files, reportsTests: true })).changed).toContain('pytest.ini');
    const rust = { ...files, 'src/lib.rs': '#[cfg(test)]\nmod tests {}\n' };
    expect((await pinnedAfter(plant, { files: rust })).changed).toContain('pytest.ini');
  });
});

describe('Python', () => {
  const files = {
    ...FILES,
    'packages/py/tests/test_a.py': '',
    'queue.py': '',
    'queue_of/a.py': '',
    'pkg/__init__.py': '',
    'pkg/tests/test_core.py': '',
  };

  test('a new module may not come before one of the standard library, a runner, or one that tests import', async () => {
    const change = ({ write }: Proving): void => {
      for (const path of [
        'argparse.py',
        'sub/pytest.py',
        'packages/py/difflib.pyc',
        'numpy/core.py',
        'queue/__init__.py',
      ])
        write(path, '');
      for (const path of ['greeting.py', 'app/types.py', 'pkg/types.py']) write(path, '');
    };
    const { changed } = await pinnedAfter(change, { files, imported: ['numpy'], subfolder: 'sub' });
    expect(changed).toEqual(['argparse.py', 'numpy/core.py', 'packages/py/difflib.pyc', 'sub/pytest.py']);
  });
});

describe('Rust', () => {
  test('modules of tests in files of their own are pinned, also those in them; new ones stay', async () => {
    const files = {
      'src/lib.rs': 'mod greet;\n#[cfg(test)]\nmod checks;\n',
      'src/greet.rs': '',
      'src/checks.rs': 'mod deep;\n',
      'src/checks/deep.rs': '',
    };
    const change = ({ write }: Proving): void => {
      for (const path of ['src/greet.rs', 'src/checks.rs', 'src/checks/deep.rs', 'src/greet/tests.rs'])
        write(path, '//\n');
    };
    const { changed, files: put } = await pinnedAfter(change, { files });
    expect(changed).toEqual(['src/checks.rs', 'src/checks/deep.rs']);
    expect(Object.keys(put)).not.toContain('src/greet/tests.rs');
  });
});

describe('a new link', () => {
  const change =
    (link: string, file: string) =>
    ({ work, write }: Proving): void => {
      write(file, '');
      symlinkSync(file.split('/')[0] ?? '', join(work, link));
    };

  test.each([
    ['.cargo', 'conf/config.toml'],
    ['patches', 'p/runner.patch'],
    ['x.dist-info', 'meta/entry_points.txt'],
    ['conf', 'words/local.inc'],
    ['json', 'own/__init__.py'],
  ])('%s to a folder with %s is what that would be', async (link, file) => {
    const files = { ...FILES, Makefile: '-include conf/local.inc\ncheck:\n' };
    expect((await pinnedAfter(change(link, file), { files })).changed).toEqual([link]);
  });

  test('through another one, too', async () => {
    const twice = (scene: Proving): void => {
      change('a', 'conf/config.toml')(scene);
      symlinkSync('a', join(scene.work, '.cargo'));
    };
    expect((await pinnedAfter(twice)).changed).toEqual(['.cargo']);
  });

  test('to the product is the work itself', async () => {
    expect((await pinnedAfter(change('docs', 'conf/a.txt'))).changed).toEqual([]);
  });
});

describe('Go', () => {
  const files = {
    'go.mod': 'module x\n',
    'a/a.go': 'package a\n',
    'a/a_test.go': 'package a\n',
    'vendor/modules.txt': '',
    'vendor/is/is.go': 'package is\n',
  };

  test('a module within goes where it hides a package of the start, and stays in a new folder', async () => {
    const { changed } = await pinnedAfter(
      ({ write }) => {
        write('a/go.mod', 'module y\n');
        write('b/go.mod', 'module z\n');
      },
      { files },
    );
    expect(changed).toEqual(['a/go.mod']);
  });

  test('a module that is kept in the project stays what it was; a new one is free', async () => {
    const { changed } = await pinnedAfter(
      ({ write }) => {
        write('vendor/is/is.go', 'package is // weak\n');
        write('vendor/is/more.go', 'package is\n');
        write('vendor/new/new.go', 'package new\n');
      },
      { files },
    );
    expect(changed).toEqual(['vendor/is/is.go', 'vendor/is/more.go']);
  });
});
