import { beforeAll, expect, test } from 'vitest';
import { installAgents } from '../scene.ts';
import { hostedSession } from './hosted-session.ts';
import { insessionWith } from './insession-with.ts';

let program: string;

beforeAll(() => {
  [program = ''] = installAgents('gemini');
}, 600_000);

insessionWith({
  agent: 'gemini',
  showsNotices: true,
  keepsCommands: false,
  subagent: {
    flags: '',
    turns: [
      {
        match: 'Write the note',
        tool: { name: 'invoke_agent', input: { agent_name: 'generalist', prompt: 'sub task: write' } },
      },
      {
        match: 'sub task: write',
        say: 'Sub: <promise>DONE</promise>',
        tool: { name: 'complete_task', input: { result: { response: 'Written. <promise>DONE</promise>' } } },
      },
      { match: "Subagent 'generalist' finished", say: 'It has said it.' },
      { match: 'You attempted to end the loop', say: '<promise>DONE</promise>' },
    ],
  },
});

test('when Gemini CLI stops asking its model because the answers repeat, the loop ends and says so', async () => {
  const session = hostedSession('gemini', program);
  const script = { turns: [], otherwise: { say: 'Not yet.' } };
  const { stdout, stderr } = await session.ask(script, '/ralph-loop "Write the note" --max-iterations 60');
  expect(stdout).toContain('Loop detected');
  expect(stderr).toMatch(/Ralph loop: STUCK at iteration \d+: 2 turns in a row without a word or a tool call/);
  expect(session.log()).toMatch(/STUCK\n$/);
  expect(session.asked().length).toBeLessThan(30);
});
