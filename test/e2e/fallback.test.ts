/** `--fallback`: another agent works while the first one is at its usage limit, until that limit resets. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeScene, ROOT, type Scene } from '../support/scene.ts';

/** Acts as Claude Code at a usage limit that resets in so many seconds. */
const refusedFor = (seconds: number): string =>
  `printf '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":%s}}\\n' $(( $(date +%s) + ${seconds} ));
   printf '{"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error","api_error_status":429,"result":"no more"}\\n'; exit 1`;
const DONE = `claude_says "<response>DONE</response>"; claude_result done`;
/** Each agent plays its own part, and logs that it was started. */
const cast = (parts: Readonly<Record<string, string>>): string => {
  const cases = Object.entries(parts).map(([agent, part]) => `${agent}) ${part} ;;`);
  return `echo "\${0##*/} $RALPH_KEY" >>"$SCENE/starts.log"; case \${0##*/} in ${cases.join(' ')} esac`;
};

const sceneOf = (parts: Readonly<Record<string, string>>, settings: Readonly<Record<string, unknown>> = {}): Scene => {
  const scene = makeScene({ play: cast(parts), agent: 'claude', settings, env: { IS_SANDBOX: '1' } });
  for (const name of Object.keys(parts).filter((part) => part !== 'claude'))
    symlinkSync(join(ROOT, 'test/fakes/play-agent.sh'), join(scene.folder, 'bin', name));
  return scene;
};
const asked = (scene: Scene): string[] => scene.starts().filter((line) => !line.startsWith('agent '));

describe('while the first agent is limited', () => {
  test('the fallback works in the same iteration, and lists name it', async () => {
    const scene = sceneOf({ claude: refusedFor(7200), helper: 'at_gate; echo "<response>DONE</response>"' });
    const running = scene.ralph(['run', '-p', 'x', '--fallback', 'helper']);
    await scene.logged('at gate 1/work/2');
    expect((await scene.shell('ralph ls')).stdout).toContain('working (helper)');
    expect((await scene.shell('ralph status')).stdout).toMatch(/claude; helper was started last/);
    scene.openGate();
    const { code, stderr } = await running.exited;
    expect(code).toBe(0);
    expect(stderr).toMatch(/claude is limited until \d{4}-\d\d-\d\d \d\d:\d\d; continuing with helper/);
    expect(stderr).toContain('✓ Done in 1 iteration');
    expect(asked(scene)).toEqual(['claude 1/work/1', 'helper 1/work/2', 'at gate 1/work/2']);
    expect((await scene.shell('ralph show')).stdout).toContain('by helper');
  });

  test('the first agent works again after its reset', async () => {
    const first = `if [ "$RALPH_KEY" = 1/work/1 ]; then ${refusedFor(2)}; else ${DONE}; fi`;
    // Every iteration takes a second, so that the reset comes before the iteration limit.
    const scene = sceneOf({ claude: first, helper: 'sleep 1; echo working' }, { maximumIterations: 30 });
    const { code, stderr } = await scene.run('--fallback', 'helper');
    expect(code).toBe(0);
    const [limited, ...rest] = asked(scene).map((line) => line.split(' ')[0]);
    expect([limited, rest.at(-1)]).toEqual(['claude', 'claude']);
    expect(new Set(rest.slice(0, -1))).toEqual(new Set(['helper']));
    expect(stderr).toContain('Continuing with claude');
  });

  test('a loop that was killed while the fallback worked resumes with it', async () => {
    const scene = sceneOf({ claude: refusedFor(7200), helper: 'at_gate; echo "<response>DONE</response>"' });
    const running = scene.ralph(['run', '-p', 'x', '--fallback', 'helper']);
    await scene.logged('at gate 1/work/2');
    running.signal('SIGKILL');
    await running.exited;
    const resumed = scene.ralph(['resume']);
    await scene.logged('at gate 1/work/3');
    scene.openGate();
    expect((await resumed.exited).code).toBe(0);
    expect(asked(scene).filter((line) => line.startsWith('claude'))).toHaveLength(1);
  });

  test('another model of the same agent can be the fallback', async () => {
    const model = `case " $* " in *" --model sonnet "*) ${DONE} ;; *) ${refusedFor(7200)} ;; esac`;
    const scene = sceneOf({ claude: model });
    const { code, stderr } = await scene.run('--fallback', 'claude:sonnet');
    expect(code).toBe(0);
    expect(stderr).toContain('continuing with claude:sonnet');
  });
});

test('a waiting loop continues at once when it is resumed with a fallback', async () => {
  const scene = sceneOf({ claude: refusedFor(7200), helper: 'echo "<response>DONE</response>"' });
  const waiting = scene.ralph(['run', '-p', 'x']);
  await waiting.says('Waiting for the usage limit until ');
  waiting.signal('SIGINT');
  expect((await waiting.exited).code).toBe(130);
  expect((await scene.shell('ralph resume --fallback helper')).code).toBe(0);
  expect(asked(scene)).toEqual(['claude 1/work/1', 'helper 1/work/2']);
});

