/** SCM tasks after green guardrails: commits, pushes to a real remote, others. Their failures never end the loop. */
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DONE, makeScene, type Scene, type SceneOptions } from '../support/scene.ts';

const COMMIT = { command: 'git', tasks: ['commit'] };
const PUSH = { command: 'git', tasks: ['commit', 'push'] };
const STRANGE = ['-rf', '--all', 'two words.txt', `it's "quoted".txt`, 'naïve 文.txt', '$(touch pwned)', ':!work.txt'];

/** Shell code that creates these files. */
function makeFiles(names: readonly string[]): string {
  return names.map((name) => `echo new >./'${name.replaceAll("'", String.raw`'\''`)}'`).join('; ');
}

function filesIn(scene: Scene, commit: string): string[] {
  return scene.git('show', '-z', '--format=', '--name-only', commit).split('\0').filter(Boolean).sort();
}

function subjects(scene: Scene): string[] {
  return scene.git('log', '--format=%s').split('\n').filter(Boolean);
}

function scmLines(stderr: string): string[] {
  const lines = stderr.split('\n').map((line) => line.replace(/ {2}\d+ files?, .*/, ''));
  return lines.filter((line) => /^(✓ (?!Done)|✗ (?!Stopped)| {2}nothing to commit|warning: (?!the prompt))/.test(line));
}

describe('what a commit holds', () => {
  test('tracked: changed files only; a warning names new files, once, and again when there are others', async () => {
    const play = `echo line >>work.txt; echo new >"a new.txt"; [ $n -lt 3 ] || echo new >-b; [ $n -lt 4 ] || ${DONE}`;
    const scene = makeScene({ play, settings: { scm: COMMIT } });
    const { code, stderr } = await scene.run();
    expect(code).toBe(0);
    expect(subjects(scene)).toEqual([4, 3, 2, 1].map((n) => `Commit of iteration ${n}`).concat('begin'));
    expect(filesIn(scene, 'HEAD')).toEqual(['work.txt']);
    const advice = '(set scm.stage to "all" to commit new files)';
    const warnings = stderr.replaceAll('\n  ', ' ').match(/^warning: .*?\)/gm);
    expect(warnings).toEqual([
      `warning: untracked files are not committed: a new.txt ${advice}`,
      `warning: untracked files are not committed: -b, a new.txt ${advice}`,
    ]);
  });

  test('all: new files too, whatever their names, but neither ignored files nor the logs of ralph', async () => {
    const play = `echo line >>work.txt; echo ignored >.gitignore; echo x >ignored; ${makeFiles(STRANGE)}; ${DONE}`;
    const guardrails = [{ command: 'echo logged', failAction: 'APPEND' }];
    const scene = makeScene({ play, settings: { scm: { ...COMMIT, stage: 'all' }, guardrails } });
    const { code, stderr } = await scene.run();
    expect(code).toBe(0);
    expect(filesIn(scene, 'HEAD')).toEqual([...STRANGE, '.gitignore', '.ralph/settings.json', 'work.txt'].sort());
    expect(scmLines(stderr).slice(1)).toEqual([
      `✓ committed ${scene.git('rev-parse', 'HEAD').slice(0, 7)}  Commit of iteration 1`,
    ]);
    expect(existsSync(join(scene.work, 'pwned'))).toBe(false);
  });

  test('unusual file names appear whole in the warning, and tracked ones are committed', async () => {
    const scene = makeScene({
      play: `for f in ./*; do echo more >>"$f"; done; ${makeFiles(['-new'])}; ${DONE}`,
      settings: { scm: COMMIT },
    });
    await scene.shell(makeFiles(STRANGE));
    scene.git('add', '--all', '--', '.', ':(exclude).ralph');
    scene.git('commit', '--quiet', '--message=strange files');
    const { stderr } = await scene.run();
    expect(filesIn(scene, 'HEAD')).toEqual([...STRANGE, 'work.txt'].sort());
    expect(stderr).toContain('warning: untracked files are not committed: -new (');
  });

  test('a deleted file is deleted in the commit, too', async () => {
    const scene = makeScene({ play: `rm work.txt; ${DONE}`, settings: { scm: COMMIT } });
    await scene.run();
    expect(scene.git('ls-tree', '--name-only', 'HEAD')).toBe('');
  });

  test('nothing to commit is no error, costs no call for a message, and a push still follows', async () => {
    const scene = withRemote({ play: DONE, settings: { scm: PUSH } });
    const { code, stderr } = await scene.run();
    expect(code).toBe(0);
    expect(scmLines(stderr)).toEqual(['  nothing to commit', '✓ pushed']);
    expect(subjects(scene)).toEqual(['begin']);
    expect(scene.starts()).toEqual(['agent 1/work/1']);
  });
});

