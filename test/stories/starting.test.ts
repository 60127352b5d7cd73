/** What a loop starts its agents with, and what it refuses to start. */
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TasksFile } from '../../src/loops/stories/list/tasks.ts';
import { ROOT } from '../support/scene.ts';
import { SUBMITTED, story } from '../support/stories/stories.ts';
import { storiesScene } from './scene.ts';

const ONE = [story('A')];
const PLUGIN = join(ROOT, 'plugin');
/** Prints what Claude Code would, and records how it was called. */
const TELLS = `env >"$SCENE/env"; printf '%s\\n' "$@" >"$SCENE/args"; honest approve >/dev/null; claude_says ok; claude_result ok`;

describe('Claude Code', () => {
  test('is started with the plugin, without questions, and with the guard on', async () => {
    const scene = storiesScene(ONE, { play: TELLS, agent: 'claude' });
    const { stderr } = await scene.loop('-n', '1', '-m', 'opus');
    expect(stderr).toContain('[ralph] WARNING: Running with --dangerously-skip-permissions without sandbox isolation');
    const args = scene.read('args').split('\n');
    expect(args).toContain('--dangerously-skip-permissions');
    expect(args[args.indexOf('--plugin-dir') + 1]).toBe(PLUGIN);
    expect(args[args.indexOf('--model') + 1]).toBe('opus');
    const env = scene.read('env').split('\n');
    expect(env).toContain('RALPH_GUARD=on');
    expect(env).toContain(`RALPH_NODE=${process.execPath}`);
    expect(env).toContain('CLAUDE_CODE_STOP_HOOK_BLOCK_CAP=30');
    expect(scene.story('A').reviewStatus).toBe('needs_review');
  });

  test('is not the only agent that a loop can have: one that runs without the guard is named', async () => {
    const scene = storiesScene(ONE, { play: TELLS, agent: 'claude' });
    symlinkSync(join(ROOT, 'test/fakes/play-agent.sh'), join(scene.folder, 'bin/codex'));
    const { stderr } = await scene.loop('-n', '1', '--review-agent', 'codex');
    expect(stderr).toContain(
      '[ralph] WARNING: Running with --dangerously-skip-permissions without sandbox isolation\n',
    );
    expect(stderr).toContain('[ralph] WARNING: Running codex without sandbox isolation and without the guard');
    expect(stderr).not.toContain('claude without');
  });

  test('as root, without IS_SANDBOX, is refused before anything is started; any other user can start it', async () => {
    const scene = storiesScene(ONE, { play: TELLS, agent: 'claude', env: { IS_SANDBOX: '' } });
    const { code, stderr } = await scene.loop('-n', '1');
    const isRefused = process.getuid?.() === 0;
    const refusal = 'error: Claude Code refuses --dangerously-skip-permissions when run as root\nhint: ';
    expect(stderr.includes(refusal)).toBe(isRefused);
    expect(code === 2).toBe(isRefused);
    expect([scene.starts().length > 0, scene.loops().length > 0]).toEqual([!isRefused, !isRefused]);
  });

  test('without the plugin is refused: nothing runs directly without its guard', async () => {
    const scene = storiesScene(ONE, { play: TELLS, agent: 'claude', env: { RALPH_PLUGIN_DIR: '/nowhere' } });
    const { code, stderr } = await scene.loop();
    expect(stderr).toContain(
      'error: the ralph plugin was not found, and without its guard, agents run only in a sandbox',
    );
    expect(code).toBe(2);
    expect(scene.starts()).toEqual([]);
  });

  test('that made tool calls and says nothing has not given an empty reply', async () => {
    const play = `honest approve >/dev/null; echo '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"1","name":"Bash","input":{"command":"ls"}}]}}'; claude_result ""`;
    const scene = storiesScene(ONE, { play, agent: 'claude' });
    const { stderr } = await scene.loop('-n', '1');
    expect(stderr).not.toContain('Empty response');
    expect(scene.story('A').reviewStatus).toBe('needs_review');
  });
});

