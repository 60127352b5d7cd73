/** `ralph stories` in the OS sandbox: whichever process drives the loop, nothing that an agent left runs outside. */
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { ON_DISK } from '../support/folder.ts';
import { helpersOf, LOST, onlyHelper, visit } from '../support/sandbox/helper.ts';
import { attackIn, attackOn, listen, listenAt, NO_WAY_OUT } from '../support/sandbox/sandbox.ts';
import { makeScene, ROOT } from '../support/scene.ts';
import { SUBMITTED, story } from '../support/stories/stories.ts';
import { PLAY, PRD, type StoriesScene, type StoriesSceneOptions, withStories } from './scene.ts';

const ONE = [story('A')];

/** The loop gets no sandbox options except for what the scripted agent writes outside of the work tree. */
function scene(stories = ONE, options: StoriesSceneOptions): StoriesScene {
  const made = makeScene({ place: ON_DISK, ...options, play: `${PLAY}${options.play}` });
  const own = ['starts.log', 'prompts'].flatMap((name) => ['--allow-write', join(made.folder, name)]);
  // Ignored by git, so that what a reviewer writes there is no change of code.
  mkdirSync(join(made.work, 'notes'));
  writeFileSync(join(made.work, '.git/info/exclude'), 'notes/\n');
  const agent = join(made.folder, 'bin', options.agent ?? 'agent');
  // What the agents write for these tests is no change of code, either: a review that changes code approves nothing.
  made.write('work/.git/info/exclude', 'marker-*\nenvironment-*\nrefused.txt\nstate.txt\nseen-*\n');
  return withStories(made, stories, ['--agent', agent, '--failure-backoff', '10ms', ...own], options);
}

