/** Pausing, resuming and interrupting a stories loop. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ContainmentLevel } from '../../src/process/containment/levels.ts';
import { story } from '../support/stories/stories.ts';
import { type StoriesScene, storiesScene } from './scene.ts';

const ONE = [story('A')];
/** Waits in its first iteration, after it wrote an approval into the list that it must not give. */
const SNEAKY = `[ "$RALPH_KEY" = 1/work/1 ] && { edit "approve('A')"; commit sneaky; at_gate; }; honest approve`;

const start = (scene: StoriesScene, ...flags: string[]) =>
  scene.stories('run', '--no-sandbox', '--agent', join(scene.folder, 'bin/agent'), ...flags);

describe('pause', () => {
  test('waits after the iteration; edits by a person meanwhile are no tampering; resume continues', async () => {
    const scene = storiesScene(ONE, { play: 'at_gate; honest approve' });
    const loop = start(scene);
    await scene.logged('at gate 1/work/1');
    const paused = await scene.stories('pause').exited;
    expect(paused.stdout).toContain(`[ralph] Pausing after the current iteration (pid ${loop.pid})`);
    expect((await scene.stories('status').exited).stdout).toContain('Loop: pausing after this iteration');
    scene.openGate();
    await loop.says('[ralph] Paused before iteration 2');
    expect((await scene.stories('status').exited).stdout).toContain(`Loop: paused (pid ${loop.pid}`);

    const list = scene.tasks();
    const edited = {
      ...list,
      userStories: [...list.userStories, story('B', { passes: true, reviewStatus: 'approved', reviewCount: 1 })],
    };
    scene.write('work/ralph/tasks.json', JSON.stringify(edited));
    expect((await scene.stories('resume').exited).stdout).toContain(`[ralph] Resumed (pid ${loop.pid})`);
    await scene.logged('at gate 2/work/1');
    scene.openGate();
    const { code, stderr } = await loop.exited;
    expect(stderr).not.toContain('TAMPERED');
    expect(stderr).toContain('[ralph] During the pause: story B was approved');
    expect(stderr.match(/During the pause/g)).toHaveLength(1);
    expect(code).toBe(0);
    expect(scene.story('B').passes).toBe(true);
  });

  test.each<[string, string, ContainmentLevel?]>([
    ['', ''],
    ['with an emptied environment', 'env -i PATH="$PATH" XDG_STATE_HOME="$XDG_STATE_HOME" HOME="$HOME"'],
    ['by its process group alone', 'env -i PATH="$PATH" XDG_STATE_HOME="$XDG_STATE_HOME" HOME="$HOME"', 'group'],
  ])('and resume are refused to the loop’s own agent %s', async (_how, front, level) => {
    const tries = `for order in pause resume; do ${front} ralph stories $order 2>>"$SCENE/refused"; done`;
    const scene = storiesScene(ONE, {
      play: `[ $n = 1 ] && { ${tries}; }; honest approve`,
      ...(level === undefined ? {} : { level }),
    });
    const { code, stderr } = await scene.loop();
    expect(scene.read('refused').match(/error: an agent cannot steer its own loop/g)).toHaveLength(2);
    expect(stderr).not.toContain('Paused');
    expect(code).toBe(0);
  });

  test('of a loop that is not running is refused', async () => {
    const scene = storiesScene(ONE, { play: 'honest' });
    const { code, stderr } = await scene.stories('pause').exited;
    expect(stderr).toContain(`error: no stories loop is running in ${scene.work}`);
    expect(code).toBe(1);
    expect((await scene.stories('resume').exited).stderr).toContain('error: no unfinished stories loop');
  });

  test('a list that a person broke meanwhile ends the loop with the reason, and is not judged', async () => {
    const scene = storiesScene(ONE, { play: 'at_gate; honest' });
    const loop = start(scene);
    await scene.logged('at gate 1/work/1');
    await scene.stories('pause').exited;
    scene.openGate();
    await loop.says('Paused before');
    scene.write('work/ralph/tasks.json', '{');
    await scene.stories('resume').exited;
    const { code, stderr } = await loop.exited;
    expect(stderr).toContain('[ralph] ERROR: ralph/tasks.json:1:2: expected "}" to close the "{" of line 1\n');
    expect(code).toBe(2);
  });
});