describe('reviews', () => {
  test('can be made by another agent with another model', async () => {
    const scene = storiesScene(ONE, { play: 'echo "$0 $* $n" >>"$SCENE/calls"; honest approve' });
    symlinkSync(join(ROOT, 'test/fakes/play-agent.sh'), join(scene.folder, 'bin/reviewer'));
    const reviewer = join(scene.folder, 'bin/reviewer');
    const { code } = await scene.loop('-m', 'small', '--review-agent', reviewer, '--review-model', 'large');
    expect(code).toBe(0);
    const calls = scene
      .read('calls')
      .split('\n')
      .filter((line) => line.startsWith('/'));
    expect(calls[0]).toMatch(/bin\/agent --model small /);
    expect(calls[1]).toMatch(/bin\/reviewer --model large /);
  });

  test('by another agent do not get the author’s model', async () => {
    const scene = storiesScene([story('A', SUBMITTED)], { play: 'echo "$*" >"$SCENE/args"; honest approve' });
    symlinkSync(join(ROOT, 'test/fakes/play-agent.sh'), join(scene.folder, 'bin/reviewer'));
    await scene.loop('-m', 'small', '--review-agent', join(scene.folder, 'bin/reviewer'));
    expect(scene.read('args')).not.toContain('--model');
  });

  test('can be made by the same agent with another model', async () => {
    const scene = storiesScene([story('A', SUBMITTED)], { play: 'echo "$*" >"$SCENE/args"; honest approve' });
    await scene.loop('-m', 'small', '--review-model', 'large');
    expect(scene.read('args')).toContain('--model large');
  });
});