describe('the commit message', () => {
  test.each([
    ['what stands in a response tag', 'Sure:\n<response>Add a line</response>\nbye', 'Add a line'],
    ['the first line that is not empty', '\n   \n  Add a line  \nand more', 'Add a line'],
    [
      'several lines in a tag',
      '<response>\nAdd a line\n\nIt was missing.\n</response>',
      'Add a line\n\nIt was missing.',
    ],
    ['the first line of a code block', '```text\nAdd a line\n```', 'Add a line'],
    ['what stands in a code block in a tag', '<response>\n```\nAdd a line\n```\n</response>', 'Add a line'],
    ['one that looks like a flag', '--amend', '--amend'],
    ['one that looks like a comment', '#12 Add', '#12 Add'],
  ])('%s', async (_what, said, message) => {
    const scene = makeScene({
      play: `echo line >>work.txt; ${DONE}`,
      message: `cat "$SCENE/said"`,
      settings: { scm: COMMIT },
    });
    scene.write('said', said);
    expect(await scene.run()).toMatchObject({ code: 0 });
    expect(scene.git('log', '-1', '--format=%B').trim()).toBe(message);
    expect(subjects(scene)).toHaveLength(2);
    expect(scene.promptOf('1/message/1')).toBe(
      'Provide a short imperative commit message for the changes. Output only the message, no explanation.',
    );
  });

  test('is asked of Claude in a format that includes the cost', async () => {
    const scene = makeScene({
      agent: 'claude',
      play: 'echo line >>work.txt; claude_says "<response>DONE</response>"; claude_result "It is done"',
      message: 'claude_says "Add a line"; claude_result "Add a line"',
      settings: { scm: COMMIT },
    });
    const { code, stderr } = await scene.run('-m', '1');
    expect(code).toBe(0);
    expect(subjects(scene)[0]).toBe('Add a line');
    expect(stderr).toMatch(/^Usage: 2 runs, 1 of them for the commit message, \$1\.00$/m);
    expect(stderr).toMatch(/^✓ Done in 1 iteration · \d+s · \$1\.00$/m);
  });

  test.each([
    ['says nothing', 'true'],
    ['fails', 'echo Message; exit 1'],
    ['answers with an empty tag', 'echo "<response> </response>"'],
  ])('if the agent %s, nothing is committed or pushed; the loop is done, but not published', async (_what, message) => {
    const scene = withRemote({ play: `echo line >>work.txt; ${DONE}`, message, settings: { scm: PUSH } });
    const { code, stderr } = await scene.run('-m', '1');
    expect(scmLines(stderr).at(-1)).toBe('✗ nothing is committed: no commit message in the answer of the agent');
    expect(stderr).toMatch(
      /\n! Done in 1 iteration, but not committed · .*\n {2}Nothing was committed: no commit message in the answer of the agent\.\n/,
    );
    expect(code).toBe(11);
    expect(subjects(scene)).toEqual(['begin']);
  });

  test('without streaming, claude is asked for it in text mode, with the user’s flags', async () => {
    const play = 'echo line >>work.txt; claude_says "<response>DONE</response>"; claude_result x';
    const scene = makeScene({
      agent: 'claude',
      play,
      message: `printf '%s\\n' "$@" >"$SCENE/arguments"; echo "Plain words"`,
      settings: { agent: { command: 'claude', flags: ['--model opus'] }, scm: COMMIT, streamAgentOutput: false },
    });
    await scene.run();
    expect(scene.read('arguments').split('\n').slice(0, 5)).toEqual([
      '-p',
      '--output-format',
      'text',
      '--model',
      'opus',
    ]);
    expect(subjects(scene)).toEqual(['Plain words', 'begin']);
  });
});

