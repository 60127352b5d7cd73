import { beforeAll, expect, test } from 'vitest';
import { installAgents } from '../scene.ts';
import { hostedSession } from './hosted-session.ts';
import { insessionWith } from './insession-with.ts';

let program: string;

beforeAll(() => {
  [program = ''] = installAgents('codex');
}, 600_000);

insessionWith({
  agent: 'codex',
  showsNotices: false,
  keepsCommands: true,
  subagent: {
    // With the default model of a rehearsal, only a tool search finds the tools for subagents.
    flags: '-m unknown-model --enable multi_agent_v2',
    turns: [
      {
        match: 'Write the note',
        tool: { name: 'collaboration.spawn_agent', input: { task_name: 'note', message: 'Write it.' } },
      },
      { match: { anywhere: 'You are now a newly spawned child agent' }, run: 'echo hi > note.txt' },
      { match: { anywhere: 'You are now a newly spawned child agent' }, say: 'Sub: <promise>DONE</promise>' },
      { match: '/root/note"', tool: { name: 'collaboration.wait_agent', input: { timeout_ms: 20_000 } } },
      { match: 'Wait completed', say: 'It has said it.' },
      { match: 'You attempted to end the loop', say: '<promise>DONE</promise>' },
    ],
  },
});

test('in a session without a rollout file, a tool call that ran counts as work, a denied one does not', async () => {
  const session = hostedSession('codex', program, '--ephemeral');
  const promise = { say: '<promise>DONE</promise>' };
  const denied = { tool: { name: 'nope', input: {} } };
  const { stderr } = await session.ask({ turns: [denied, promise, { run: 'false' }, promise] }, '/ralph-loop "Look"');
  expect(stderr).toContain('Rehearsal: 4 requests, 4 turns played, 0 left');
  expect(session.log()).toMatch(/rejected: no sign of work[\s\S]*accepted; 1 tool calls so far; PROMISE_ACCEPTED\n$/);
});
