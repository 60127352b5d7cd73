/** init, archive, status and check, and the plugin's scripts: sections 4 and 7 of the seed's verification plan. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clockTime } from '../../src/cli/terminal/words.ts';
import { startProgram } from '../support/programs/program.ts';
import { ROOT } from '../support/scene.ts';
import { APPROVED, SENT_BACK, SUBMITTED, story, tasksOf } from '../support/stories/stories.ts';
import { PRD, storiesScene } from './scene.ts';

const template = (name: string) => readFileSync(join(ROOT, 'plugin/templates', name), 'utf8');
const today = () => clockTime(Date.now()).slice(0, 10);

/** A project without any file of a loop. */
function bare(play = 'honest') {
  const scene = storiesScene([], { play });
  scene.git('rm', '-r', '--quiet', 'ralph');
  scene.git('commit', '--quiet', '--message=bare');
  rmSync(join(scene.work, 'ralph'), { recursive: true, force: true });
  const read = (path: string) => readFileSync(join(scene.work, path), 'utf8');
  return { ...scene, readWork: read };
}

describe('4. init', () => {
  test('creates all files from the templates', async () => {
    const scene = bare();
    const { code, stdout } = await scene.stories('init', '--name', 'shop').exited;
    expect(code).toBe(0);
    expect(stdout).toContain('Next steps:');
    expect(stdout).toContain(`claude --plugin-dir ${join(ROOT, 'plugin')} "/ralph:ralph-plan"\n`);
    expect(stdout).toMatch(/Commit, then run the loop: ralph stories run\n.*When it is done: ralph stories archive\n/);
    expect(readdirSync(join(scene.work, 'ralph')).sort()).toEqual([
      'prd.md',
      'progress.txt',
      'prompt.md',
      'tasks.json',
    ]);
    expect(scene.readWork('ralph/prompt.md')).toBe(template('prompt.md'));
    expect(scene.readWork('ralph/prd.md')).toBe(template('prd-template.md'));
    expect(scene.readWork('ralph/progress.txt')).toContain(`Started: ${today()}\nPRD: shop\n`);
    expect(scene.tasks()).toEqual({ ...JSON.parse(template('tasks-template.json')), branchName: 'ralph/shop' });
    expect(scene.readWork('.gitignore')).toBe(
      '# Ralph Loop runtime marker\n.ralph-active\n# Ralph Loop logs\nralph/logs/\n',
    );
  });

  test('without a name takes the folder’s; a .gitignore is kept, and extended only once', async () => {
    const scene = bare();
    writeFileSync(join(scene.work, '.gitignore'), 'dist');
    await scene.stories('init').exited;
    expect(scene.readWork('ralph/progress.txt')).toContain('PRD: work\n');
    expect(scene.readWork('ralph/tasks.json')).toBe(template('tasks-template.json'));
    await scene.stories('init', '--force').exited;
    expect(scene.readWork('.gitignore')).toBe(
      'dist\n# Ralph Loop runtime marker\n.ralph-active\n# Ralph Loop logs\nralph/logs/\n',
    );
  });

  test('does not overwrite a list, unless told to', async () => {
    const scene = storiesScene([story('A')], { play: 'honest' });
    const { code, stderr } = await scene.stories('init').exited;
    expect(stderr).toContain('Warning: ralph/ already has state files (tasks.json exists).\nhint: Use --force');
    expect(code).toBe(1);
    expect(scene.story('A').id).toBe('A');
    expect((await scene.stories('init', '--force').exited).code).toBe(0);
    expect(scene.tasks().userStories[0]?.id).toBe('US-001');
  });

  test('keeps what the user has written already, such as the PRD', async () => {
    const scene = bare();
    mkdirSync(join(scene.work, 'ralph'));
    writeFileSync(join(scene.work, 'ralph/prd.md'), 'A shop.');
    const { stdout } = await scene.stories('init').exited;
    expect(scene.readWork('ralph/prd.md')).toBe('A shop.');
    expect(stdout).not.toContain('ralph/prd.md\n  ralph');
    expect(scene.readWork('ralph/prompt.md')).toBe(template('prompt.md'));
  });

  test('takes --project-dir, and a name that would break JSON or a pattern', async () => {
    const scene = bare();
    mkdirSync(join(scene.folder, 'other'));
    const name = '$& "x" {{DATE}}';
    await scene.stories('init', '--project-dir', '../other', '--name', name).exited;
    const other = join(scene.folder, 'other/ralph');
    expect(JSON.parse(readFileSync(join(other, 'tasks.json'), 'utf8'))).toMatchObject({ branchName: 'ralph/x-DATE' });
    expect(readFileSync(join(other, 'progress.txt'), 'utf8')).toContain(`PRD: ${name}\n`);
  });

  test.each([
    ['shop', 'shop'],
    ['team/shop.v2', 'team/shop.v2'],
    ['größe', 'größe'],
    ['check out/../x', 'check-out/x'],
    ['..', 'feature-name'],
    ['a..b', 'a.b'],
    ['/a//b/', 'a/b'],
    ['.hidden/x.lock', 'hidden/x'],
    ['-f', 'f'],
    ['a~^:?*[b\\\\@{c', 'a-b-c'],
    ['x.', 'x'],
  ])('--name %j gives a branch name that git accepts: %s', async (name, clean) => {
    const scene = bare();
    await scene.stories('init', `--name=${name}`).exited;
    expect(scene.tasks().branchName).toBe(`ralph/${clean}`);
    expect(scene.git('check-ref-format', '--branch', `ralph/${clean}`)).toBe(`ralph/${clean}\n`);
  });
});

