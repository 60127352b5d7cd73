/** A sandboxed agent makes git run a program of its own: the commands after the loop do not run it outside. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ON_DISK } from '../support/folder.ts';
import { makeScene } from '../support/scene.ts';
import { story } from '../support/stories/stories.ts';
import { PLAY, type StoriesScene, withStories } from './scene.ts';

/** The agent creates the repository itself: the settings of an existing one would be write-protected. */
const PLANT = `
  git init -q; git config core.fsmonitor "$PWD/spy"; git config filter.spy.clean "$PWD/spy; cat"
  echo '*.txt filter=spy' >.gitattributes
  printf '#!/bin/sh\\ntouch "%s/ran"; touch "%s/escaped"\\n' "$PWD" "$SCENE" >spy; chmod +x spy
  honest; echo changed >new.txt`;

async function afterLoop(): Promise<StoriesScene> {
  const made = makeScene({ place: ON_DISK, play: `${PLAY}${PLANT}` });
  const own = ['starts.log', 'prompts'].flatMap((name) => ['--allow-write', join(made.folder, name)]);
  const agent = join(made.folder, 'bin/agent');
  const here = withStories(made, [story('A')], ['--sandbox=os', '--agent', agent, ...own]);
  rmSync(join(here.work, '.git'), { recursive: true });
  await here.loop('-n', '1');
  rmSync(join(here.work, 'ran'), { force: true });
  return here;
}

test('archive commits inside the sandbox', async () => {
  const here = await afterLoop();
  const { stdout, stderr, code } = await here.stories('archive').exited;
  expect(existsSync(join(here.folder, 'escaped'))).toBe(false);
  expect(here.has('ran')).toBe(true);
  expect(stdout).toContain('and committed it (');
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(here.loops()).toHaveLength(1);
});

test('check asks git inside the sandbox', async () => {
  const here = await afterLoop();
  const { stdout } = await here.stories('check').exited;
  expect(existsSync(join(here.folder, 'escaped'))).toBe(false);
  expect(here.has('ran')).toBe(true);
  expect(stdout).toContain('?? new.txt');
});

test('if the sandbox of the loop is not known any more, git is not asked, and the commands say so', async () => {
  const here = await afterLoop();
  rmSync(join(here.folder, 'state/ralph/loops', here.loops()[0] ?? '', 'sandbox.json'));
  const checked = await here.stories('check').exited;
  expect(checked.stdout).toContain('git was not asked what is uncommitted: ');
  expect(checked.code).toBe(1);
  const { stdout, stderr, code } = await here.stories('archive').exited;
  expect(stderr).toMatch(/^Warning: not committed: .*and with it what the sandbox was/);
  expect(stdout).toMatch(/^Archived 0\/1 stories to /);
  expect(code).toBe(0);
  for (const name of ['escaped', 'work/ran']) expect(existsSync(join(here.folder, name))).toBe(false);
});
