/** The loop waits out usage limits and outages in the same iteration, within a budget and the time of --until. */
import { describe, expect, test } from 'vitest';
import { makeScene, type Scene } from '../support/scene.ts';

/** Acts as Claude Code at a usage limit that resets in so many seconds. */
const refusedFor = (seconds: number): string =>
  `printf '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":%s}}\\n' $(( $(date +%s) + ${seconds} ));
   printf '{"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error","api_error_status":429,"result":"no more"}\\n'; exit 1`;
const OVERLOADED = `printf '{"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error","api_error_status":529,"result":"overloaded"}\\n'; exit 1`;
const DONE = `claude_says "<response>DONE</response>"; claude_result done`;
/** The first `count` starts run `trouble`, the next one works. */
const times = (count: number, trouble: string): string =>
  `[ "$(grep -c agent "$SCENE/starts.log")" -gt ${count} ] || { ${trouble}; }; ${DONE}`;

const sceneOf = (play: string, settings: object = {}): Scene =>
  makeScene({ play, agent: 'claude', settings: { maximumIterations: 1, ...settings } });

describe('a usage limit', () => {
  test('pauses the loop until its reset, and costs no iteration', async () => {
    const scene = sceneOf(times(2, refusedFor(2)));
    const { code, stderr } = await scene.run();
    expect(code).toBe(0);
    expect(scene.starts()).toEqual(['agent 1/work/1', 'agent 1/work/2', 'agent 1/work/3']);
    expect(stderr).toContain('! The agent reached its usage limit: no more');
    expect(stderr).toContain('✓ Done in 1 iteration');
    const records = scene.journal();
    const ran = records.findIndex(({ result }) => result.kind === 'ran');
    const [limit, waited] = [records[ran]?.result, records[ran + 1]];
    const resetAt = limit?.kind === 'ran' && limit.outcome.kind === 'limit' ? (limit.outcome.resetAt ?? 0) : 0;
    expect(waited?.result.kind).toBe('waited');
    expect(waited?.at).toBeGreaterThanOrEqual(resetAt);
    expect(resetAt).toBeGreaterThan(records[ran]?.at ?? 0);
  });

  test('is listed with its reset time, and a waiting loop can be interrupted and resumed', async () => {
    const scene = sceneOf(times(1, refusedFor(7200)));
    const waiting = scene.ralph(['run', '-p', 'x']);
    await waiting.says('Waiting for the usage limit until ');
    expect((await scene.shell('ralph ls')).stdout).toMatch(/◐ .* limit until (\w{3} )?\d\d:\d\d /);
    waiting.signal('SIGINT');
    expect((await waiting.exited).code).toBe(130);
    const resumed = scene.ralph(['resume']);
    await resumed.says('Waiting for the usage limit until ');
    expect((await scene.shell('ralph stop')).code).toBe(0);
    expect((await resumed.exited).code).toBe(130);
    expect(scene.starts()).toEqual(['agent 1/work/1']);
    // After `ralph stop`, a resume does not wait any longer: the agent is started again.
    expect((await scene.shell('ralph resume')).code).toBe(0);
  });

  test('ends the loop with --no-wait, and says when the limit resets', async () => {
    const scene = sceneOf(times(1, refusedFor(7200)));
    const { code, stderr } = await scene.run('--no-wait');
    expect(code).toBe(10);
    expect(stderr).toContain("! Stopped after 1 iteration by the agent's usage limit");
    expect(stderr).toMatch(/It resets at \d{4}-\d\d-\d\d \d\d:\d\d\./);
  });

  test('ends the loop if it resets after --until', async () => {
    const scene = sceneOf(times(1, refusedFor(7200)));
    const soon = new Date(Date.now() + 3_600_000);
    const until = `${String(soon.getHours()).padStart(2, '0')}:${String(soon.getMinutes()).padStart(2, '0')}`;
    expect((await scene.run('--until', until)).code).toBe(10);
    expect(scene.starts()).toEqual(['agent 1/work/1']);
  });

  test('in the call for a commit message does not stop the work from being committed', async () => {
    const scene = makeScene({
      play: `echo line >>work.txt; ${DONE}`,
      message: refusedFor(7200),
      agent: 'claude',
      settings: { scm: { command: 'git', tasks: ['commit'] } },
    });
    expect((await scene.run()).code).toBe(0);
    expect(scene.git('log', '-1', '--format=%s')).toBe('Do the work. (iteration 1)\n');
  });
});

describe('an outage', () => {
  test('of more than five failed tries in a row is waited out', async () => {
    const scene = sceneOf(times(7, OVERLOADED), { failureBackoffMs: 1 });
    expect((await scene.run()).code).toBe(0);
    expect(scene.starts()).toHaveLength(8);
  });

  test('ends the loop when the outage budget is used up, and the loop can be resumed', async () => {
    const scene = sceneOf(times(3, OVERLOADED), { failureBackoffMs: 20 });
    const { code, stderr } = await scene.run('--outage-budget', '70ms');
    expect(code).toBe(3);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain('overloaded; the outage budget of 70ms is used up');
    expect(scene.starts()).toHaveLength(3);
    expect((await scene.shell('ralph resume')).code).toBe(0);
  });
});

test('no agent starts after the time of --until, until a person resumes the loop', async () => {
  const scene = makeScene({ play: `sleep 2.5; [ $n -lt 2 ] || echo "<response>DONE</response>"` });
  const at = Date.now() + 2000;
  const until = new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
  const { code, stderr } = await scene.run('--until', until);
  expect(code).toBe(8);
  expect(stderr).toContain('Stopped after 1 iteration: its time is up');
  expect(stderr).toMatch(/No agent is started after \d{4}-\d\d-\d\d \d\d:\d\d \(--until\)\./);
  expect((await scene.shell('ralph resume')).code).toBe(0);
});

test('an inherited variable that makes Claude Code wait silently for hours is not passed on', async () => {
  const play = `claude_says "watchdog: \${CLAUDE_CODE_RETRY_WATCHDOG:-none} \${CLAUDE_CODE_MAX_RETRIES:-none}"; ${DONE}`;
  const env = { CLAUDE_CODE_RETRY_WATCHDOG: '1', CLAUDE_CODE_MAX_RETRIES: '3' };
  const scene = makeScene({ play, agent: 'claude', env });
  expect((await scene.run()).stdout).toContain('watchdog: none 3');
});
