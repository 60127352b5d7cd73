/** `swarm spawn --ralph` with real interactive agents in a pane: two iterations end by inactivity, one by its words. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { type AgentScene, agentScene, installAgents } from '../scene.ts';

const AGENTS = [
  { agent: 'claude', flags: ['--dangerously-skip-permissions'] },
  { agent: 'codex', flags: ['--dangerously-bypass-approvals-and-sandbox', '--no-alt-screen'] },
];

let programs: string[];
let scene: AgentScene;

beforeAll(() => {
  programs = installAgents('claude', 'codex');
}, 600_000);

afterEach(() => scene.remove());

test.each(AGENTS)(
  'the interactive $agent goes through three iterations in its window',
  async ({ agent, flags }) => {
    scene = agentScene(programs, { 'PROMPT.md': 'Study the plan.\nThen pick a task and say which.\n' });
    const script = join(scene.folder, 'turns.json');
    const turns = ['one', 'two', 'three'].flatMap((part, index) => [
      { match: 'Study the plan', say: `I do part ${part}.`, run: `echo ${part} >>done.txt` },
      { say: index === 2 ? 'All tasks complete' : `Part ${part} is there.` },
    ]);
    writeFileSync(script, JSON.stringify({ turns }));
    const loop = ['spawn', '--name', 'agent', '--ralph', '--prompt-file', 'PROMPT.md', '--max-iterations', '5'];
    const ends = ['--inactivity-timeout', '10', '--done-pattern', 'All tasks complete'];
    const command = ['swarm', ...loop, ...ends, '--', agent, ...flags];
    const { code, stdout, stderr } = await scene.ralphRehearse(['--script', script, '--', ...command]);
    const [told = '', closing] = stdout.split('\n\n');
    expect(told.split('\n')).toEqual([
      'spawned agent (tmux: swarm:agent) [ralph mode: iteration 1/5]',
      expect.stringMatching(/^\[ralph\] agent: to attach: tmux /),
      '[ralph] agent: inactivity timeout (10s), restarting',
      '[ralph] agent: starting iteration 2/5',
      '[ralph] agent: inactivity timeout (10s), restarting',
      '[ralph] agent: starting iteration 3/5',
      '[ralph] agent: done pattern matched, stopping loop',
    ]);
    expect(closing).toMatch(/^✓ Done in 3 iterations · /);
    expect(stderr).toContain('6 turns played, 0 left');
    expect(code).toBe(0);
    expect(scene.read('done.txt')).toBe('one\ntwo\nthree\n');
    expect(scene.processes()).toEqual([]);
  },
  120_000,
);
