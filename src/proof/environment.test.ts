import { mkdirSync } from 'node:fs';
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

test('programs are told that no person is there', () => {
  expect(cleanEnvironment({ PATH: '/bin' }, '/w').CI).toBe('true');
});
