/** How the plugin and the project's files get into the Docker Sandbox of a stories loop, and changes out of it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  commands,
  HONEST,
  type StoriesInDocker as Scene,
  storiesInDocker as scene,
} from '../../stories/docker-scene.ts';
import { ROOT } from '../../support/scene.ts';
import { SUBMITTED, story } from '../../support/stories/stories.ts';

/** Files leave the sandbox so late that the loop must wait for them before it ends. */
const SLOW = { settleMs: 1500, settings: { sandbox: { settleMs: 2000 } } };

describe('the plugin', () => {
  const inside = (here: Scene, path: string): string =>
    join(here.folder, 'docker/vm', here.name, 'home/.ralph/plugin', path);

  test('is copied unchanged, including its programs, and its Stop hook works inside', async () => {
    const play = `
      edit "approve('A')"; commit bad
      for word; do [ "$last" = --plugin-dir ] && plugin=$word; last=$word; done
      echo '{"session_id":"s","hook_event_name":"Stop"}' | CLAUDE_PROJECT_DIR=$PWD "$plugin/hooks/stop.sh" >"$SCENE/hook"
      say ok`;
    const here = await scene([story('A')], play);
    await here.loop('-n', '1');
    expect(here.read('hook')).toContain('Implement iterations cannot set passes=true');
    for (const path of ['.claude-plugin/plugin.json', 'hooks/built/stories-stop.cjs', 'hooks/stop.sh']) {
      expect(readFileSync(inside(here, path), 'utf8')).toBe(readFileSync(join(ROOT, 'plugin', path), 'utf8'));
    }
  });

  test('is copied again only if it has changed or was damaged inside', async () => {
    const spoil = `case $(mode) in implement) echo 'exit 0' >"$HOME/.ralph/plugin/hooks/stop.sh" ;; esac; ${HONEST}`;
    const here = await scene([story('A')], spoil);
    const copies = (): number => commands(here.calls()).filter((command) => command === 'exec: copy').length;
    await here.loop('-n', '1');
    expect(copies()).toBe(1);
    // The review iteration has an intact copy.
    await here.loop('-n', '1');
    expect(copies()).toBe(2);
    expect(readFileSync(inside(here, 'hooks/stop.sh'), 'utf8')).not.toBe('exit 0\n');
    await here.loop('-n', '1');
    expect(copies()).toBe(2);
  });

  test('prevents the loop from starting if it cannot be copied', async () => {
    const here = await scene([story('A')], HONEST);
    writeFileSync(join(here.folder, 'bin/head'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const { code, stderr } = await here.loop();
    expect(stderr).toMatch(/error: .*plugin cannot be copied into the sandbox: /);
    expect(code).toBe(2);
    expect(here.loops()).toEqual([]);
    expect(commands(here.calls())).not.toContain('run');
  });

  test('prevents the loop from starting if the copy differs', async () => {
    const here = await scene([story('A')], HONEST);
    writeFileSync(join(here.folder, 'bin/head'), '#!/bin/sh\necho other\n', { mode: 0o755 });
    const { stderr } = await here.loop();
    expect(stderr).toContain('cannot be copied into the sandbox: what arrived is not what was sent');
  });
});

describe('files', () => {
  test('edits outside during a pause are visible to the agent inside after resume', async () => {
    const play = `
      if [ "$(mode)" = implement ]; then read -r _ <"$SCENE/gate"
      else cp ralph/tasks.json ralph/prompt.md work.txt "$SCENE/prompts/"; fi
      ${HONEST}`;
    const here = await scene([story('A')], play);
    const loop = here.stories('run', '--sandbox', '-n', '2');
    await here.logged('agent implement');
    expect((await here.stories('pause').exited).code).toBe(0);
    here.openGate();
    await loop.says('Paused before iteration 2');
    const tasks = here.tasks();
    here.write('work/ralph/tasks.json', JSON.stringify({ ...tasks, description: 'edited in the pause' }));
    here.write('work/ralph/prompt.md', 'Another prompt\n');
    here.write('work/work.txt', 'edited by hand\n');
    const before = here.calls().length;
    await here.stories('resume').exited;
    expect((await loop.exited).code).toBe(0);
    expect(commands(here.calls().slice(before))[0]).toBe('stop');
    expect(here.read('prompts/tasks.json')).toContain('edited in the pause');
    expect(here.read('prompts/prompt.md')).toBe('Another prompt\n');
    expect(here.read('prompts/work.txt')).toBe('edited by hand\n');
    expect(here.story('A')).toMatchObject({ passes: true, reviewStatus: 'approved' });
    expect(here.tasks().description).toBe('edited in the pause');
  });

  test('a story list that was edited between two iterations is copied into the sandbox', async () => {
    const play = `
      [ -e "$SCENE/failed" ] || { touch "$SCENE/failed"; exit 1; }
      cp ralph/tasks.json "$SCENE/seen"
      ${HONEST}`;
    const here = await scene([story('A')], play);
    const loop = here.stories('run', '--sandbox', '-n', '2', '--failure-backoff', '2s');
    await loop.says('Agent failed');
    await here.journalSays('"what":"judge"');
    const { userStories, ...rest } = here.tasks();
    here.write('work/ralph/tasks.json', JSON.stringify({ ...rest, userStories: [...userStories, story('B')] }));
    const before = here.calls().length;
    const { stderr } = await loop.exited;
    expect(stderr).toContain('Story A: submitted for review');
    expect(JSON.parse(here.read('seen'))).toMatchObject({ userStories: [{ id: 'A' }, { id: 'B' }] });
    expect(here.tasks().userStories).toHaveLength(2);
    // Only the list and the marker are written; the other files are unchanged.
    const writes = here
      .calls()
      .slice(before)
      .filter((call) => commands([call])[0] === 'exec: write');
    expect(writes.map((call) => call.at(-1))).toEqual(
      ['ralph/tasks.json', '.ralph-active'].map((path) => join(here.work, path)),
    );
  });

  test('forbidden changes of an iteration are reverted inside, too, and committed there', async () => {
    const play = `
      if [ -e "$SCENE/tampered" ]; then cp ralph/tasks.json "$SCENE/seen"; ${HONEST}
      else touch "$SCENE/tampered"; edit "approve('A')"; echo mine >ralph/prd.md; echo steer >ralph/prompt.md; commit sneaky; say done; fi`;
    const here = await scene([story('A')], play);
    const { stderr } = await here.loop('-n', '2');
    expect(stderr).toContain('[ralph] TAMPERED: prd.md was changed');
    expect(stderr).toContain('prompt.md was changed during this iteration; ralph has restored it');
    expect(JSON.parse(here.read('seen'))).toMatchObject({
      userStories: [{ id: 'A', passes: false, reviewStatus: null }],
    });
    expect(here.inside('ralph/prd.md')).toBe('# What is wanted\n');
    expect(here.inside('ralph/prompt.md')).toContain('Iteration $RALPH_ITERATION');
    expect(here.commits().slice(0, 4)).toEqual([
      'work of',
      'chore(ralph): restore the story list — the iteration made changes that it may not make',
      'chore(ralph): restore prompt.md — the iteration changed it',
      'sneaky',
    ]);
    expect(here.story('A').reviewStatus).toBe('needs_review');
  });

  test('a list that the agent replaced by a link is restored inside, and the target is not changed', async () => {
    const play = `
      if [ -e "$SCENE/linked" ]; then ${HONEST}
      else touch "$SCENE/linked"; echo precious >"$HOME/precious"; rm ralph/tasks.json; ln -s "$HOME/precious" ralph/tasks.json; say done; fi`;
    const here = await scene([story('A')], play);
    await here.loop('-n', '2');
    const home = join(here.folder, 'docker/vm', here.name, 'home');
    expect(readFileSync(join(home, 'precious'), 'utf8')).toBe('precious\n');
    expect(here.story('A').reviewStatus).toBe('needs_review');
  });

  test('an approval at the cap is written and committed inside, and reaches the project outside', async () => {
    const here = await scene([story('A', SUBMITTED)], 'honest reject >/dev/null; say no', SLOW);
    const { code } = await here.loop('--review-cap', '1');
    expect(code).toBe(0);
    const approved = {
      passes: true,
      reviewStatus: 'approved',
      reviewFeedback: '[AUTO-APPROVED AT CAP] Handle the empty list',
    };
    expect(here.story('A')).toMatchObject(approved);
    expect(JSON.parse(here.inside('ralph/tasks.json'))).toMatchObject({ userStories: [approved] });
    expect(here.commits()[0]).toBe('review: A - auto-approved at cap');
  });
});
