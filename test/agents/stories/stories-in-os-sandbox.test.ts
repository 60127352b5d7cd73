/** Real agents take a story through its whole life in the operating system's sandbox, with the plugin's hooks. */
import { afterEach, beforeAll, expect, test } from 'vitest';
import { type AgentScene, installAgents } from '../scene.ts';
import {
  approved,
  commit,
  expectLived,
  iteration,
  one,
  SUBMITTED,
  storyScene,
  tasksIn,
  WHOLE_LIFE,
} from './story-life.ts';

let programs: string[];
let scene: AgentScene;

beforeAll(() => {
  programs = installAgents('claude', 'codex');
}, 600_000);

afterEach(() => {
  const left = scene.processes();
  scene.remove();
  if (left.length > 0) throw new Error(`still running: ${JSON.stringify(left)}`);
});

test('implement, a blocked attempt to approve itself, changes requested, fix, re-review, approved, COMPLETE', async () => {
  // The test does not set IS_SANDBOX, which Claude Code needs as root: the sandbox sets it.
  scene = storyScene(programs, one(), { IS_SANDBOX: '' });
  const ran = await scene.rehearse({ turns: WHOLE_LIFE }, ['stories', 'run', '--sandbox=os', '-n', '8']);
  expect(ran.stderr).toContain("[ralph] Using the operating system's sandbox (");
  // Nothing that the agent or the hooks need is refused.
  expect(ran.stderr).not.toContain('Sandbox: refused');
  expectLived(scene, ran);
});

test('its shell reaches neither the journal nor anything outside; guard and context monitor work there, too', async () => {
  scene = storyScene(programs, one(), { IS_SANDBOX: '', CLAUDE_CONTEXT_WINDOW: '100' });
  const attacks = `{ ls ${scene.state}/ralph/loops/*/journal.jsonl && echo FOUND; echo x >${scene.folder}/outside && echo WROTE; } >results.txt 2>&1; `;
  const { stderr } = await scene.rehearse(
    {
      turns: [
        { match: 'iteration 1 of', run: 'git push --force origin main' },
        { match: 'ralph guard, blocked', run: commit(one(SUBMITTED), 'feat: [US-001] - made', attacks) },
        { match: { anywhere: 'CRITICAL: Context window is at ~100% usage' }, say: 'Submitted.' },
      ],
    },
    ['stories', 'run', '--sandbox=os', '-n', '1'],
  );
  expect(stderr).toContain('3 turns played, 0 left');
  expect(scene.read('results.txt')).not.toMatch(/FOUND|WROTE/);
  expect(stderr).toContain(`[ralph] Sandbox: refused to write ${scene.folder}/outside`);
  expect(stderr).toMatch(
    /^\[ralph\] Usage: 1 run,[\s\S]*?1(?:\s|\[ralph\])+refusal(?:\s|\[ralph\])+by(?:\s|\[ralph\])+the\s+sandbox/m,
  );
  expect(tasksIn(scene)).toMatchObject([{ reviewStatus: 'needs_review' }]);
});

test('another agent can review there: the policy covers what both need', async () => {
  scene = storyScene(programs, one(), { IS_SANDBOX: '' });
  const { code, stderr } = await scene.rehearse(
    {
      turns: [
        ...iteration(1, commit(one(SUBMITTED), 'feat: [US-001] - one', 'echo one > one.txt; '), 'Submitted.'),
        {
          match: { lastUser: 'iteration 2 of', model: 'gpt' },
          run: commit(one(approved(1)), 'review: [US-001] - approved'),
        },
        { say: '<promise>COMPLETE</promise>' },
      ],
    },
    ['stories', 'run', '--sandbox=os', '--review-agent', 'codex'],
  );
  expect(stderr).toContain('4 turns played, 0 left');
  expect(stderr).not.toContain('Sandbox: refused');
  expect(code).toBe(0);
});