describe('pushing', () => {
  test('every green iteration is pushed to the remote before the loop can be done', async () => {
    const scene = withRemote({ play: `echo line >>work.txt; [ $n = 1 ] || ${DONE}`, settings: { scm: PUSH } });
    const { code, stderr } = await scene.run();
    expect(code).toBe(0);
    const pushed = scene.git('--git-dir', join(scene.folder, 'remote.git'), 'log', '--format=%s', 'main');
    expect(pushed).toBe('Commit of iteration 2\nCommit of iteration 1\nbegin\n');
    expect(stderr).toMatch(
      /✓ pushed\nUsage: 4 runs, 2 of them for commit messages, cost unknown\n\n✓ Done in 2 iterations · /,
    );
  });

  test('a failed push is reported with git’s message; the loop continues, and ends as not published', async () => {
    const scene = withRemote({ play: `echo line >>work.txt; [ $n = 1 ] || ${DONE}`, settings: { scm: PUSH } });
    await scene.shell('rm -rf ../remote.git');
    const { code, stderr } = await scene.run();
    expect(code).toBe(11);
    expect(scene.journal().at(-1)?.result).toMatchObject({ kind: 'ended', ending: { kind: 'unpublished' } });
    expect(stderr.match(/^✗ git push: exit 128: .*does not appear to be a git repository/gm)).toHaveLength(2);
    expect(stderr).toMatch(/, but not published · .*\n {2}git push failed twice: exit 128: fatal: .*\n/);
    expect(stderr).not.toMatch(/^ +$/m);
    expect(subjects(scene)).toEqual(['Commit of iteration 2', 'Commit of iteration 1', 'begin']);
  });

  test('nothing is pushed after a commit that fails', async () => {
    const scene = withRemote({ play: `echo line >>work.txt; ${DONE}`, settings: { scm: PUSH } });
    scene.write('work/.git/hooks/pre-commit', '#!/bin/sh\necho "the hook says no"; exit 1\n');
    chmodSync(join(scene.work, '.git/hooks/pre-commit'), 0o755);
    const { code, stderr } = await scene.run();
    expect(scmLines(stderr)).toEqual(['✗ git commit: exit 1: the hook says no']);
    expect(stderr).toMatch(/\n! Done in 1 iteration, but not committed · .*\n {2}1 changed file is not committed\.\n/s);
    expect(code).toBe(11);
    rmSync(join(scene.work, '.git/hooks/pre-commit'));
    const again = await scene.ralph(['resume']).exited;
    expect(again.stderr).toMatch(/✓ committed .*\n✓ pushed\n/);
    expect(again.code).toBe(0);
    expect(scene.starts()).toEqual(['agent 1/work/1', 'agent 1/message/1']);
  });

  test('a failed commit that a later iteration makes up for leaves nothing unpublished', async () => {
    const scene = makeScene({ play: `echo line >>work.txt; [ $n = 1 ] || ${DONE}`, settings: { scm: COMMIT } });
    scene.write('work/.git/hooks/pre-commit', '#!/bin/sh\n[ -e "$SCENE/seen" ] || { touch "$SCENE/seen"; exit 1; }\n');
    chmodSync(join(scene.work, '.git/hooks/pre-commit'), 0o755);
    expect(await scene.run()).toMatchObject({ code: 0 });
    expect(subjects(scene)).toEqual(['Commit of iteration 2', 'begin']);
  });

  test('a missing repository is reported before the first iteration; one that the agent makes is used', async () => {
    const play = `[ $n = 1 ] || { git init --quiet; git add work.txt; git commit --quiet -m first; echo x >>work.txt; }; ${DONE}`;
    const scene = makeScene({ play, settings: { scm: COMMIT } });
    await scene.shell('rm -rf .git');
    const { code, stderr } = await scene.run();
    expect(code).toBe(11);
    expect(stderr).toMatch(
      /\nBefore the first iteration:\n! the work tree is not in a git repository \(git commit will fail\)\n {4}to make it one, run: git init\n[\s\S]*?\n\n── 1\//,
    );
    const again = makeScene({ play: `n=2; ${play}`, settings: { scm: COMMIT } });
    await again.shell('rm -rf .git');
    expect(await again.run()).toMatchObject({ code: 0 });
    expect(subjects(again)).toEqual(['Commit of iteration 1', 'first']);
  });
});