describe('7. archive', () => {
  test('moves the files of a completed loop away, commits them, and starts with new ones', async () => {
    const scene = storiesScene([story('A'), story('B', SENT_BACK)], {
      play: 'honest "$([ $n = 2 ] && echo reject || echo approve)"',
    });
    expect((await scene.loop('--review-cap', '2')).code).toBe(0);
    const list = scene.tasks();
    scene.write('work/ralph/progress.txt', '# Ralph Progress Log\nStarted: 2026-01-02\nPRD: p\n');
    const { code, stdout } = await scene.stories('archive').exited;
    expect(code).toBe(0);
    const path = `ralph-archive/${today()}-ralph-p`;
    expect(stdout).toContain(`Archived 2/2 stories to ${path} and committed it`);
    expect(readdirSync(join(scene.work, path)).sort()).toEqual(['prd.md', 'progress.txt', 'summary.md', 'tasks.json']);
    expect(JSON.parse(readFileSync(join(scene.work, path, 'tasks.json'), 'utf8'))).toEqual(list);
    const summary = readFileSync(join(scene.work, path, 'summary.md'), 'utf8');
    expect(summary).toContain('- **Project:** p\n');
    expect(summary).toContain(`- **Archived:** ${today()}\n`);
    expect(summary).toContain(`- **Date range:** 2026-01-02 – ${today()}\n`);
    expect(summary).toContain('- **Stories:** 2/2 completed\n');
    expect(summary).toMatch(/\| B \| Title of B \| completed \| 2 \(auto-approved at cap\) \|/);
    expect(scene.read(`work/${path}/prd.md`)).toBe(PRD);
    expect(scene.read(`work/${path}/progress.txt`)).toContain('Started: 2026-01-02');
    expect(scene.read('work/ralph/tasks.json')).toBe(template('tasks-template.json'));
    expect(scene.read('work/ralph/prd.md')).toBe(template('prd-template.md'));
    expect(scene.read('work/ralph/progress.txt')).toBe(
      template('progress-template.md').replace('{{DATE}}', today()).replace('{{PROJECT_NAME}}', 'work'),
    );
    expect(scene.read('work/ralph/prompt.md')).toContain('Iteration $RALPH_ITERATION');
    expect(scene.commits()[0]).toBe('archive(ralph): ralph-p — 2/2 stories completed');
    expect(scene.git('status', '--porcelain', 'ralph', 'ralph-archive')).toBe('');
    expect(scene.has('ralph/logs/summary.csv')).toBe(true);
  });

  test('--label names it, cleaned; a second one on the same day gets a number; --include-logs adds the logs', async () => {
    const scene = storiesScene([story('A', APPROVED), story('B')], { play: 'honest' });
    mkdirSync(join(scene.work, 'ralph/logs'));
    writeFileSync(join(scene.work, 'ralph/logs/summary.csv'), 'x');
    const first = await scene.stories('archive', '--label', '../my feature', '--include-logs').exited;
    expect(first.stdout).toContain(`Archived 1/2 stories to ralph-archive/${today()}-..-my-feature`);
    expect(scene.commits()[0]).toBe('archive(ralph): ..-my-feature — 1/2 stories completed');
    expect(existsSync(join(scene.work, `ralph-archive/${today()}-..-my-feature/logs/summary.csv`))).toBe(true);
    scene.write('work/ralph/prd.md', '# The next one\n');
    const second = await scene.stories('archive', '--label', '../my feature').exited;
    expect(second.stdout).toContain(`${today()}-..-my-feature-2`);
  });

  test('is named after the checked-out branch if the list has only the template’s branch', async () => {
    const scene = storiesScene([story('A', APPROVED)], { play: 'honest' });
    scene.write('work/ralph/tasks.json', JSON.stringify({ ...scene.tasks(), branchName: 'ralph/feature-name' }));
    scene.git('switch', '--quiet', '--create', 'team/order-filter');
    const { stdout } = await scene.stories('archive').exited;
    expect(stdout).toContain(`Archived 1/1 stories to ralph-archive/${today()}-team-order-filter `);
    expect(scene.commits()[0]).toBe('archive(ralph): team-order-filter — 1/1 stories completed');
  });

  test('includes what a loop has asked or told a person', async () => {
    const scene = storiesScene([story('A')], { play: 'echo "<promise>DECIDE:Redis or files?</promise>"' });
    await scene.loop();
    scene.write('work/ralph/blocked.txt', 'an older block');
    await scene.stories('archive').exited;
    const kept = readdirSync(join(scene.work, `ralph-archive/${today()}-ralph-p`));
    expect(kept).toEqual(expect.arrayContaining(['blocked.txt', 'decide.txt']));
    expect(readdirSync(join(scene.work, 'ralph'))).not.toContain('decide.txt');
    expect(scene.git('status', '--porcelain', 'ralph-archive')).toBe('');
  });

  test('does not commit what the user has staged', async () => {
    const scene = storiesScene([story('A')], { play: 'honest' });
    scene.write('work/other.txt', 'x');
    scene.git('add', 'other.txt');
    await scene.stories('archive').exited;
    expect(scene.git('status', '--porcelain', 'other.txt')).toBe('A  other.txt\n');
  });

  test('unchanged templates are not archived; a PRD with content is', async () => {
    const scene = bare();
    await scene.stories('init').exited;
    const untouched = await scene.stories('archive').exited;
    expect(untouched).toMatchObject({
      code: 1,
      stdout: '',
      stderr:
        'error: ralph/ still holds the templates\nhint: There is nothing to archive. Write ralph/prd.md and ralph/tasks.json first.\n',
    });
    expect(scene.has('ralph-archive')).toBe(false);
    scene.write('work/ralph/prd.md', '# Shop\n');
    expect((await scene.stories('archive').exited).stdout).toContain('Archived 0/1 stories');
  });

  test('without a list there is nothing to archive', async () => {
    const scene = bare();
    const { code, stderr } = await scene.stories('archive').exited;
    expect(stderr).toContain('error: ralph/tasks.json not found');
    expect(code).toBe(1);
  });
});

