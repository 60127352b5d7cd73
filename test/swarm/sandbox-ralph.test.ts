/** `swarm spawn --ralph --sandbox=os`: a loop in the operating system's sandbox, from its start to its end. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Recorded } from '../../src/core/record.ts';
import { parseJournal } from '../../src/state/journal.ts';
import { ON_DISK } from '../support/folder.ts';
import type { Exited } from '../support/programs/program.ts';
import { events, type RalphScene, ralphScene } from './ralph-scene.ts';

/** The scripted agent logs its starts outside of the work tree. */
function sandboxedScene(play: string, secondMs?: number): RalphScene & { readonly flags: readonly string[] } {
  const scene = ralphScene(play, secondMs, undefined, ON_DISK);
  writeFileSync(join(scene.folder, 'starts'), '');
  return {
    ...scene,
    flags: [
      '--sandbox=os',
      '--allow-write',
      join(scene.folder, 'starts'),
      '--max-iterations',
      '3',
      '--inactivity-timeout',
      '3000',
    ],
  };
}

function journal(scene: RalphScene): Recorded[] {
  const loops = '.local/state/ralph/loops';
  const [id = 'none'] = readdirSync(join(scene.folder, loops));
  return parseJournal(Buffer.from(scene.read(`${loops}/${id}/journal.jsonl`)), 'journal').records;
}

const outside = ({ folder }: RalphScene): string => join(folder, 'outside');

test('a loop runs to its done pattern inside; refusals are shown, logged and counted', async () => {
  const scene = sandboxedScene(`
    echo "$n" >>made; git add made; git commit -qm "Iteration $n"
    echo x >"$HOME/outside"
    find "$SWARM_HOME" "$HOME/.local/state/ralph" -type f | grep . && echo FOUND >>made
    if [ $n = 2 ]; then echo ALL DONE; fi`);
  const { code, stdout, stderr } = await scene.spawned(...scene.flags, '--done-pattern', 'ALL DONE');
  const refused = `refused to write ${outside(scene)} (to allow it: --allow-write ${scene.folder})`;
  expect(stdout.split('\n')).toEqual([
    expect.stringMatching(/^Isolation: operating system's sandbox \(\d+ writable paths, 0 hosts\)$/),
    'spawned agent (tmux: swarm:agent) [ralph mode: iteration 1/3]',
    expect.stringMatching(/^\[ralph\] agent: to attach: tmux /),
    `[ralph] agent: Sandbox: ${refused}`,
    expect.stringContaining('iteration 1 completed (exit: 0'),
    '[ralph] agent: starting iteration 2/3',
    `[ralph] agent: Sandbox: ${refused}`,
    '[ralph] agent: 2 refusals by the sandbox',
    '[ralph] agent: done pattern matched, stopping loop',
    '',
    expect.stringMatching(/^✓ Done in 2 iterations · /),
    '  The agent\'s output matched "ALL DONE". Nothing else was checked.',
    // Counted inside the sandbox.
    '  1 changed file is not committed.',
    '  git status   what is not committed',
    '',
  ]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(scene.git('log', '--format=%s')).toBe('Iteration 2\nIteration 1\nbegin\n');
  expect(scene.read('work/made')).toBe('1\n2\n');
  expect(existsSync(outside(scene))).toBe(false);
  expect(events(scene.read('home/ralph/agent/iterations.log'))).toContain(`[REFUSED] iteration 1: ${refused}`);
  expect((await scene.swarm('ralph', 'status', 'agent')).stdout).toContain('Sandbox: os, refusals: 2\n');
  expect((await scene.swarm('status', 'agent')).stdout).toContain('sandbox os, refusals 2');
  const ran = journal(scene).flatMap(({ result }) => (result.kind === 'ran' ? [result.refusals] : []));
  expect(ran).toEqual([1, 1]);
});

test('the prompt arrives by stdin, as an argument and through the pane, whatever the sandbox hides', async () => {
  const scene = sandboxedScene(`if [ $# = 0 ]; then read -r line; else line=$(echo "$1"); fi; echo "$line" >>heard`);
  for (const via of ['stdin', 'arg', 'paste']) {
    const ended: Exited = await scene.spawned(...scene.flags, '--max-iterations', '1', '--prompt-via', via);
    expect(ended.code).toBe(0);
  }
  expect(scene.read('work/heard')).toBe('Do the task.\nDo the task.\nDo the task.\n');
});

test('a loop whose supervisor was killed is adopted, and continues in its sandbox', async () => {
  const scene = sandboxedScene(`echo x >"$HOME/outside"; echo "$n" >>made; [ $n = 2 ] || gate go; mktemp >temp`);
  const first = scene.spawn(scene.flags);
  await scene.started(1);
  first.signal('SIGKILL');
  await first.exited;
  const temp = (): string => scene.read('work/temp').replace(/\/[^/]*\n$/, '');
  await scene.swarm('ralph', 'resume', 'agent');
  scene.open('go');
  await scene.until(() => scene.state().status === 'stopped');
  expect(scene.starts()).toHaveLength(3);
  expect(existsSync(outside(scene))).toBe(false);
  expect(scene.state()).toMatchObject({ sandbox: 'os', sandbox_refusals: 3 });
  await scene.until(() => !existsSync(temp()));
});

test('a killed loop leaves nothing of its sandbox, even if its supervisor was gone', async () => {
  const scene = sandboxedScene(`(env -i setsid sleep 1000 &); mktemp >temp; gate never`);
  const first = scene.spawn(scene.flags);
  await scene.until(() => existsSync(join(scene.work, 'temp')) && scene.read('work/temp') !== '');
  first.signal('SIGKILL');
  await first.exited;
  const temp = join(scene.read('work/temp').trim(), '..');
  expect(existsSync(temp)).toBe(true);
  expect((await scene.swarm('kill', 'agent')).code).toBe(0);
  // The scene fails a test that leaves something running.
  expect(existsSync(temp)).toBe(false);
});

test('a dry run of a loop shows it with its policy, and creates nothing', async () => {
  const scene = sandboxedScene(':');
  mkdirSync(join(scene.work, 'tests'));
  const { code, stdout } = await scene.spawned(...scene.flags, '--deny-write', 'tests', '--dry-run');
  expect(stdout).toContain(`Loop: up to 3 iterations; ${scene.work}/PROMPT.md is passed by paste\n`);
  expect(stdout).toContain(`may be read only, within that:\n    ${scene.work}/.ralph\n    ${scene.work}/.git/hooks\n`);
  expect(stdout).toContain(`    ${scene.work}/tests\n`);
  expect(stdout).toContain(`    ${scene.home}\n`);
  expect(code).toBe(0);
  expect(existsSync(scene.home)).toBe(false);
});