describe('other programs and tasks', () => {
  const LOG = '#!/bin/sh\nfor word; do printf "[%s]" "$word"; done >>"$SCENE/scm.log"; echo >>"$SCENE/scm.log"\n';

  function withProgram(tasks: readonly string[], script = LOG): Scene {
    const scene = makeScene({ play: `echo line >>work.txt; ${DONE}`, settings: { scm: { command: 'my-scm', tasks } } });
    scene.write('bin/my-scm', script);
    chmodSync(join(scene.folder, 'bin/my-scm'), 0o755);
    return scene;
  }

  test('each task is one argument of the program, in the order of the settings, without a message', async () => {
    const scene = withProgram(['status', 'push', 'two words; $(id)']);
    const { code, stderr } = await scene.run();
    expect(code).toBe(0);
    expect(scene.read('scm.log')).toBe('[status]\n[push]\n[two words; $(id)]\n');
    expect(scmLines(stderr)).toEqual(['✓ my-scm status', '✓ pushed', '✓ my-scm two words; $(id)']);
    expect(scene.starts()).toEqual(['agent 1/work/1']);
  });

  test('another program gets the commit message as the seed says: commit -am <message>', async () => {
    const scene = withProgram(['commit']);
    await scene.run();
    expect(scene.read('scm.log')).toBe('[commit][-am][Commit of iteration 1]\n');
  });

  test('a missing program is reported, already before the first iteration', async () => {
    const scene = makeScene({ play: DONE, settings: { scm: { command: 'no-such-scm', tasks: ['push'] } } });
    const { code, stderr } = await scene.run();
    expect(stderr).toContain('\n! scm.command is not installed: no-such-scm (no-such-scm push will fail)\n');
    expect(stderr).toMatch(/^✗ .*no-such-scm/m);
    expect(code).toBe(11);
  });

  test('no task runs while a guardrail is red', async () => {
    const scene = withProgram(['push']);
    const settings = JSON.parse(scene.read('work/.ralph/settings.json')) as object;
    const guardrails = [
      { command: 'true', failAction: 'APPEND' },
      { command: 'false', failAction: 'APPEND' },
    ];
    scene.write('work/.ralph/settings.json', JSON.stringify({ ...settings, guardrails }));
    expect(await scene.run('-m', '2')).toMatchObject({ code: 1 });
    expect(existsSync(join(scene.folder, 'scm.log'))).toBe(false);
  });
});

/** A scene with a bare repository next to it as the remote of `git push`. */
function withRemote(options: SceneOptions): Scene {
  const scene = makeScene(options);
  scene.git('init', '--quiet', '--bare', '--initial-branch=main', '../remote.git');
  scene.git('remote', 'add', 'origin', '../remote.git');
  scene.git('push', '--quiet', '--set-upstream', 'origin', 'main');
  return scene;
}

test('scm.message "template": commit messages are made from the prompt, without asking an agent', async () => {
  const play = `echo line >>work.txt; [ $n -lt 2 ] || ${DONE}`;
  const scene = makeScene({ play, settings: { scm: { ...COMMIT, message: 'template' } } });
  const { code, stderr } = await scene.run();
  expect(code).toBe(0);
  expect(subjects(scene)).toEqual(['Do the work. (iteration 2)', 'Do the work. (iteration 1)', 'begin']);
  expect(scene.starts()).toEqual(['agent 1/work/1', 'agent 2/work/1']);
  expect(stderr).toContain('  commits    with a message made from the prompt  (scm.message)');
});
