/** The real, interactive Claude Code in a window inside the operating system's sandbox: as a worker, and in a loop. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { Turn } from '../../../src/rehearsal/script/script.ts';
import { type AgentScene, agentScene, installAgents } from '../scene.ts';

const CLAUDE = ['claude', '--dangerously-skip-permissions'];

/** With a limit, because a failed test must not leave a worker running. */
const UNTIL_ANSWERED = `timeout 60 sh -c 'until swarm peek agent -n 50 | grep "The answer is there"; do sleep 0.1; done'`;

let program: string;
let scene: AgentScene;

beforeAll(() => {
  [program = ''] = installAgents('claude');
}, 600_000);

afterEach(() => scene.remove());

/** Runs a shell line, with the scripted model behind the agent. */
function rehearse(turns: readonly Turn[], line: string) {
  const script = join(scene.folder, 'turns.json');
  writeFileSync(script, JSON.stringify({ turns }));
  return scene.ralphRehearse(['--script', script, '--', 'sh', '-c', line]);
}

test('it takes typed input, works and edits; its shell cannot get out of the sandbox', async () => {
  scene = agentScene([program], { 'answer.txt': 'none\n' });
  mkdirSync(join(scene.home, '.ssh'));
  writeFileSync(join(scene.home, '.ssh/id'), 'a key\n');
  const attack = `echo x > ${scene.folder}/outside; cat ~/.ssh/id > stolen.txt; ls -A ~/.swarm > seen.txt`;
  const { code, stdout, stderr } = await rehearse(
    [
      {
        match: 'Write the answer',
        say: 'I write it.',
        run: 'echo right > answer.txt && git commit -aqm "By the agent"',
      },
      { say: 'And now more.', run: `${attack}; echo tried >> answer.txt` },
      { say: 'The answer is there.' },
    ],
    `swarm spawn --name agent --tmux --sandbox=os --ready-wait -- ${CLAUDE.join(' ')} &&
     swarm send agent "Write the answer." &&
     ${UNTIL_ANSWERED}
     swarm status agent; swarm kill agent`,
  );
  expect(stdout).toContain("Isolation: operating system's sandbox");
  expect(stdout).toContain('spawned agent (tmux: swarm:agent)\nsent to agent\n');
  expect(stdout).toMatch(/^agent: running \(tmux window swarm:agent, sandbox os, refusals [1-9]/m);
  expect(stdout).toContain(`Sandbox: refused to write ${scene.folder}/outside`);
  expect(stderr).toContain('3 turns played, 0 left');
  expect(stderr).not.toContain('warning');
  expect(code).toBe(0);
  expect(scene.read('answer.txt')).toBe('right\ntried\n');
  expect(scene.git('log', '--format=%s')).toBe('By the agent\nbegin\n');
  expect([scene.read('stolen.txt'), scene.read('seen.txt')]).toEqual(['', '']);
  expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
  expect(scene.processes()).toEqual([]);
});

test('it keeps its state in the home folder, and nothing that it needs is refused', async () => {
  scene = agentScene([program], { 'answer.txt': 'none\n' });
  // A rehearsal, but with the agent's folder at its default path, and after a first start that asked what it asks once.
  const moved = `cp -r "$CLAUDE_CONFIG_DIR" ~/.claude && cp ~/.claude/.claude.json ~ && mkdir -p ~/.local/share
    unset CLAUDE_CONFIG_DIR XDG_DATA_HOME`;
  const { stdout, stderr } = await rehearse(
    [{ match: 'Write the answer', run: 'echo right > answer.txt' }, { say: 'The answer is there.' }],
    `${moved}
     IS_SANDBOX=1 swarm spawn --name agent --tmux --ready-wait -- ${CLAUDE.join(' ')} && swarm kill agent
     swarm spawn --name agent --tmux --sandbox=os --ready-wait -- ${CLAUDE.join(' ')}
     swarm send agent "Write the answer."
     ${UNTIL_ANSWERED}
     swarm status agent; swarm kill agent`,
  );
  expect(stdout).not.toContain('Sandbox: refused');
  expect(stdout).toContain('sandbox os, refusals 0');
  expect(stderr).not.toContain('warning');
  expect(scene.read('answer.txt')).toBe('right\n');
});

test('it goes through a loop: it gets its prompt, is started again, and ends the loop with its own words', async () => {
  scene = agentScene([program], { 'PROMPT.md': 'Study the plan.\nThen pick a task and say which.\n' });
  const turns = ['one', 'two'].flatMap((part, index) => [
    {
      match: 'Study the plan',
      say: `I do part ${part}.`,
      run: `echo ${part} >>done.txt; echo x >${scene.folder}/outside`,
    },
    { say: index === 1 ? 'All tasks complete' : `Part ${part} is there.` },
  ]);
  const flags =
    '--prompt-file PROMPT.md --max-iterations 3 --inactivity-timeout 10 --done-pattern "All tasks complete"';
  const { code, stdout } = await rehearse(
    turns,
    `swarm spawn --name agent --ralph --sandbox=os ${flags} -- ${CLAUDE.join(' ')}`,
  );
  const refused = `Sandbox: refused to write ${scene.folder}/outside (to allow it: --allow-write ${scene.folder})`;
  const [told = '', closing] = stdout.split('\n\n');
  expect(told.split('\n').slice(1)).toEqual([
    'spawned agent (tmux: swarm:agent) [ralph mode: iteration 1/3]',
    expect.stringMatching(/^\[ralph\] agent: to attach: tmux /),
    `[ralph] agent: ${refused}`,
    '[ralph] agent: inactivity timeout (10s), restarting',
    '[ralph] agent: starting iteration 2/3',
    `[ralph] agent: ${refused}`,
    '[ralph] agent: 2 refusals by the sandbox',
    '[ralph] agent: done pattern matched, stopping loop',
  ]);
  expect(closing).toMatch(/^✓ Done in 2 iterations · /);
  expect(code).toBe(0);
  expect(scene.read('done.txt')).toBe('one\ntwo\n');
  expect(existsSync(join(scene.folder, 'outside'))).toBe(false);
  expect(scene.processes()).toEqual([]);
});