test('a fallback without a login is left out, and the loop waits for the first agent', async () => {
  const refused = `printf '{"type":"result","subtype":"success","is_error":true,"api_error_status":401,"result":"Invalid API key"}\\n'; exit 1`;
  const play = `case " $* " in *" --model sonnet "*) ${refused} ;; *) ${refusedFor(7200)} ;; esac`;
  const scene = sceneOf({ claude: play });
  const running = scene.ralph(['run', '-p', 'x', '--fallback', 'claude:sonnet']);
  await running.says('Waiting for the usage limit until ');
  running.signal('SIGINT');
  const { stderr } = await running.exited;
  expect(stderr).toMatch(/claude:sonnet cannot be used \(.*Invalid API key.*\); it is left out from now on/);
});

test('a fallback that keeps failing is left out, and the first agent continues after its reset', async () => {
  const first = `if [ "$RALPH_KEY" = 1/work/1 ]; then ${refusedFor(2)}; else ${DONE}; fi`;
  const scene = sceneOf({ claude: first, helper: 'echo "no such model" >&2; exit 3' }, { maximumIterations: 1 });
  const { code, stderr } = await scene.run('--fallback', 'helper');
  expect(code).toBe(0);
  expect(asked(scene)).toEqual([
    'claude 1/work/1',
    'helper 1/work/2',
    'helper 1/work/3',
    'helper 1/work/4',
    expect.stringMatching(/^claude 1\/work\/\d+$/),
  ]);
  const leftOut =
    'helper failed 3 times in a row (exit 3: no such model); it is left out until claude has worked again';
  expect(stderr.split(leftOut)).toHaveLength(2);
  expect(stderr).toContain('✓ Done in 1 iteration');
});

describe('before the loop begins', () => {
  test('a dry run shows the command line of each agent', async () => {
    const scene = sceneOf({ claude: DONE });
    const { code, stdout } = await scene.run('--fallback', 'claude:sonnet', '--dry-run');
    expect(code).toBe(0);
    expect(stdout).toMatch(/While it is limited: claude:sonnet\n\nCommand line.*\n.*--model sonnet/);
  });

  test('a fallback that is not installed is refused', async () => {
    const { code, stderr } = await sceneOf({ claude: DONE }).run('--fallback', 'no-such-agent');
    expect(code).toBe(2);
    expect(stderr).toContain('agent command not found: no-such-agent');
  });

  test('the agent itself is refused, and so is a list with an empty item', async () => {
    const scene = sceneOf({ claude: DONE });
    expect(await scene.run('--fallback', 'claude')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--fallback claude is the agent that the loop works with'),
    });
    expect((await scene.run('--fallback', 'codex,,gemini')).stderr).toContain('must be a list of different agents');
    expect(asked(scene)).toEqual([]);
  });
});

describe('in a task folder', () => {
  const place = (scene: Scene): string =>
    `--root ${join(scene.folder, 'tasks')} --project shop --task task-20260220-153045-basket`;

  test('the fallback makes the next attempt', async () => {
    const scene = sceneOf({ claude: refusedFor(7200), helper: 'touch "$JRUN_TASK_FOLDER/DONE"' });
    const start = `ralph task run ${place(scene)} --prompt x --agent claude --fallback helper`;
    const { code, stderr } = await scene.shell(start);
    expect([code, asked(scene)]).toEqual([0, ['claude 1/work/1', 'helper 2/work/1']]);
    expect(stderr).toContain('continuing with helper');
  });

  test('a fallback that keeps failing is left out, and the loop waits for the first agent', async () => {
    const scene = sceneOf({ claude: refusedFor(7200), helper: 'exit 3' });
    const start = [...place(scene).split(' '), '--prompt', 'x', '--agent', 'claude', '--fallback', 'helper'];
    const running = scene.ralph(['task', 'run', ...start, '--restart-delay', '1ms']);
    await running.says('Waiting for the usage limit until ');
    running.signal('SIGINT');
    const { stderr } = await running.exited;
    expect(stderr.split('helper failed 3 times in a row (exit 3); it is left out until claude')).toHaveLength(2);
    expect(asked(scene)).toEqual(['claude 1/work/1', ...[2, 3, 4].map((n) => `helper ${n}/work/1`)]);
  });

  test('without a fallback, the next attempt waits for the reset, and can be stopped', async () => {
    const scene = sceneOf({ claude: refusedFor(7200) });
    const running = scene.ralph(['task', 'run', ...place(scene).split(' '), '--prompt', 'x', '--agent', 'claude']);
    await running.says('Waiting for the usage limit until ');
    expect((await scene.shell('ralph ls')).stdout).toMatch(/limit until (\w{3} )?\d\d:\d\d /);
    expect((await scene.shell(`ralph task stop ${place(scene)}`)).code).toBe(0);
    await running.exited;
    expect(asked(scene)).toEqual(['claude 1/work/1']);
  });
});
