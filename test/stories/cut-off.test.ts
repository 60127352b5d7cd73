/** A stories loop that was killed or cut off: the agent's changes are undone, and the loop continues or is left. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { story, tasksOf } from '../support/stories/stories.ts';
import { type StoriesScene, storiesScene } from './scene.ts';

const ONE = [story('A')];
/** Waits in its first iteration, after it wrote an approval into the list that it must not give. */
const SNEAKY = `[ "$RALPH_KEY" = 1/work/1 ] && { edit "approve('A')"; commit sneaky; at_gate; }; honest approve`;

const start = (scene: StoriesScene, ...flags: string[]) =>
  scene.stories('run', '--no-sandbox', '--agent', join(scene.folder, 'bin/agent'), ...flags);

describe('kill -9', () => {
  test('in the middle of an iteration: resume ends the agent, restores the list and tries again', async () => {
    const scene = storiesScene(ONE, { play: SNEAKY });
    const loop = start(scene);
    await scene.logged('at gate 1/work/1');
    loop.signal('SIGKILL');
    await loop.exited;
    expect(scene.has('.ralph-active')).toBe(true);
    expect((await scene.stories('status').exited).stdout).toContain('Loop: interrupted, iteration 1');
    const { code, stderr } = await scene.stories('resume').exited;
    expect(stderr).toContain(`[ralph] .ralph-active was left by process ${loop.pid}, which is gone; taking it over`);
    expect(stderr).toContain('tasks.json is restored as it was before that run');
    expect(code).toBe(0);
    expect(scene.starts().filter((line) => line.startsWith('agent'))).toEqual([
      'agent 1/work/1',
      'agent 1/work/3',
      'agent 2/work/1',
    ]);
    expect(scene.story('A')).toMatchObject({ passes: true, reviewCount: 1 });
  });

  test('after the agent rewrote the prompt: the user who resumes is warned, because it may be their own edit', async () => {
    const play = `[ "$RALPH_KEY" = 1/work/1 ] && { echo "Be quick." >ralph/prompt.md; at_gate; }; honest approve`;
    const scene = storiesScene(ONE, { play });
    const loop = start(scene);
    await scene.logged('at gate 1/work/1');
    loop.signal('SIGKILL');
    await loop.exited;
    const { code, stderr } = await scene.stories('resume').exited;
    expect(stderr).toContain('[ralph] WARNING: ralph/prompt.md was changed since the last run began');
    expect(code).toBe(0);
  });

  test('after its copies were overwritten: resume ends the loop and says why, and no new loop begins before', async () => {
    const scene = storiesScene(ONE, { play: SNEAKY });
    const loop = start(scene);
    await scene.logged('at gate 1/work/1');
    loop.signal('SIGKILL');
    await loop.exited;
    await scene.shell('for copy in "$XDG_STATE_HOME"/ralph/loops/*/copies/*; do cp ralph/tasks.json "$copy"; done');
    const again = await scene.loop();
    expect(again.stderr).toContain('error: the harness’s own copy of what an iteration began with was changed');
    expect(again.code).toBe(9);
    const { code, stderr } = await scene.stories('resume').exited;
    expect(stderr).toContain('[ralph] ERROR: the harness’s own copy of what an iteration began with was changed');
    expect(code).toBe(9);
    expect(scene.starts().filter((line) => line.startsWith('agent'))).toEqual(['agent 1/work/1']);
    expect((await scene.stories('status').exited).stdout).toContain('Loop: stopped after 1 iteration: tampered with (');
  });

  test('in the middle of an iteration: a new run restores the list, too', async () => {
    const scene = storiesScene(ONE, { play: SNEAKY });
    const loop = start(scene);
    await scene.logged('at gate 1/work/1');
    loop.signal('SIGKILL');
    await loop.exited;
    scene.write('play', `${scene.read('play').replace(SNEAKY, '')} honest approve`);
    const { code, stderr } = await scene.loop();
    expect(stderr).toContain('the story list is restored as it was before that iteration');
    expect(code).toBe(0);
    expect(scene.story('A')).toMatchObject({ passes: true, reviewCount: 1 });
    expect((await scene.stories('resume').exited).code).toBe(2);
  });
});

describe('a loop that was cut off', () => {
  const cutOff = async () => {
    const scene = storiesScene(ONE, { play: SNEAKY });
    const loop = start(scene);
    await scene.logged('at gate 1/work/1');
    loop.signal('SIGKILL');
    await loop.exited;
    scene.write('play', `${scene.read('play').replace(SNEAKY, '')} honest approve`);
    return scene;
  };
  const newPlan = (scene: StoriesScene, id: string) => {
    scene.write('work/ralph/tasks.json', JSON.stringify(tasksOf(story(id))));
    scene.write('work/ralph/prd.md', 'Something else.\n');
    scene.git('add', '-A');
    scene.git('commit', '--quiet', '--message=new plan');
  };

  test.each([['archive'], ['init', '--force']])(
    'and was filed away (%s) leaves a new plan alone',
    async (...command) => {
      const scene = await cutOff();
      expect((await scene.stories(...command).exited).code).toBe(0);
      expect((await scene.stories('status').exited).stdout).toContain(
        'Loop: stopped after 1 iteration, as you asked (',
      );
      expect((await scene.stories('resume').exited).stderr).toContain('error: no unfinished stories loop');
      // Even with the same id: it is another plan.
      newPlan(scene, 'A');
      const { code, stderr } = await scene.loop();
      expect(stderr).not.toContain('restored');
      expect(code).toBe(0);
      expect(scene.read('work/ralph/prd.md')).toBe('Something else.\n');
      expect(scene.tasks().userStories.map(({ id }) => id)).toEqual(['A']);
    },
  );

  test('leaves a plan alone that a person wrote over the old one, and says so', async () => {
    const scene = await cutOff();
    newPlan(scene, 'B');
    const { code, stderr } = await scene.loop();
    expect(stderr).toContain(
      'An earlier loop was cut off in the middle of an iteration, with another list; nothing is restored.',
    );
    expect(code).toBe(0);
    expect(scene.tasks().userStories.map(({ id }) => id)).toEqual(['B']);
    expect(scene.read('work/ralph/prd.md')).toBe('Something else.\n');
  });
});
