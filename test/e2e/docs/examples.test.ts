/** The examples of the documentation that are marked with `run` work in a new project, with a fake `claude`. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Block, examplesIn, PAGES, readPage } from '../../support/docs/pages.ts';
import { ON_DISK } from '../../support/folder.ts';
import { installPackage } from '../../support/programs/library.ts';
import { type Exited, startProgram } from '../../support/programs/program.ts';
import { makeScene, ROOT, type Scene } from '../../support/scene.ts';
import { sweep } from '../../support/sweep.ts';

/** A project whose test fails. */
const PROJECT = {
  'package.json': JSON.stringify({ name: 'shop', scripts: { test: 'node test.js' } }),
  'greet.js': "module.exports = () => { throw new Error('not written yet'); };\n",
  'test.js': "require('node:assert').equal(require('./greet.js')(), 'Hello, stranger');\n",
  'PROMPT.md': 'Make the failing tests pass. When they do, answer <response>DONE</response>.\n',
};

const SETTINGS = {
  agent: { command: 'claude', flags: ['--dangerously-skip-permissions'] },
  guardrails: [{ command: 'npm test', failAction: 'APPEND' }],
  failureBackoffMs: 10,
};

/** Pages whose examples start without settings. */
const BARE = ['README.md', 'docs/run.md', 'docs/settings.md'];

const WITH_EXAMPLES = PAGES.filter((page) => examplesIn(readPage(page)).length > 0);

test.each(sweep(WITH_EXAMPLES, WITH_EXAMPLES.length))('the examples of %s work', async (page) => {
  const scene = newProject(page);
  for (const example of examplesIn(readPage(page))) {
    const { code, stdout, stderr } = await play(scene, example);
    expect({ example, code, printed: code === 0 ? '' : `${stdout}\n${stderr}` }).toEqual({
      example,
      code: 0,
      printed: '',
    });
  }
});

test('a loop of the examples rejects a false DONE, and ends with a commit', async () => {
  const scene = newProject('docs/run.md');
  const example = examplesIn(readPage('docs/run.md')).find(({ code }) => code.includes('"commit"'));
  const { stderr } = await play(scene, example ?? { info: '', code: 'false' });
  expect(stderr).toContain('✗ DONE rejected: npm test is red.');
  expect(stderr).toContain('✓ Done in 2 iterations');
  expect(scene.git('log', '-1', '--format=%s')).toBe('Greet strangers too\n');
});

/** Without a prompt file for the page of `swarm`, which shows how to make one. */
function newProject(page: string): Scene {
  // A sandbox has its own /dev, so it would not see a project in /dev/shm.
  const scene = makeScene({ play: '', place: ON_DISK });
  const bin = join(scene.folder, 'bin');
  symlinkSync(join(ROOT, 'test/fakes/greeting-claude.sh'), join(bin, 'claude'));
  for (const [name, text] of Object.entries(PROJECT)) writeFileSync(join(scene.work, name), text);
  if (page === 'docs/swarm.md') rmSync(join(scene.work, 'PROMPT.md'));
  rmSync(join(scene.work, '.ralph'), { recursive: true });
  if (!BARE.includes(page)) {
    mkdirSync(join(scene.work, '.ralph'));
    writeFileSync(join(scene.work, '.ralph/settings.json'), JSON.stringify(SETTINGS));
  }
  scene.git('add', '--all');
  scene.git('commit', '--quiet', '--message=A project');
  installPackage(scene);
  return scene;
}

function play({ folder, work, env }: Scene, { info, code }: Block): Promise<Exited> {
  // As in a container: Claude Code accepts some flags from root only there.
  const options = { cwd: work, env: { ...env, IS_SANDBOX: '1', TMUX_TMPDIR: folder, TERM: 'xterm' } };
  if (!info.startsWith('js')) return startProgram(['bash', '-euo', 'pipefail', '-c', code], options).exited;
  writeFileSync(join(folder, 'example.mjs'), code);
  return startProgram([process.execPath, join(folder, 'example.mjs')], options).exited;
}
