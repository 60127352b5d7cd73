/** A question that ended a loop waits for its answer: no iteration is spent without one. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { story } from '../support/stories/stories.ts';
import { storiesScene } from './scene.ts';

async function asked() {
  const scene = storiesScene([story('A')], {
    play: `[ -e "$SCENE/asked" ] && { honest; exit; }; touch "$SCENE/asked"; echo "<promise>DECIDE:Redis or files?</promise>"`,
  });
  expect((await scene.loop()).code).toBe(6);
  return scene;
}

describe('after a question', () => {
  test.each([
    ['is not answered yet', (text: string) => text],
    ['was answered in another place', (text: string) => `Files please.\n${text}`],
    ['lost its heading', (text: string) => text.replace('## Answer', 'Files.')],
  ])('if decide.txt %s, no loop begins and the file stays', async (_title, edit) => {
    const scene = await asked();
    const text = edit(scene.read('work/ralph/decide.txt'));
    scene.write('work/ralph/decide.txt', text);
    const { code, stderr } = await scene.loop();
    expect(stderr).toContain(
      'error: the last loop asked a question, and ralph/decide.txt contains no answer to it: Redis or files?',
    );
    expect(stderr).toContain('\nhint: Write the answer below "## Answer"');
    expect(code).toBe(6);
    expect(scene.read('work/ralph/decide.txt')).toBe(text);
    expect(scene.starts()).toHaveLength(1);
    expect(scene.loops()).toHaveLength(1);
    const resumed = await scene.stories('resume').exited;
    expect({ code: resumed.code, stderr: resumed.stderr }).toEqual({ code, stderr });
    const status = (await scene.stories('status').exited).stdout;
    expect(status).toContain('Loop: needs your decision after 1 iteration (Redis or files?)');
    expect(status).toContain('\nNext: nothing, because ralph/decide.txt waits for your answer\n');
  });

  test.each([
    ['on the heading’s line', (text: string) => text.replace('## Answer\n', '## Answer: files please\n')],
    ['without a colon', (text: string) => text.replace('## Answer\n', '## Answer files please')],
    ['with an editor’s own line ends', (text: string) => `${text.replaceAll('\n', '\r\n')}files please\r\n`],
    [
      'after blanks that an editor took away or left',
      (text: string) => `${text.replace('---\n', '---  \n\n')}  files please`,
    ],
  ])('an answer %s is taken', async (_title, edit) => {
    const scene = await asked();
    scene.write('work/ralph/decide.txt', edit(scene.read('work/ralph/decide.txt')));
    await scene.loop('-n', '1');
    expect(scene.promptOf('1/work/1')).toContain("A person has answered the loop's question:");
    expect(scene.promptOf('1/work/1')).toContain('files please');
    expect(scene.has('ralph/decide.txt')).toBe(false);
  });

  test('resume takes the answer and continues the same loop', async () => {
    const scene = await asked();
    scene.write('work/ralph/decide.txt', `${scene.read('work/ralph/decide.txt')}files please\n`);
    await scene.stories('resume', '-n', '2').exited;
    expect(scene.loops()).toHaveLength(1);
    expect(scene.promptOf('1/work/2')).toContain('files please');
    expect(scene.has('ralph/decide.txt')).toBe(false);
  });

  test('if the user removes the file, the loop continues without an answer', async () => {
    const scene = await asked();
    await scene.shell('rm ralph/decide.txt');
    const { code, stderr } = await scene.loop('-n', '1');
    expect(stderr).toContain('Story A: submitted for review');
    expect(code).toBe(1);
  });
});

test('--on-blocked wait: the loop stays, and continues the same iteration when it is answered', async () => {
  const scene = storiesScene([story('A')], {
    play: `case "$prompt" in *"Use files."*) honest; exit ;; esac
[ $n = 1 ] || { honest; exit; }; echo "<promise>DECIDE:Redis or files?</promise>"`,
  });
  const own = ['--no-sandbox', '--agent', join(scene.folder, 'bin/agent')];
  const loop = scene.stories('run', ...own, '--on-blocked', 'wait');
  await loop.says('To answer, run: ralph answer');
  expect((await scene.shell('ralph ls')).stdout).toMatch(/! .* needs you .* Redis or files\?/);
  expect((await scene.shell('ralph answer "Use files."')).code).toBe(0);
  expect((await loop.exited).code).toBe(0);
  expect(scene.promptOf('1/work/2')).toContain('Use files.');
  // No file asks the person for anything: the loop itself does.
  expect(existsSync(join(scene.work, 'ralph/decide.txt'))).toBe(false);
});