describe('status', () => {
  const LIST = [
    story('A', { ...APPROVED, reviewCount: 5, reviewFeedback: '[AUTO-APPROVED AT CAP] slow' }),
    story('B', SENT_BACK),
    story('C', { ...SUBMITTED, title: 'Pay\u001b[31m' }),
    story('D'),
  ];

  test('shows every story, what comes next and how much is left', async () => {
    const scene = storiesScene(LIST, { play: 'honest' });
    const { code, stdout } = await scene.stories('status').exited;
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        'Project: p',
        'STORY  STATE              REVIEWS  TITLE',
        'A      approved           5 (cap)  Title of A',
        'B      changes_requested  1        Title of B',
        'C      needs_review       0        Pay',
        'D      open               0        Title of D',
        '',
        'Stories: 1/4 complete',
        'Next: review-fix B; 3 stories × ~3 iterations each = ~9 iterations needed',
        'Verify: nothing, tasks.json has no verifyCommands',
        'Loop: none yet',
        '',
      ].join('\n'),
    );
  });

  test('--json has the stories and the ending of the loop', async () => {
    const scene = storiesScene([story('A')], { play: 'honest approve' });
    await scene.loop();
    const { stdout } = await scene.stories('status', '--json').exited;
    expect(JSON.parse(stdout)).toMatchObject({
      isComplete: true,
      stories: [{ id: 'A', state: 'approved', reviewCount: 1, isCapApproval: false }],
      loop: { state: 'ended', iteration: 2, ending: { kind: 'done' } },
    });
  });

  test('an invalid list is reported', async () => {
    const scene = storiesScene([story('A')], { play: 'honest' });
    scene.write('work/ralph/tasks.json', '{');
    const { code, stdout } = await scene.stories('status').exited;
    expect(stdout).toContain('Cannot read or parse ralph/tasks.json');
    expect(code).toBe(1);
  });
});

