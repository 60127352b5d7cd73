import { insessionWith } from './insession-with.ts';

insessionWith({
  agent: 'codex',
  showsNotices: false,
  keepsCommands: true,
  subagent: {
    // The model that a rehearsal has by default keeps its agents behind a search for tools.
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