describe('on a machine without any sandbox', () => {
  /** Both programs exist, and neither works. */
  const without = () => {
    const scene = storiesScene(ONE, { play: 'cp .ralph-active "$SCENE/marker"; honest' });
    for (const name of ['docker', 'bwrap']) {
      const says = name === 'docker' ? "docker: 'sandbox' is not a docker command" : 'No permissions';
      writeFileSync(join(scene.folder, 'bin', name), `#!/bin/sh\necho "${says}" >&2\nexit 1\n`, { mode: 0o755 });
    }
    const run = (...flags: string[]) =>
      scene.stories('run', '--agent', join(scene.folder, 'bin/agent'), '-n', '1', ...flags).exited;
    return { scene, run };
  };

  test.each([[[]], [['--sandbox=auto']]])('the loop says so and runs directly: %j', async (flags) => {
    const { scene, run } = without();
    const { stderr } = await run(...flags);
    expect(stderr).toMatch(
      /^\[ralph\] Docker Sandbox not available — using direct mode\n\[ralph\] No other sandbox either: .*No permissions.*\n\[ralph\] WARNING: Running .*bin\/agent without sandbox isolation and without the guard, which only Claude Code has\n/,
    );
    expect(scene.story('A').reviewStatus).toBe('needs_review');
    expect(scene.read('marker')).toContain('"mode": "direct"');
  });

  test('--no-sandbox mentions no sandbox, but warns', async () => {
    const { run } = without();
    const { stderr } = await run('--no-sandbox');
    expect(stderr).toMatch(
      /^\[ralph\] WARNING: Running .*bin\/agent without sandbox isolation and without the guard, which only Claude Code has\n/,
    );
    expect(stderr).not.toContain('Docker');
  });

  test('--sandbox is refused with the reason', async () => {
    const { scene, run } = without();
    const { code, stderr } = await run('--sandbox', '--agent', 'claude');
    expect(stderr).toMatch(
      /^error: --sandbox specified but Docker Sandbox is not available\.\nhint: .*not a docker command/,
    );
    expect(code).toBe(2);
    expect(scene.loops()).toEqual([]);
  });

  test('--sandbox=os is refused, too', async () => {
    const { scene, run } = without();
    const { code, stderr } = await run('--sandbox=os');
    expect(stderr).toMatch(/^error: the operating system's sandbox cannot be used: .*No permissions/);
    expect(code).toBe(2);
    expect(scene.loops()).toEqual([]);
  });

  test('the missing sandbox is reported together with every other problem', async () => {
    const { scene, run } = without();
    const { code, stderr } = await run('--sandbox=os', '--agent', 'no-such-agent', '--review-agent', 'nor-this');
    expect(stderr.match(/^error: .*|^✗ .*?(?=: |$)/gm)).toEqual([
      'error: 3 problems keep the loop from starting:',
      "✗ the operating system's sandbox cannot be used",
      '✗ agent command not found',
      '✗ agent command not found',
    ]);
    expect(code).toBe(2);
    expect(scene.loops()).toEqual([]);
  });

  test('options that need a sandbox are not ignored: the loop does not begin', async () => {
    const { scene, run } = without();
    const { code, stderr } = await run('--deny-read', 'secret');
    expect(stderr).toMatch(/^error: "secret" needs a sandbox, and there is none\nhint: .*No permissions/);
    expect(code).toBe(2);
    expect(scene.loops()).toEqual([]);
  });
});

test('a dry run names a story without a title by its id alone', async () => {
  const scene = storiesScene([story('A', { title: ' ' })], { play: 'honest' });
  expect((await scene.loop('--dry-run')).stdout).toContain('First iteration: implement A\n');
});

describe('is refused, with a message and before any agent is started:', () => {
  test.each([
    [
      'a project without a list',
      'rm ralph/tasks.json',
      'error: ralph/tasks.json not found\nhint: Prepare the project first: ralph stories init',
    ],
    ['a project without a prompt', 'rm ralph/prompt.md', 'error: ralph/prompt.md not found'],
    [
      'a list that is no JSON',
      'echo "{" >ralph/tasks.json',
      'error: ralph/tasks.json:1:2: expected "}" to close the "{" of line 1\n  1 | {\n    |  ^\nhint: Fix ralph/tasks.json.\n',
    ],
    [
      'a list that is none',
      'echo "{}" >ralph/tasks.json',
      "error: ralph/tasks.json is not a task list: tasks.json missing required top-level field: 'project' (and 3 more)",
    ],
  ])('%s', async (_title, breaking, says) => {
    const scene = storiesScene(ONE, { play: 'honest' });
    await scene.shell(breaking);
    const { code, stderr } = await scene.loop();
    expect(stderr).toContain(says);
    expect(code).toBe(2);
    expect(scene.starts()).toEqual([]);
  });

  test('a list that is not planned yet, with how to have it planned', async () => {
    const scene = storiesScene(ONE, { play: 'honest' });
    await scene.stories('init', '--force', '--name', 'checkout').exited;
    for (const flags of [[], ['--dry-run']]) {
      const { code, stderr } = await scene.loop(...flags);
      expect(stderr).toBe(
        `error: ralph/tasks.json is still the template: no story is planned in it yet\nhint: Fill it in by hand, or plan it with: claude --plugin-dir ${PLUGIN} "/ralph:ralph-plan"\n`,
      );
      expect(code).toBe(2);
    }
  });

  test('not a dirty work tree or a PRD that is still the template, which are only reported', async () => {
    const scene = storiesScene(ONE, { play: 'honest approve' });
    const clean = await scene.loop('-n', '1');
    expect(clean.stderr).not.toMatch(/not committed|still the template/);
    scene.write('work/ralph/prd.md', readFileSync(join(PLUGIN, 'templates/prd-template.md'), 'utf8'));
    scene.write('work/notes.txt', 'x');
    const { stderr, code } = await scene.loop('-n', '1');
    expect(stderr).toContain(
      '[ralph] WARNING: 2 changed files not committed: the first commit of an agent will hold them, too\n',
    );
    expect(stderr).toContain('[ralph] WARNING: ralph/prd.md is still the template: it tells the agents nothing\n');
    expect(code).toBe(0);
  });

  test('a story without criteria, with what is wrong with it', async () => {
    const scene = storiesScene([story('A', { acceptanceCriteria: [] })], { play: 'honest' });
    const { stderr } = await scene.loop();
    expect(stderr).toContain("error: ralph/tasks.json is not a task list: Story A: 'acceptanceCriteria' must not");
  });

  test.each([
    ['-n', '0'],
    ['--max-iterations', '-1'],
    ['--review-cap', '0'],
    ['-n', 'many'],
  ])('%s %s', async (...flags) => {
    const scene = storiesScene(ONE, { play: 'honest' });
    expect((await scene.loop(...flags)).code).toBe(2);
  });

  test('an agent that is not installed', async () => {
    const scene = storiesScene(ONE, { play: 'honest' });
    const { code, stderr } = await scene.stories('run', '--no-sandbox', '--agent', 'no-such-agent').exited;
    expect(stderr).toBe(
      'error: agent command not found: no-such-agent\nhint: Install it, or name another with --agent.\n',
    );
    expect(scene.loops()).toEqual([]);
    expect(code).toBe(2);
  });

  test('not a missing command in verifyCommands, which is a warning right above the first iteration', async () => {
    const scene = storiesScene(ONE, { play: 'honest', verifyCommands: ['no-such-check --all'] });
    const { stderr } = await scene.loop('-n', '1');
    expect(stderr).toMatch(
      /\n\[ralph\] Before the first iteration:\n\[ralph\] ! no-such-check --all: no-such-check was not found\n.*\n\n\[ralph\] /,
    );
  });

  test('a project folder that does not exist', async () => {
    const scene = storiesScene(ONE, { play: 'honest' });
    const { code, stderr } = await scene.loop('-d', '/no/such/folder');
    expect(stderr).toContain('error: cannot work in /no/such/folder: no such file or directory');
    expect(code).toBe(2);
  });
});

test('--project-dir and --ralph-dir say where the loop works', async () => {
  const scene = storiesScene(ONE, { play: 'sed -i "s/\\"story/&/" .ralph-active; edit "honest()"; commit x; echo ok' });
  mkdirSync(join(scene.folder, 'elsewhere'));
  const agent = join(scene.folder, 'bin/agent');
  const args = [
    'stories',
    'run',
    '-d',
    '../work',
    '--ralph-dir',
    './ralph',
    '--agent',
    agent,
    '-n',
    '1',
    '--no-sandbox',
  ];
  const { code } = await scene.ralph(args, join(scene.folder, 'elsewhere')).exited;
  expect(code).toBe(1);
  expect(scene.story('A').reviewStatus).toBe('needs_review');
});

test('a loop works outside of git, too', async () => {
  const scene = storiesScene(ONE, {
    play: '[ $n = 3 ] && { edit "honest(\'approve\')"; echo ok; exit; }; [ $n = 1 ] && { edit "approve(\'A\')"; echo ok; exit; }; edit "honest()"; echo ok',
  });
  rmSync(join(scene.work, '.git'), { recursive: true });
  const { code, stderr } = await scene.loop();
  expect(stderr).toContain('TAMPERED');
  expect(stderr).not.toContain('could not be committed');
  expect(code).toBe(0);
});

describe('--ralph-dir', () => {
  test.each([
    ['outside of the project', '../plan'],
    ['given as an absolute path', '$SCENE/plan'],
  ])(
    '%s contains the list: a forged one is restored, and a fix that changes no code does not count',
    async (_title, given) => {
      const play = `case $n in
1) node "$EDIT" "approve('A')"; echo sneaky ;;
2) node "$EDIT" "honest()"; git add -A; git commit -qm work; echo did ;;
3) node "$EDIT" "reject('A')"; echo no ;;
4) node "$EDIT" "fix('A')"; echo nothing ;;
*) node "$EDIT" "honest()"; git add -A; git commit -qm work; echo did ;;
esac`;
      const edit = join(ROOT, 'test/fakes/story-edit.cjs');
      const scene = storiesScene([story('A')], { play, env: { EDIT: edit, STORIES: '../plan/tasks.json' } });
      scene.git('rm', '-r', '--quiet', '--cached', 'ralph');
      scene.git('commit', '--quiet', '--message=elsewhere');
      renameSync(join(scene.work, 'ralph'), join(scene.folder, 'plan'));
      const { code, stderr } = await scene.loop('--ralph-dir', given.replace('$SCENE', scene.folder));
      expect(stderr).toContain('TAMPERED: Transition validation failed');
      expect(stderr).toContain('The review-fix iteration changed no code');
      expect(stderr).not.toContain('could not be committed');
      expect(code).toBe(0);
      const list = JSON.parse(scene.read('plan/tasks.json')) as TasksFile;
      expect(list.userStories[0]).toMatchObject({ passes: true, reviewCount: 2 });
      expect(scene.has('ralph')).toBe(false);
      expect(scene.starts()).toHaveLength(6);
    },
  );
});