describe('the plugin’s scripts, from a copy of the plugin alone', () => {
  test('ralph-init.sh, ralph.sh and ralph-archive.sh work', async () => {
    const scene = bare('honest approve');
    const plugin = join(scene.folder, 'a plugin');
    cpSync(join(ROOT, 'plugin'), plugin, { recursive: true });
    rmSync(join(scene.folder, 'bin/ralph'));
    const script = (name: string, ...args: string[]) =>
      startProgram(['sh', join(plugin, 'scripts', name), ...args], { cwd: scene.work, env: scene.env }).exited;
    expect(await script('ralph-init.sh', '--name', 'x')).toMatchObject({ code: 0 });
    scene.write('work/ralph/tasks.json', JSON.stringify(tasksOf(story('A'))));
    const agent = join(scene.folder, 'bin/agent');
    const run = await script('ralph.sh', '--no-sandbox', '--agent', agent, '--max-iterations', '3');
    expect(run.stderr).toContain('[ralph] All stories verified complete via tasks.json (no promise tag).');
    expect(run.code).toBe(0);
    const limited = await script('ralph.sh', '--sandbox');
    expect(limited.stderr).toMatch(/^error: --sandbox specified but Docker Sandbox is not available\.\nhint: /);
    expect(limited.code).toBe(2);
    const enclosed = await script('ralph.sh', '--sandbox=os', '--agent', agent);
    expect(enclosed.stderr).toMatch(/^error: the operating system's sandbox needs the ralph command\nhint: Install it/);
    expect(enclosed.code).toBe(2);
    expect((await script('ralph-archive.sh', '--label', 'x')).stdout).toContain('Archived 1/1 stories');
    const help = await script('ralph.sh', '--help');
    for (const option of [
      '-n, --max-iterations',
      '--ralph-dir',
      '-d, --project-dir',
      '-m, --model',
      '--sandbox',
      '--no-sandbox',
      '--skip-review',
      '--review-cap',
      '-h, --help',
    ])
      expect(help.stdout).toContain(option);
    expect(help.code).toBe(0);
    expect((await script('ralph.sh', '--no-such-option')).code).toBe(2);
  });

  test('ralph.sh ends on a signal, and its loop can be resumed', async () => {
    const scene = storiesScene([story('A')], { play: 'at_gate; honest approve' });
    const plugin = join(scene.folder, 'a plugin');
    cpSync(join(ROOT, 'plugin'), plugin, { recursive: true });
    const flags = ['--no-sandbox', '--agent', join(scene.folder, 'bin/agent')];
    const options = { cwd: scene.work, env: scene.env };
    const loop = startProgram(['sh', join(plugin, 'scripts/ralph.sh'), ...flags], options);
    await scene.logged('at gate 1/work/1');
    loop.signal('SIGTERM');
    await loop.says('Received signal');
    scene.openGate();
    expect((await loop.exited).code).toBe(130);
    expect(scene.has('.ralph-active')).toBe(false);
    expect((await scene.stories('status').exited).stdout).toContain('Loop: interrupted');
  });

  test('the bundled program passes its own plugin to Claude Code', async () => {
    const scene = storiesScene([story('A')], {
      play: 'echo "$*" >"$SCENE/args"; honest >/dev/null; claude_says ok; claude_result ok',
      agent: 'claude',
    });
    const plugin = join(scene.folder, 'a plugin');
    cpSync(join(ROOT, 'plugin'), plugin, { recursive: true });
    const argv = ['sh', join(plugin, 'scripts/ralph.sh'), '-n', '1', '--no-sandbox'] as const;
    const { code } = await startProgram([...argv], { cwd: scene.work, env: scene.env }).exited;
    expect(code).toBe(1);
    expect(scene.read('args')).toContain(`--plugin-dir ${plugin} `);
  });
});
