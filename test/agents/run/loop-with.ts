/** What `ralph run` must do with any real agent: the same tests for each. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Turn } from '../../../src/rehearsal/script/script.ts';
import { recordStreams } from '../record-streams.ts';
import { type AgentName, type AgentScene, agentScene, installAgents } from '../scene.ts';

export interface LoopWith {
  readonly agent: AgentName;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Long enough for its start and one answer, short enough for a test. */
  readonly timeout: string;
  /** What is shown when a call is retried; empty if the agent retries silently. */
  readonly retryNotices: readonly RegExp[];
  /** The agent itself waits for a limit that is lifted within a few seconds. */
  readonly waitsItself?: true;
  /** The reported failure after a connection that is cut again and again. */
  readonly afterCuts: string;
}

const RIGHT = 'grep -q right answer.txt || { echo "answer.txt is not right"; exit 1; }';
const DONE: Turn = { say: 'Finished. <response>DONE</response>' };
const HOUR = 3_600_000;

export function loopWith({
  agent,
  flags = [],
  env = {},
  timeout,
  retryNotices,
  afterCuts,
  waitsItself,
}: LoopWith): void {
  let program: string;
  let scene: AgentScene;
  /** Part of the name of each recorded file. */
  let situation: string;

  beforeAll(() => {
    [program = ''] = installAgents(agent);
  }, 600_000);

  afterEach(() => {
    recordStreams(agent, situation, scene);
    scene.remove();
  });

  const loopIn = (name: string, settings: object = {}): AgentScene => {
    situation = name;
    const all = {
      agent: { command: agent, flags },
      includeIterationCountInPrompt: true,
      failureBackoffMs: 10,
      ...settings,
    };
    scene = agentScene([program], { 'answer.txt': 'none\n', '.ralph/settings.json': JSON.stringify(all) }, env);
    return scene;
  };
  const run = (turns: readonly Turn[], ...args: readonly string[]) =>
    scene.rehearse({ turns }, ['run', '-p', 'Write the answer.', '-m', '4', ...args]);

  describe(`ralph run with the real ${agent}`, () => {
    test('a guardrail fails, its output is fed back, the second iteration is accepted and committed', async () => {
      loopIn('guardrail', {
        guardrails: [{ command: RIGHT, failAction: 'APPEND' }],
        scm: { command: 'git', tasks: ['commit'] },
      });
      const { code, stdout, stderr } = await run([
        {
          match: 'Write the answer',
          think: 'What is asked of me?',
          say: 'I write a first answer.',
          run: 'echo wrong > answer.txt',
        },
        DONE,
        // Only a prompt that holds the guardrail's own output gets the corrected answer.
        { match: 'answer.txt is not right', say: 'I fix it.', run: 'echo right > answer.txt' },
        { say: 'Fixed. <response>DONE</response>' },
        { match: 'commit message', say: 'Write the right answer' },
      ]);
      expect(stderr).toContain('── 1/4 ──');
      expect(stderr).toMatch(/^✗ .* exit 1 +\d+\.\ds$/m);
      expect(stderr).toContain('── 2/4 ──');
      expect(stderr).toMatch(/^✓ (?!Done|committed).* \d+\.\ds$/m);
      expect(stderr).toContain('✓ Done in ');
      expect(stderr).not.toContain('── 3/4');
      expect(stderr).toContain('5 turns played, 0 left');
      expect(stderr).toMatch(/Usage: 3 runs,[\s\S]*\d\s+tokens\s+in\s+\/\s+\d+\s+out,\s+2\s+tool\s+calls/);
      expect(stdout).toContain('I fix it.');
      expect(stdout).toMatch(/⏺ \w+\(.*echo right > answer.txt/);
      expect(code).toBe(0);
      expect(scene.read('answer.txt')).toBe('right\n');
      expect(scene.git('log', '--format=%s')).toBe('Write the right answer\nbegin\n');
    });

    test('with --no-wait, a usage limit stops the loop, which says when the limit is lifted', async () => {
      loopIn('limit');
      const began = Date.now();
      const { code, stderr } = await run(
        [{ fault: { status: 429, resetInSeconds: HOUR / 1000 }, times: 50 }],
        '--no-wait',
      );
      expect(stderr).toMatch(
        /^! Stopped .* by the agent's usage limit[\s\S]*It resets at \d{4}-\d{2}-\d{2} \d{2}:\d{2}\./m,
      );
      expect(code).toBe(10);
      const ending = scene.journal().at(-1)?.result;
      const resetAt = ending?.kind === 'ended' && ending.ending.kind === 'usage-limit' ? ending.ending.resetAt : null;
      // Some agents report it only to the minute.
      expect(resetAt).toBeGreaterThan(began + HOUR - 61_000);
      expect(resetAt).toBeLessThan(Date.now() + HOUR + 61_000);
    });

    test('a usage limit is waited out: the iteration continues after the reset', async () => {
      loopIn('limit-passes');
      const { code, stderr } = await run([{ fault: { status: 429, resetInSeconds: 3 } }, { ...DONE, times: 3 }]);
      expect(stderr.includes('! The agent reached its usage limit')).toBe(waitsItself !== true);
      expect(stderr).toContain('✓ Done in 1 iteration');
      expect(stderr).not.toContain('── 2/4');
      expect(code).toBe(0);
    });

    test('an overload that passes does not end an iteration', async () => {
      loopIn('overload');
      const { code, stderr } = await run([{ fault: { status: 529 } }, DONE]);
      const notices = stderr.match(/^Agent: .*$/gm) ?? [];
      expect(notices).toHaveLength(retryNotices.length);
      for (const [index, notice] of retryNotices.entries()) expect(notices[index]).toMatch(notice);
      expect(stderr).toContain('Faults played: 1 × status 529');
      expect(stderr).not.toContain('── 2/4');
      expect(code).toBe(0);
    });

    test('a stream that is cut again and again fails the iteration, and the next one continues', async () => {
      loopIn('cut');
      const { code, stderr } = await run(
        [
          { match: 'Iteration 1 of 4', fault: { cut: 'event' }, times: 50 },
          { ...DONE, times: 3 },
        ],
        '--agent-timeout',
        timeout,
      );
      expect(stderr).toMatch(new RegExp(String.raw`^✗ Agent failed \(${afterCuts}`, 'm'));
      expect(stderr).toContain('── 2/4 ──');
      expect(code).toBe(0);
    });

    test('a call that is never answered is ended by --agent-timeout', async () => {
      loopIn('stall');
      const { code, stderr } = await run(
        [
          { match: 'Iteration 1 of 4', fault: { stall: 'before' }, times: 50 },
          { ...DONE, times: 3 },
        ],
        '--agent-timeout',
        timeout,
      );
      expect(stderr).toContain(`Agent failed (timed out after ${timeout})`);
      expect(stderr).toContain('── 2/4 ──');
      expect(code).toBe(0);
      expect(scene.processes()).toEqual([]);
    });

    test('a refused key stops the loop at once', async () => {
      loopIn('auth');
      const { code, stderr } = await run([{ fault: { status: 401 }, times: 50 }]);
      expect(stderr).toMatch(/^! Stopped .*: the agent could not authenticate/m);
      expect(stderr).not.toContain('── 2/4');
      expect(code).toBe(4);
    });

    test('Ctrl-C twice in the middle of a tool call leaves nothing running, and the loop can be resumed', async () => {
      loopIn('interrupt');
      const script = { turns: [{ run: 'touch started; tail -f /dev/null' }, DONE] };
      const loop = scene.start(script, ['run', '-p', 'Write the answer.', '-m', '4']);
      await vi.waitUntil(() => existsSync(join(scene.work, 'started')), { timeout: 60_000, interval: 20 });
      loop.signalGroup('SIGINT');
      await loop.says('Stopping after this step');
      loop.signalGroup('SIGINT');
      const { code, stderr } = await loop.exited;
      expect(code).toBe(130);
      expect(stderr).toContain('ralph resume');
      expect(scene.processes()).toEqual([]);
      expect((await scene.rehearse({ turns: [DONE] }, ['resume'])).code).toBe(0);
    });
  });
}