describe('a loop without sandbox flags runs in the sandbox', () => {
  test('and so does its proof: the checks in the clean checkout are confined, too', async () => {
    const verifyCommands = ['case $PWD in */proofs/*) if echo x >"$SCENE/outside"; then exit 1; fi; echo held;; esac'];
    const here = scene(ONE, { play: 'honest approve', verifyCommands });
    const { code, stderr } = await here.loop('--prove');
    expect(code).toBe(0);
    expect(stderr).toMatch(/ · proved at [0-9a-f]{7}$/m);
    expect(existsSync(join(here.folder, 'outside'))).toBe(false);
  });

  test('from the first implementation to the approval; what is refused is shown and counted', async () => {
    const here = scene(ONE, {
      play: `
        cp .ralph-active "notes/marker-$n"
        env >"notes/environment-$n"
        echo x >"$SCENE/outside" || echo "$RALPH_KEY could not" >>notes/refused.txt
        ls -A "$XDG_STATE_HOME/ralph" >>notes/state.txt
        [ $n = 2 ] && honest reject || honest approve`,
      verifyCommands: ['if echo x >"$SCENE/outside"; then exit 1; fi'],
    });
    const { code, stderr } = await here.loop();
    expect(stderr).toMatch(
      /^\[ralph\] Docker Sandbox not available — using the operating system's sandbox \(\d+ writable paths, 0 hosts\)\n/,
    );
    expect(stderr).not.toContain('WARNING');
    expect(stderr).toContain(`[ralph] Sandbox: refused to write ${here.folder}/outside (to allow it: --allow-write`);
    // Four from the agents, two from the loop's own runs of verifyCommands: for the approval and before the end.
    expect(stderr).toContain('[ralph] Usage: 4 runs, 6 refusals by the sandbox');
    expect(stderr).toContain('[ralph] All stories verified complete via tasks.json (no promise tag).');
    expect(code).toBe(0);
    expect(here.story('A')).toMatchObject({ passes: true, reviewStatus: 'approved', reviewCount: 2 });
    expect(here.starts().filter((line) => line.startsWith('agent'))).toHaveLength(4);
    expect(here.read('work/notes/refused.txt').trim().split('\n')).toHaveLength(4);
    expect(existsSync(join(here.folder, 'outside'))).toBe(false);
    // The journal and the copies are hidden: the agent sees another folder, which is empty.
    expect(here.read('work/notes/state.txt')).toBe('');
    expect(JSON.parse(here.read('work/notes/marker-3'))).toMatchObject({
      mode: 'sandbox',
      iterationMode: 'review-fix',
    });
    expect(here.has('.ralph-active')).toBe(false);
    const environment = here.read('work/notes/environment-1').split('\n');
    // The guard stays on as a second safeguard.
    expect(environment).toContain('RALPH_GUARD=on');
    expect(environment).toContain('IS_SANDBOX=1');
  });

  test('a killed network helper is reported: its iteration has no network, the next one has it again', async () => {
    const server = await listen();
    const wait = 'touch notes/up; until [ -e notes/down ]; do sleep 0.05; done';
    const first = `${visit(server.port, 'before')}; ${wait}; ${visit(server.port, 'after')}`;
    const play = `if [ $n = 1 ]; then ${first}; else ${visit(server.port, 'again')}; fi >>notes/visits; honest approve`;
    const here = scene(ONE, { play });
    const looping = here.loop('-n', '2', '--allow-host', `localhost:${server.port}`);
    await vi.waitUntil(() => here.has('notes/up'), { timeout: 60_000 });
    process.kill(onlyHelper(here), 'SIGKILL');
    await vi.waitUntil(() => helpersOf(here).length === 0);
    here.write('work/notes/down', '');
    const { stderr } = await looping;
    expect(here.read('work/notes/visits')).toMatch(
      /^before welcome closed *\nafter closed *\nagain welcome closed *\n/,
    );
    expect(stderr.split('\n').filter((line) => line.includes('helper'))).toEqual([`[ralph] ${LOST}`]);
  });

  test('and reaches nothing through the sandbox itself', async () => {
    const here = scene(ONE, { play: `${attackOn('"$SCENE/host.sock"')} >notes/attack; honest` });
    const host = await listenAt(join(here.folder, 'host.sock'));
    await here.loop('-n', '1');
    expect(attackIn(here.read('work/notes/attack'))).toEqual(NO_WAY_OUT);
    expect(host.visitors()).toBe(0);
  });

  test('forbidden changes are undone and committed, and the agent cannot read the copy that is kept of them', async () => {
    const here = scene(ONE, {
      play: `case $n in
        1) edit "approve('A')"; echo mine >ralph/prd.md; commit sneaky; echo done ;;
        *) cat "$XDG_STATE_HOME"/ralph/loops/*/put-back/* >kept.txt 2>&1; honest ;;
        esac`,
    });
    const { stderr } = await here.loop('-n', '2');
    expect(stderr).toContain('[ralph] TAMPERED: prd.md was changed');
    expect(stderr).toMatch(/\[ralph\] The agent's version is kept in .*tasks\.json/);
    expect(here.commits().slice(1, 3)).toEqual([
      'chore(ralph): restore the story list — the iteration made changes that it may not make',
      'sneaky',
    ]);
    expect(here.read('work/ralph/prd.md')).toBe(PRD);
    expect(here.read('work/kept.txt')).toContain('No such file');
    expect(here.story('A').reviewStatus).toBe('needs_review');
  });

  test('a program that the agent makes git call runs inside, even when the loop itself asks git', async () => {
    const play = `
      git init -q; git config core.fsmonitor "$PWD/spy"
      printf '#!/bin/sh\\ntouch "%s/ran"; touch "%s/escaped"\\n' "$PWD" "$SCENE" >spy; chmod +x spy
      edit "approve('A')"; commit sneaky; rm -f ran; echo done`;
    const here = scene(ONE, { play });
    rmSync(join(here.work, '.git'), { recursive: true });
    const { stderr } = await here.loop('-n', '1');
    expect(stderr).toContain('[ralph] TAMPERED');
    // It was called after the agent had gone.
    expect(here.has('ran')).toBe(true);
    expect(existsSync(join(here.folder, 'escaped'))).toBe(false);
  });
});

describe('Claude Code in the sandbox', () => {
  const TELLS = `env >environment; printf '%s\\n' "$@" >arguments; honest approve >/dev/null; claude_says ok; claude_result ok`;

  test('runs as root, too, and cannot write to the plugin that supervises it, wherever that is', async () => {
    const play = `echo 'exit 0' >"$PWD/rails/hooks/stop.sh"; echo x >rails/new; ${TELLS}`;
    const here = scene(ONE, { play, agent: 'claude', env: { IS_SANDBOX: '' } });
    cpSync(join(ROOT, 'plugin'), join(here.work, 'rails'), { recursive: true });
    here.env.RALPH_PLUGIN_DIR = join(here.work, 'rails');
    const { stderr } = await here.loop('-n', '1', '--sandbox=os');
    expect(stderr).toMatch(/^\[ralph\] Using the operating system's sandbox \(/);
    expect(stderr).toContain(`[ralph] Sandbox: refused to write ${here.work}/rails/hooks/stop.sh`);
    expect(here.read('work/arguments')).toContain(`--plugin-dir\n${here.work}/rails\n`);
    expect(here.read('work/rails/hooks/stop.sh')).not.toBe('exit 0\n');
    expect(here.has('rails/new')).toBe(false);
    expect(here.story('A').reviewStatus).toBe('needs_review');
  });

  test('is not started if the plugin is hidden from it', async () => {
    const here = scene(ONE, { play: TELLS, agent: 'claude' });
    const { code, stderr } = await here.loop('--sandbox=os', '--deny-read', join(ROOT, 'plugin'));
    expect(stderr).toContain('error: the ralph plugin cannot be read in the sandbox');
    expect(code).toBe(2);
    expect(here.loops()).toEqual([]);
    expect(here.starts()).toEqual([]);
  });
});

describe('the choice of a sandbox', () => {
  test('is kept when the loop is resumed, whatever the settings say by then', async () => {
    const here = scene(ONE, {
      play: `cat ~/hidden.txt >"notes/seen-$n-\${RALPH_KEY##*/}" 2>&1; [ -e "notes/seen-1-2" ] || at_gate; honest approve`,
      settings: { sandbox: { kind: 'os', denyRead: ['~/hidden.txt'] } },
    });
    here.write('hidden.txt', 'a secret\n');
    const agent = ['--agent', join(here.folder, 'bin/agent')];
    const own = ['starts.log', 'prompts'].flatMap((name) => ['--allow-write', join(here.folder, name)]);
    const loop = here.stories('run', ...agent, ...own, '--failure-backoff', '10ms');
    await here.logged('at gate 1/work/1');
    loop.signal('SIGKILL');
    await loop.exited;
    here.write('work/.ralph/settings.json', JSON.stringify({ sandbox: { kind: 'none' } }));
    const { code, stderr } = await here.stories('resume').exited;
    expect(stderr).toMatch(/^\[ralph\] (.* was left by .*\n\[ralph\] )?Using the operating system's sandbox \(/);
    expect(code).toBe(0);
    for (const name of ['seen-1-1', 'seen-1-2']) expect(here.read(`work/notes/${name}`)).not.toContain('a secret');
  });

  test('can be none, in the settings', async () => {
    const here = scene(ONE, { play: 'honest', settings: { sandbox: { kind: 'none' } } });
    const { stderr } = await here.stories('run', '-n', '1', '--agent', join(here.folder, 'bin/agent')).exited;
    expect(stderr).toMatch(/^\[ralph\] WARNING: Running .* without sandbox isolation and without the guard/);
  });

  test('is shown by --dry-run: the iteration, its command line, and a policy for both agents', async () => {
    const here = scene([story('A', SUBMITTED)], { play: 'honest', agent: 'claude' });
    const { code, stdout } = await here.loop(
      '--dry-run',
      '--sandbox=os',
      '--review-agent',
      'codex',
      '--deny-read',
      'x.txt',
    );
    expect(code).toBe(0);
    expect(stdout).toContain('First iteration: review A (Title of A)\n');
    expect(stdout).toMatch(/^ {2}codex e .*--dangerously-bypass-approvals-and-sandbox/m);
    expect(stdout).toContain("Sandbox (the operating system's):\n  may be written:\n");
    for (const path of ['.claude', '.codex', 'work']) expect(stdout).toContain(`    ${here.folder}/${path}\n`);
    expect(stdout).toContain(`    ${join(ROOT, 'plugin')}\n`);
    for (const host of ['*.anthropic.com', 'api.openai.com']) expect(stdout).toContain(`    ${host}\n`);
    expect(stdout).toContain('Dry run: nothing was started.\n');
    expect(here.loops()).toEqual([]);
    expect(here.has('.ralph-active')).toBe(false);
    expect(here.has('ralph/logs')).toBe(false);
  });

  test('covers a --ralph-dir in another folder', async () => {
    const here = scene(ONE, { play: 'STORIES="$SCENE/papers/tasks.json"; export STORIES; honest' });
    await here.shell('mv ralph ../papers');
    const { stderr } = await here.loop('-n', '1', '--ralph-dir', join(here.folder, 'papers'));
    expect(stderr).toContain('Story A: submitted for review');
  });
});
