/**
 * Only the agent itself can claim that it is done or blocked. The claim does not count in the output of a subagent, a
 * tool or a hook, in the user's words, a thought, or an echo of the prompt. For a loop inside a session, see
 * src/hooks/session.
 */
import { describe, expect, test } from 'vitest';
import { storiesScene } from '../stories/scene.ts';
import { makeScene } from '../support/scene.ts';
import { story } from '../support/stories/stories.ts';
import { taskLoopScene } from '../support/tasks/task-loop.ts';
import { ralphScene } from '../swarm/ralph-scene.ts';

type Says = (claim: string) => object;

const text = (words: string) => [{ type: 'text', text: words }];

const OWN_WORDS: Says = (claim) => ({ type: 'assistant', message: { content: text(claim) } });

const OTHERS: Readonly<Record<string, Says>> = {
  'a subagent': (claim) => ({ type: 'assistant', parent_tool_use_id: 'toolu_1', message: { content: text(claim) } }),
  "a tool's output": (claim) => ({
    type: 'user',
    message: { content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: claim }] },
  }),
  'a hook': (claim) => ({ type: 'system', subtype: 'hook_response', hook_name: 'Stop', stdout: claim, output: claim }),
  'the person': (claim) => ({ type: 'user', message: { content: text(claim) } }),
  'a thought': (claim) => ({ type: 'assistant', message: { content: [{ type: 'thinking', thinking: claim }] } }),
  'a tool call': (claim) => ({
    type: 'assistant',
    message: { content: [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: claim } }] },
  }),
};

/** The claim as Claude Code prints it; the agent's own last message does not contain it. */
function spoken(says: Says, claim: string): string {
  const result = { type: 'result', subtype: 'success', is_error: false, result: 'Not yet.' };
  const lines = [says(claim), OWN_WORDS('Not yet.'), result].map((line) => JSON.stringify(line));
  return `cat <<'LINES'\n${lines.join('\n')}\nLINES`;
}

interface Kind {
  /** Runs one iteration of this agent, and returns the exit code of the loop. */
  once(play: string): Promise<number | string>;
  readonly claim: string;
  /** The exit codes when the agent itself makes the claim, and otherwise. */
  readonly believed: number;
  readonly otherwise: number;
}

const KINDS: Readonly<Record<string, Kind>> = {
  run: {
    claim: '<response>DONE</response>',
    believed: 0,
    otherwise: 1,
    once: async (play) => (await makeScene({ play, agent: 'claude', env: { IS_SANDBOX: '1' } }).run('-m', '1')).code,
  },
  'stories: done': {
    claim: '<promise>COMPLETE</promise>',
    // The list of stories decides, and it is not done.
    believed: 1,
    otherwise: 1,
    once: async (play) => (await storiesScene([story('US-001')], { play, agent: 'claude' }).loop('-n', '1')).code,
  },
  'stories: blocked': {
    claim: '<promise>BLOCKED: no key</promise>',
    believed: 5,
    otherwise: 1,
    once: async (play) => (await storiesScene([story('US-001')], { play, agent: 'claude' }).loop('-n', '1')).code,
  },
  tasks: {
    claim: 'DONE',
    // Only the DONE file counts as a claim.
    believed: 1,
    otherwise: 1,
    once: async (play) =>
      (await taskLoopScene({ play, agent: 'claude' }).runTask('--max-restarts', '1', '--no-sandbox')).code,
  },
};

describe.each(Object.entries(KINDS))('%s', (_name, { once, claim, believed, otherwise }) => {
  test('the claim counts when the agent itself makes it', async () => {
    expect(await once(spoken(OWN_WORDS, claim))).toBe(believed);
  });

  test.each(Object.entries(OTHERS))('the claim does not count in the words of %s', async (_who, says) => {
    expect(await once(spoken(says, claim))).toBe(otherwise);
  });
});

test('run: the work is not done when the agent repeats its prompt as plain text', async () => {
  const scene = makeScene({ play: 'echo "$prompt"' });
  const { code } = await scene.ralph(['run', '-m', '1', '-p', 'Then say <response>DONE</response>.']).exited;
  expect(code).toBe(1);
});

test('swarm: the work is not done when the agent repeats its prompt on its screen', async () => {
  const scene = ralphScene('cat "$HOME/work/PROMPT.md"');
  scene.prompt('Work. Then print ALL-DONE.\n');
  const { stdout, stderr } = await scene.spawned('--max-iterations', '1', '--done-pattern', 'ALL-DONE');
  expect(`${stdout}${stderr}`).toContain('✗ Stopped at the limit of 1 iteration');
});
