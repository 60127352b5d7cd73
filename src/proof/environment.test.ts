import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { cleanEnvironment } from './environment.ts';

test('what changes how programs run is not there, and no folder of the work tree is on the PATH', () => {
  const work = testFolder();
  mkdirSync(join(work, 'bin'));
  const gone = {
    NODE_OPTIONS: '-r x',
    PYTHONPATH: 'x',
    LD_PRELOAD: 'x',
    BASH_ENV: 'x',
    PYTEST_ADDOPTS: '-k x',
    GIT_DIR: 'x',
    npm_package_name: 'x',
    npm_lifecycle_event: 'test',
    INIT_CWD: work,
  };
  const kept = { HOME: '/home/a', LANG: 'C', npm_config_registry: 'https://example.com/', CI: '1' };
  const PATH = [join(work, 'bin'), 'node_modules/.bin', '/usr/bin'].join(':');
  expect(cleanEnvironment({ ...gone, ...kept, PATH }, work)).toEqual({
    ...kept,
    PATH: '/usr/bin',
    GOFLAGS: '-count=1',
  });
});

test('nothing leads into the work tree, also through a link; a home stays where it is', () => {
  const [work, links] = [testFolder(), testFolder()];
  const link = join(links, 'work');
  symlinkSync(work, link);
  const gone = {
    VIRTUAL_ENV: join(work, '.venv'),
    BUNDLE_GEMFILE: join(link, 'Gemfile'),
    GOWORK: join(work, 'go.work'),
    CLASSPATH: `/usr/share/a.jar:${work}/b.jar`,
    PWD: work,
  };
  const kept = { HOME: join(work, 'home'), VIRTUAL_ENV_PROMPT: '(.venv)', TMPDIR: `${work}-tmp`, CI: '1' };
  expect(cleanEnvironment({ ...gone, ...kept, PATH: '/bin' }, work)).toEqual({
    ...kept,
    PATH: '/bin',
    GOFLAGS: '-count=1',
  });
});

test('flags of Go that say how to build stay, and none that run, replace or choose something', () => {
  const given =
    '-mod=vendor -toolexec=/tmp/x -tags=integration,pg -exec=x -overlay=o.json -race -run=None -modfile=x.mod';
  expect(cleanEnvironment({ PATH: '/bin', GOFLAGS: given }, '/w').GOFLAGS).toBe(
    '-mod=vendor -tags=integration,pg -race -count=1',
  );
});

test('programs are told that no person is there', () => {
  expect(cleanEnvironment({ PATH: '/bin' }, '/w').CI).toBe('true');
});