describe('a signal', () => {
  test('lets the iteration finish and be judged; resume continues from there', async () => {
    const scene = storiesScene(ONE, { play: SNEAKY });
    const loop = start(scene);
    await scene.logged('at gate 1/work/1');
    loop.signal('SIGTERM');
    await loop.says('Received signal');
    scene.openGate();
    const { code, stderr } = await loop.exited;
    expect(code).toBe(130);
    expect(stderr).toContain('TAMPERED');
    expect(stderr).toMatch(/\n {2}ralph stories resume +continue\n/);
    expect(scene.story('A').passes).toBe(false);
    expect(scene.has('.ralph-active')).toBe(false);
    const resumed = await scene.stories('resume').exited;
    expect(resumed.code).toBe(0);
    expect(scene.story('A')).toMatchObject({ passes: true, reviewCount: 1 });
  });

  test('leaves a loop that a start without its agent does not replace; a start that replaces it says so', async () => {
    const scene = storiesScene(ONE, { play: 'at_gate; honest' });
    const loop = start(scene);
    await scene.logged('at gate 1/work/1');
    loop.signal('SIGTERM');
    await loop.says('Received signal');
    scene.openGate();
    expect((await loop.exited).code).toBe(130);
    const [interrupted = ''] = scene.loops();
    const missing = await scene.stories('run', '--no-sandbox', '--agent', 'no-such-agent').exited;
    expect(missing.code).toBe(2);
    expect(scene.loops()).toEqual([interrupted]);
    scene.openGate();
    const { stderr } = await scene.loop('-n', '1');
    expect(stderr).toContain(
      `[ralph] WARNING: loop ${basename(interrupted).slice(-8, -4)} was interrupted and is replaced by this one`,
    );
  });

  test('a second one ends the agent; its edit is undone before the next try', async () => {
    const scene = storiesScene(ONE, { play: SNEAKY });
    const loop = start(scene);
    await scene.logged('at gate 1/work/1');
    loop.signal('SIGTERM');
    await loop.says('Received signal');
    loop.signal('SIGTERM');
    expect((await loop.exited).code).toBe(130);
    const { code, stderr } = await scene.stories('resume').exited;
    expect(stderr).toContain('[ralph] The last run was cut off; tasks.json is restored as it was before that run');
    expect(stderr).not.toContain('TAMPERED');
    expect(code).toBe(0);
    expect(scene.story('A').reviewCount).toBe(1);
    expect(scene.commits()).toContain('chore(ralph): restore the story list — the iteration was cut off');
  });
});

describe('resume after an ending', () => {
  test('by the limit needs a higher limit, and continues with the next iteration', async () => {
    const scene = storiesScene(ONE, { play: 'honest approve' });
    const { stderr } = await scene.loop('-n', '1');
    expect(stderr).toMatch(/\n {2}ralph stories resume -n 2 +continue with more iterations\n/);
    expect((await scene.stories('status').exited).stdout).toContain(
      'Loop: stopped at the limit of 1 iteration; to continue, run: ralph stories resume -n 2\n',
    );
    const refused = await scene.stories('resume').exited;
    expect(refused.stderr).toBe(
      'error: the loop has already made 1 iteration: its limit is 1\nhint: To continue with more, run: ralph stories resume -n 2\n',
    );
    expect(refused.code).toBe(2);
    expect((await scene.stories('resume', '-n', '2').exited).code).toBe(0);
    expect(scene.starts().filter((line) => line.startsWith('agent'))).toEqual(['agent 1/work/1', 'agent 2/work/1']);
    expect(scene.loops()).toHaveLength(1);
  });

  test.each([
    ['failures', 'exit 1', 3, 'agent 6/work/1'],
    ['empty replies', 'exit 0', 1, 'agent 1/work/4'],
    ['a block', 'echo "<promise>BLOCKED:no database</promise>"; exit', 5, 'agent 1/work/2'],
  ])('by %s tries again, with the same agent and flags', async (_title, act, ending, next) => {
    const scene = storiesScene(ONE, { play: `[ -e "$SCENE/fixed" ] || { ${act}; }; honest approve` });
    expect((await scene.loop()).code).toBe(ending);
    scene.write('fixed', '');
    const { code, stderr } = await scene.stories('resume').exited;
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('ERROR') });
    expect(scene.starts()).toContain(next);
    expect(scene.has('ralph/blocked.txt')).toBe(false);
  });
});

test('a key in the prompt or the list is hidden in the journal, but whole for the agent and in restored files', async () => {
  const key = 'sk-abcdefghijklmnop1234567890';
  const scene = storiesScene([story('A', { description: `uses ${key}` })], { play: SNEAKY });
  scene.write('work/ralph/prompt.md', `Use ${key}.\n`);
  const loop = start(scene);
  await scene.logged('at gate 1/work/1');
  loop.signal('SIGKILL');
  await loop.exited;
  const { code } = await scene.stories('resume').exited;
  expect(code).toBe(0);
  expect(scene.promptOf('2/work/1')).toContain(`Use ${key}.`);
  expect(scene.promptOf('1/work/3')).toContain(`Use ${key}.`);
  expect(scene.story('A')).toMatchObject({ passes: true, reviewCount: 1, description: `uses ${key}` });
  expect(readFileSync(scene.journalFile(), 'utf8')).not.toContain(key);
});

test('--now ends a check of the stories: nothing counts as failed, and resume begins with the check', async () => {
  const check = 'test -e "$SCENE/go" || { echo checking >>"$SCENE/starts.log"; sleep 600; }';
  const scene = storiesScene(ONE, { play: 'honest approve', verifyCommands: [check] });
  const loop = start(scene);
  await scene.logged('checking');
  const stopped = await scene.ralph(['stop', '--now']).exited;
  expect(stopped.stdout).toMatch(/^Loop \w+ stops now; its check is ended\.\n/);
  expect((await loop.exited).code).toBe(130);
  expect(scene.journal().some(({ result }) => result.kind === 'checked')).toBe(false);
  const agents = (): string[] => scene.starts().filter((line) => line.startsWith('agent'));
  const before = agents();
  scene.write('go', '');
  const { code, stderr } = await scene.ralph(['resume']).exited;
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('TAMPERED') });
  const kinds = scene.journal().map(({ result }) => result.kind);
  expect(kinds.slice(kinds.lastIndexOf('continued') + 1)[0]).toBe('checked');
  // Its approval was waiting only for the check.
  expect(agents()).toEqual(before);
});
