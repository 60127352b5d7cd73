/** A sandboxed agent turns parts of its work tree into links: ralph, outside, does not write where they lead. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { ON_DISK } from '../support/folder.ts';
import { makeScene } from '../support/scene.ts';
import { story } from '../support/stories/stories.ts';
import { PLAY, PRD, type StoriesScene, withStories } from './scene.ts';

const FLIP = `
  const fs = require('node:fs');
  const log = 'ralph/logs/iteration-001.log';
  const target = process.argv[1];
  for (let turn = 0; turn < 3000; turn++) {
    fs.symlinkSync(target, 'ralph/logs/link');
    fs.renameSync('ralph/logs/link', log);
    fs.writeFileSync('ralph/logs/plain', '');
    fs.renameSync('ralph/logs/plain', log);
    console.log('line', turn);
  }`;

let here: StoriesScene;
const elsewhere = (): string => join(here.folder, 'elsewhere');

function scene(play: string): StoriesScene {
  const made = makeScene({ place: ON_DISK, play: `${PLAY}${play}` });
  const own = ['starts.log', 'prompts'].flatMap((name) => ['--allow-write', join(made.folder, name)]);
  mkdirSync(join(made.folder, 'elsewhere'));
  made.write('flip.cjs', FLIP);
  return withStories(
    made,
    [story('A')],
    ['--sandbox=os', '--agent', join(made.folder, 'bin/agent'), '--failure-backoff', '10ms', ...own],
  );
}

describe('nothing is written outside', () => {
  test('if the logs folder becomes a link', async () => {
    here = scene('rm -rf ralph/logs; ln -s "$SCENE/elsewhere" ralph/logs; honest');
    const { stderr } = await here.loop('-n', '1');
    expect(stderr).toContain('Story A: submitted for review');
    expect(stderr).toContain('[ralph] WARNING: no log is written any more: ');
    expect(readdirSync(elsewhere())).toEqual([]);
  });

  test('if the log file is exchanged again and again while it is written', async () => {
    here = scene(`
      node -e "$(cat "$SCENE/flip.cjs")" "$SCENE/elsewhere/profile"; honest`);
    writeFileSync(join(elsewhere(), 'profile'), 'mine\n');
    await here.loop('-n', '1');
    expect(readFileSync(join(elsewhere(), 'profile'), 'utf8')).toBe('mine\n');
  });

  test('if the whole folder becomes a link: list and PRD are restored into a folder of the project', async () => {
    here = scene(`mv ralph moved; ln -s "$SCENE/elsewhere" ralph; echo did`);
    const { stderr } = await here.loop('-n', '1');
    expect(readdirSync(elsewhere())).toEqual([]);
    expect(stderr).toContain('[ralph] TAMPERED');
    expect(here.story('A').passes).toBe(false);
    expect(here.read('work/ralph/prd.md')).toBe(PRD);
  });

  test('if decide.txt and the logs folder are links when the agent asks a question', async () => {
    here = scene(`mv ralph moved; mkdir ralph; cp moved/*.* ralph; ln -sf "$SCENE/elsewhere/x" ralph/decide.txt
      rm -rf ralph/logs; ln -s "$SCENE/elsewhere" ralph/logs; echo '<promise>DECIDE:which?</promise>'`);
    await here.loop('-n', '1');
    expect(readdirSync(elsewhere())).toEqual([]);
  });
});

describe('a folder ralph/ that leads out of the project', () => {
  beforeEach(async () => {
    here = scene('honest');
    await here.shell('mv ralph/* "$SCENE/elsewhere"; rmdir ralph; ln -s "$SCENE/elsewhere" ralph');
  });

  test.each([['run'], ['init', '--force'], ['archive']])(
    'is refused by %s, which says how to name it',
    async (...args) => {
      const before = readdirSync(elsewhere());
      const { code, stderr } = args[0] === 'run' ? await here.loop() : await here.stories(...args).exited;
      expect(stderr).toContain('error: ralph leads out of the project');
      expect(stderr).toContain(`--ralph-dir ${elsewhere()}`);
      expect(code).toBe(2);
      expect(readdirSync(elsewhere())).toEqual(before);
      expect(here.loops()).toEqual([]);
    },
  );
});

test('archive does not write where a link leads', async () => {
  here = scene('ln -s "$SCENE/elsewhere" ralph-archive; honest');
  await here.loop('-n', '1');
  const { code, stderr } = await here.stories('archive').exited;
  expect(stderr).toContain('ralph-archive leads elsewhere');
  expect(code).toBe(2);
  expect(readdirSync(elsewhere())).toEqual([]);
  // Nothing has been removed, either.
  expect(here.read('work/ralph/prd.md')).toBe(PRD);
});

test('init does not write through a link in place of .gitignore', async () => {
  here = scene('honest');
  await here.shell('ln -s "$SCENE/elsewhere/x" .gitignore; rm -rf ralph');
  const { code } = await here.stories('init').exited;
  expect(code).toBe(0);
  expect(readdirSync(elsewhere())).toEqual([]);
});

test('a loop begins and ends even if git’s exclude file is a folder', async () => {
  // Git refuses to work until the folder is gone.
  here = scene('rmdir .git/info/exclude; honest');
  await here.shell('rm .git/info/exclude; mkdir .git/info/exclude');
  const { code, stderr } = await here.loop('-n', '1');
  expect(stderr).toContain('Story A: submitted for review');
  expect(code).toBe(1);
  expect(here.loops()).toHaveLength(1);
});
