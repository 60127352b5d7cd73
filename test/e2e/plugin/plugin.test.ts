/** The plugin as it is in a clone or a marketplace: its manifest and its scripts. */
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { version } from '../../../package.json';
import { testFolder } from '../../support/folder.ts';
import { startProgram } from '../../support/programs/program.ts';
import { ROOT } from '../../support/scene.ts';
import { PLUGIN } from '../../support/session/plugin-hooks.ts';

const read = (path: string) => readFileSync(join(PLUGIN, path), 'utf8');

describe('the manifest', () => {
  const manifest = JSON.parse(read('.claude-plugin/plugin.json')) as Record<string, unknown>;
  const marketplace = JSON.parse(readFileSync(join(ROOT, '.claude-plugin/marketplace.json'), 'utf8')) as {
    plugins: Record<string, unknown>[];
  };

  test('has the version of the package, and does not name the hooks, which are loaded by default', () => {
    expect(manifest).toMatchObject({ name: 'ralph', version });
    expect(manifest).not.toHaveProperty('hooks');
    expect(marketplace.plugins).toMatchObject([{ name: 'ralph', source: './plugin', version }]);
  });

  test('every hook is an executable script', () => {
    const commands = [...read('hooks/hooks.json').matchAll(/"\$\{CLAUDE_PLUGIN_ROOT\}\/([^"]+)"/g)].map(
      ([, path]) => path,
    );
    expect(commands).toEqual([
      'hooks/run.sh',
      'hooks/session-loop.sh',
      'hooks/session-loop.sh',
      'hooks/pre-tool-use.sh',
      'hooks/context-monitor.sh',
      'hooks/session-loop.sh',
      'hooks/session-loop.sh',
      'hooks/session-end.sh',
      'hooks/stop.sh',
    ]);
    for (const path of commands) accessSync(join(PLUGIN, path ?? ''), constants.X_OK);
  });
});

describe('the scripts', () => {
  const SAYS_ALL = 'for word in "$@"; do printf "<%s>" "$word"; done\n';
  const run = (script: string, env: Record<string, string>, cwd = testFolder()) =>
    startProgram([script, '-n', '3', 'two words', ''], { cwd, env }).exited;

  test.each([
    ['ralph.sh', 'run'],
    ['ralph-init.sh', 'init'],
    ['ralph-archive.sh', 'archive'],
  ])('%s runs `ralph stories %s`', async (script, verb) => {
    const bin = testFolder();
    writeFileSync(join(bin, 'ralph'), `#!/bin/sh\n${SAYS_ALL}`, { mode: 0o755 });
    const env = { PATH: `${bin}:/usr/bin:/bin` };
    const wanted = { code: 0, stdout: `<stories><${verb}><-n><3><two words><>`, stderr: '' };
    expect(await run(join(copyWithoutCli(), 'scripts', script), env)).toEqual(wanted);
  });

  test('the program inside the plugin is preferred, even through a symbolic link', async () => {
    const plugin = copyWithoutCli();
    mkdirSync(join(plugin, 'cli'));
    writeFileSync(join(plugin, 'cli/stories.cjs'), 'console.log(JSON.stringify(process.argv.slice(2)));');
    const bin = testFolder();
    symlinkSync(join(plugin, 'scripts/ralph.sh'), join(bin, 'loop'));
    const env = { PATH: '/usr/bin:/bin', RALPH_NODE: process.execPath };
    const { stdout } = await run(join(bin, 'loop'), env);
    expect(JSON.parse(stdout)).toEqual(['run', '-n', '3', 'two words', '']);
  });

  test('without either, it says what to do', async () => {
    const { code, stderr } = await run(join(copyWithoutCli(), 'scripts/ralph.sh'), { PATH: testFolder() });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: .*\nhint: install Node\.js/);
  });

  function copyWithoutCli(): string {
    const copy = join(testFolder(), 'a plugin');
    cpSync(PLUGIN, copy, { recursive: true, filter: (source) => source !== join(PLUGIN, 'cli') });
    expect(existsSync(join(copy, 'cli'))).toBe(false);
    return copy;
  }
});
