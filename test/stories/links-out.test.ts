/** What a sandboxed agent makes of the folders of its work tree: the harness, outside, does not write where they lead. */
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
  test('where the folder of the logs becomes a link', async () => {
    here = scene('rm -rf ralph/logs; ln -s "$SCENE/elsewhere" ralph/logs; honest');
    const { stderr } = await here.loop('-n', '1');
    expect(stderr).toContain('Story A: submitted for review');
    expect(stderr).toContain('[ralph] WARNING: no log is written any more: ');
    expect(readdirSync(elsewhere())).toEqual([]);
  });

  test('where the log itself is exchanged all the time while it is written', async () => {
    here = scene(`
      node -e "$(cat "$SCENE/flip.cjs")" "$SCENE/elsewhere/profile"; honest`);
    writeFileSync(join(elsewhere(), 'profile'), 'mine\n');
    await here.loop('-n', '1');
    expect(readFileSync(join(elsewhere(), 'profile'), 'utf8')).toBe('mine\n');
  });

  test('where the whole folder becomes a link: list and PRD are put back into a folder of the project', async () => {
    here = scene(`mv ralph moved; ln -s "$SCENE/elsewhere" ralph; echo did`);
    const { stderr } = await here.loop('-n', '1');
    expect(readdirSync(elsewhere())).toEqual([]);
    expect(stderr).toContain('[ralph] TAMPERED');
    expect(here.story('A').passes).toBe(false);
    expect(here.read('work/ralph/prd.md')).toBe(PRD);
  });

  test('where the agent asks a person a question from there', async () => {
    here = scene(`mv ralph moved; mkdir ralph; cp moved/*.* ralph; ln -sf "$SCENE/elsewhere/x" ralph/decide.txt
      rm -rf ralph/logs; ln -s "$SCENE/elsewhere" ralph/logs; echo '<promise>DECIDE:which?</promise>'`);
    await here.loop('-n', '1');
    expect(readdirSync(elsewhere())).toEqual([]);
  });
});

describe('a folder for the list that leads out of the project', () => {
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

test('the archive is not laid down where a link leads', async () => {
  here = scene('ln -s "$SCENE/elsewhere" ralph-archive; honest');
  await here.loop('-n', '1');
  const { code, stderr } = await here.stories('archive').exited;
  expect(stderr).toContain('ralph-archive leads elsewhere');
  expect(code).toBe(2);
  expect(readdirSync(elsewhere())).toEqual([]);
  // Nothing has been taken away either.
  expect(here.read('work/ralph/prd.md')).toBe(PRD);
});

test('.gitignore is not written through', async () => {
  here = scene('honest');
  await here.shell('ln -s "$SCENE/elsewhere/x" .gitignore; rm -rf ralph');
  const { code } = await here.stories('init').exited;
  expect(code).toBe(0);
  expect(readdirSync(elsewhere())).toEqual([]);
});

test('a loop begins and ends where git’s excludes are a folder', async () => {
  // Git refuses to work until it is gone.
  here = scene('rmdir .git/info/exclude; honest');
  await here.shell('rm .git/info/exclude; mkdir .git/info/exclude');
  const { code, stderr } = await here.loop('-n', '1');
  expect(stderr).toContain('Story A: submitted for review');
  expect(code).toBe(1);
  expect(here.loops()).toHaveLength(1);
});
