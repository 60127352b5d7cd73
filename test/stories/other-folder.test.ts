/** A list in another folder than ralph/: the prompt names the folder, and the other commands find it. */
import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clockTime } from '../../src/cli/terminal/words.ts';
import { ROOT } from '../support/scene.ts';
import { story } from '../support/stories/stories.ts';
import { storiesScene } from './scene.ts';

const EDIT = join(ROOT, 'test/fakes/story-edit.cjs');

function planned(play: string) {
  const env = { STORIES: 'docs/plan/tasks.json', EDIT };
  const scene = storiesScene([story('A')], { play, env });
  mkdirSync(join(scene.work, 'docs'));
  renameSync(join(scene.work, 'ralph'), join(scene.work, 'docs/plan'));
  scene.git('add', '-A');
  scene.git('commit', '--quiet', '--message=elsewhere');
  return scene;
}

describe('--ralph-dir docs/plan', () => {
  test('is named in the prompt; the default ralph/ is not', async () => {
    const scene = planned('honest');
    await scene.loop('-n', '1', '--ralph-dir', 'docs/plan');
    expect(scene.promptOf('1/work/1')).toContain(
      '- Folder: `docs/plan/`; read it wherever a file of `ralph/` is meant.',
    );
    const usual = storiesScene([story('A')], { play: 'honest' });
    await usual.loop('-n', '1');
    expect(usual.promptOf('1/work/1')).not.toContain('Folder:');
  });

  test('is where the guard reads the allowed commands, and no agent can write that file', async () => {
    const guard = `node "${join(ROOT, 'dist/hooks/pre-tool-use.cjs')}" 2>>"$SCENE/said"; echo "$?" >>"$SCENE/said"`;
    const judged = (input: object): string =>
      `printf %s '${JSON.stringify({ ...input, cwd: '.' })}' | CLAUDE_PROJECT_DIR=$PWD ${guard}`;
    const push = judged({ tool_name: 'Bash', tool_input: { command: 'git push -f origin main' } });
    const write = judged({ tool_name: 'Write', tool_input: { file_path: 'docs/plan/allowed-commands.txt' } });
    const scene = planned(`${push}; ${write}; honest`);
    scene.write('work/docs/plan/allowed-commands.txt', 'git push -f origin main\n');
    scene.git('add', '-A');
    scene.git('commit', '--quiet', '--message=allowed');
    await scene.loop('-n', '1', '--ralph-dir', 'docs/plan');
    expect(scene.read('said')).toMatch(/^0\nralph guard, blocked .*`docs\/plan\/allowed-commands\.txt`.*\n2\n$/);
  });

  test('is where status, check, resume and archive look without the flag', async () => {
    const scene = planned('[ $n = 1 ] && at_gate; honest approve');
    const loop = scene.stories(
      'run',
      '--no-sandbox',
      '--agent',
      join(scene.folder, 'bin/agent'),
      '--ralph-dir',
      'docs/plan',
    );
    await scene.logged('at gate 1/work/1');
    loop.signal('SIGTERM');
    await loop.says('Received signal');
    scene.openGate();
    await loop.exited;
    const status = await scene.stories('status').exited;
    expect(status.stdout).toContain('A      needs_review');
    const check = await scene.stories('check').exited;
    expect(check.stdout).not.toContain('Cannot read or parse');
    const resumed = await scene.stories('resume').exited;
    expect(resumed.stderr).toMatch(/^\[ralph\] A +approved +1 /m);
    expect(resumed.code).toBe(0);
    const archived = await scene.stories('archive').exited;
    expect(archived.stdout).toContain(
      `Archived 1/1 stories to ralph-archive/${clockTime(Date.now()).slice(0, 10)}-ralph-p and committed it`,
    );
    expect(archived.stdout).toContain('docs/plan/ is ready for the next loop');
    expect(readdirSync(join(scene.work, 'docs/plan')).sort()).toEqual([
      'logs',
      'prd.md',
      'progress.txt',
      'prompt.md',
      'tasks.json',
    ]);
    expect(scene.has('ralph')).toBe(false);
    expect(scene.git('status', '--porcelain', 'docs', 'ralph-archive')).toBe('');
  });

  test('is not looked for any more after it is gone', async () => {
    const scene = planned('honest');
    await scene.loop('-n', '1', '--ralph-dir', 'docs/plan');
    renameSync(join(scene.work, 'docs/plan'), join(scene.work, 'ralph'));
    expect((await scene.stories('status').exited).stdout).toContain('A      needs_review');
  });

  test('without a list: the hint creates one there', async () => {
    const scene = storiesScene([story('A')], { play: 'honest' });
    const { code, stderr } = await scene.loop('--ralph-dir', 'docs/a plan');
    expect(stderr).toContain(
      "error: docs/a plan/tasks.json not found\nhint: Prepare the project first: ralph stories init --ralph-dir 'docs/a plan'",
    );
    expect(code).toBe(2);
    const made = await scene.stories('init', '--ralph-dir', 'docs/a plan').exited;
    expect(made.stdout).toContain('  docs/a plan/tasks.json\n');
    expect(readdirSync(join(scene.work, 'docs/a plan')).sort()).toEqual([
      'prd.md',
      'progress.txt',
      'prompt.md',
      'tasks.json',
    ]);
    expect(scene.read('work/.gitignore')).toContain('\ndocs/a plan/logs/\n');
    expect((await scene.loop('--ralph-dir', 'docs/a plan')).stderr).toContain('is still the template');
  });

  test('is archived even outside of the project', async () => {
    const scene = storiesScene([story('A')], { play: 'honest' });
    scene.git('rm', '-r', '--quiet', '--cached', 'ralph');
    scene.git('commit', '--quiet', '--message=elsewhere');
    renameSync(join(scene.work, 'ralph'), join(scene.folder, 'plan'));
    const { code, stdout, stderr } = await scene.stories('archive', '--ralph-dir', '../plan').exited;
    expect(stderr).toBe('');
    expect(stdout).toContain('Archived 0/1 stories to ralph-archive/');
    expect(code).toBe(0);
    expect(scene.git('status', '--porcelain', 'ralph-archive')).toBe('');
    expect(readdirSync(join(scene.folder, 'plan')).sort()).toEqual([
      'prd.md',
      'progress.txt',
      'prompt.md',
      'tasks.json',
    ]);
  });
});
