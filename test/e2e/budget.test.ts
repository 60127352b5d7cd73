/** Budgets of a loop: dollars, tokens, time. They also hold within an iteration, and count every call of an agent. */
import { describe, expect, test } from 'vitest';
import { makeScene, type Scene } from '../support/scene.ts';

const WORKS = 'claude_says working; claude_result on';
const DONE = 'claude_says "<response>DONE</response>"; claude_result done';
const sceneOf = (play: string): Scene => makeScene({ play, agent: 'claude' });
/** Prints one line of a Claude Code message; each line of a message repeats its usage. */
const call = (id: string, tokens: number): string =>
  `printf '{"type":"assistant","message":{"id":"${id}","usage":{"input_tokens":${tokens},"output_tokens":1},"content":[]}}\\n'`;
const FOREVER = 'exec sleep 1000';

describe('--max-cost', () => {
  test('starts no agent once it is used up, and exits with 8', async () => {
    const scene = sceneOf(WORKS);
    const { code, stderr } = await scene.run('--max-cost', '0.9');
    expect(code).toBe(8);
    expect(scene.starts()).toEqual(['agent 1/work/1', 'agent 2/work/1']);
    expect(stderr).toContain('Stopped after 2 iterations: its budget is used up');
    expect(stderr).toContain('It has cost $1.00 of $0.90 (--max-cost).');
  });

  test('counts the calls for commit messages', async () => {
    const message = 'claude_result "Say it"';
    const settings = { scm: { command: 'git', tasks: ['commit'] } };
    const scene = makeScene({ play: `echo x >>work.txt; ${WORKS}`, message, agent: 'claude', settings });
    expect((await scene.run('--max-cost', '0.9')).code).toBe(8);
    expect(scene.starts()).toEqual(['agent 1/work/1', 'agent 1/message/1']);
  });

  test('does not stop the run that used it up from finishing the loop', async () => {
    expect((await sceneOf(DONE).run('--max-cost', '0.1')).code).toBe(0);
  });

  test('can be raised on resume; otherwise nothing starts', async () => {
    const scene = sceneOf(`[ $n -lt 3 ] && { ${WORKS}; exit; }; ${DONE}`);
    expect((await scene.run('--max-cost', '0.9')).code).toBe(8);
    const records = scene.journal().length;
    for (const command of ['ralph resume', 'ralph resume --max-cost 1']) {
      const { code, stderr } = await scene.shell(command);
      expect(code).toBe(2);
      expect(stderr).toMatch(
        /^error: loop \w{4} has cost \$1\.00 of \$(?:0\.90|1\.00) \(--max-cost\)\nhint: To continue, run: ralph resume \w{4} --max-cost (?:1\.8|2)\n$/,
      );
    }
    expect(scene.journal()).toHaveLength(records);
    expect((await scene.shell('ralph resume --max-cost 5')).code).toBe(0);
    expect(scene.starts()).toHaveLength(3);
  });
});

describe('--max-tokens', () => {
  test('ends an agent that exceeds it in the middle of its work, counting every message once', async () => {
    const same = `${call('m1', 900)}; ${call('m1', 900)}; ${call('m2', 900)}`;
    const scene = sceneOf(`${same}; at_gate; ${call('m3', 900)}; ${FOREVER}`);
    const running = scene.ralph(['run', '-p', 'x', '--max-tokens', '2K']);
    await scene.logged('at gate 1/work/1');
    scene.openGate();
    const { code, stderr } = await running.exited;
    expect(code).toBe(8);
    expect(stderr).toContain('It has used 3K of 2K tokens (--max-tokens).');
    const ran = scene.journal().find(({ result }) => result.kind === 'ran')?.result;
    expect(ran).toMatchObject({ endedBy: 'budget', used: { inputTokens: 2700, outputTokens: 3 } });
  });

  test('lets the iteration finish with --budget-soft', async () => {
    const scene = sceneOf(`${call('m1', 3000)}; ${WORKS}`);
    const { code } = await scene.run('--max-tokens', '2K', '--budget-soft', '-m', '5');
    expect(code).toBe(8);
    expect(scene.journal().find(({ result }) => result.kind === 'ran')?.result).not.toHaveProperty('endedBy');
  });

  test('counts what an agent had used when its supervisor was killed', async () => {
    const scene = sceneOf(`${call('m1', 3000)}; at_gate; ${WORKS}`);
    const running = scene.ralph(['run', '-p', 'x', '--max-tokens', '10K']);
    await scene.logged('at gate 1/work/1');
    running.signal('SIGKILL');
    await running.exited;
    const resumed = scene.ralph(['resume']);
    await scene.logged('at gate 1/work/2');
    resumed.signal('SIGKILL');
    await resumed.exited;
    const last = await scene.shell('ralph status --json');
    expect(JSON.parse(last.stdout)).toMatchObject({ usage: { inputTokens: 3000 } });
    await scene.letGo();
  });
});

test('--max-time ends the loop when its agents have worked that long', async () => {
  const scene = makeScene({ play: 'sleep 1000' });
  const { code, stderr } = await scene.run('--max-time', '1s', '-m', '5');
  expect(code).toBe(8);
  expect(stderr).toMatch(/It has worked for \ds of 1s \(--max-time\)\./);
  expect(scene.starts()).toEqual(['agent 1/work/1']);
});

describe('an agent that enforces a budget itself', () => {
  const LOGS = 'echo "flags $*" >>"$SCENE/starts.log"';
  const given = (scene: Scene): (string | undefined)[] =>
    scene.starts().flatMap((line) => (line.startsWith('flags ') ? [/--max-budget-usd \S+/.exec(line)?.[0]] : []));

  test('is given what is left', async () => {
    const scene = sceneOf(`${LOGS}; ${WORKS}`);
    await scene.run('--max-cost', '1.2', '-m', '2');
    expect(given(scene)).toEqual(['--max-budget-usd 1.2', '--max-budget-usd 0.7']);
  });

  test.each([
    ['without a budget', [], {}],
    ['where its iteration may finish', ['--max-cost', '9', '--budget-soft'], {}],
    ['where its model is proxied', ['--max-cost', '9'], { ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' }],
  ])('is given nothing %s', async (_, flags, env) => {
    const scene = makeScene({ play: `${LOGS}; ${WORKS}`, agent: 'claude', env });
    await scene.run(...flags, '-m', '1');
    expect(given(scene)).toEqual([undefined]);
  });

  test('ends the loop when it reports the budget used up, without a failed iteration', async () => {
    const result = '"type":"result","subtype":"error_max_budget_usd","is_error":true,"total_cost_usd":0.9';
    const scene = sceneOf(`printf '{${result}}\\n'; exit 1`);
    const { code, stderr } = await scene.run('--max-cost', '0.9');
    expect(code).toBe(8);
    expect(stderr).toContain('It has cost $0.90 of $0.90 (--max-cost).');
    expect(stderr).toContain('! The agent was ended: its budget is used up');
    expect(stderr).not.toMatch(/failed/i);
    const kinds = scene.journal().map(({ result }) => result.kind);
    expect(kinds).toEqual(['created', 'inputs', 'started', 'ran', 'ended']);
  });

  test('counts as failed if it ran out of money before the loop did', async () => {
    const result = '"type":"result","subtype":"error_max_budget_usd","is_error":true,"total_cost_usd":0.1';
    const { code, stderr } = await sceneOf(`printf '{${result}}\\n'; exit 1`).run('--max-cost', '9', '-m', '1');
    expect(code).toBe(1);
    expect(stderr).toContain('it used up the dollars that it was given');
  });
});

describe('an agent that takes messages while it works', () => {
  const LOGS = 'echo "flags $*" >>"$SCENE/starts.log"';
  const hooks = (scene: Scene): boolean[] =>
    scene.starts().flatMap((line) => (line.startsWith('flags ') ? [line.includes('PostToolUse')] : []));

  /** Runs the hook from the settings that it was given, as Claude Code does. */
  const HOOK = `for word; do case $word in *PostToolUse*) settings=$word;; esac; done
    hook=$(node -p 'JSON.parse(process.argv[1]).hooks.PostToolUse[0].hooks[0].command' "$settings")
    until sh -c "$hook" >"$SCENE/heard" && [ -s "$SCENE/heard" ]; do sleep 0.01; done
    sh -c "$hook" >"$SCENE/again"`;

  test('is asked once to wrap up, when 90 % of a budget is used', async () => {
    const scene = sceneOf(`${call('m1', 1850)}; ${HOOK}; ${DONE}`);
    expect((await scene.run('--max-tokens', '2K')).code).toBe(0);
    const { hookSpecificOutput: heard } = JSON.parse(scene.read('heard'));
    expect(heard.hookEventName).toBe('PostToolUse');
    expect(heard.additionalContext).toContain('Wrap up now');
    expect(scene.read('again')).toBe('');
  });

  test('is also asked to wrap up when its time runs out', async () => {
    const scene = sceneOf(`${HOOK}; ${DONE}`);
    expect((await scene.run('--max-time', '1s', '--budget-soft')).code).toBe(0);
  });

  test.each<[string, string[], string[], boolean]>([
    ['with a budget', ['--max-cost', '9'], [], true],
    ['without a budget', [], [], false],
    ['with settings of its own', ['--max-cost', '9'], ['--settings', '{}'], false],
  ])('gets a hook for it, or not: %s', async (_, flags, own, has) => {
    const settings = { agent: { command: 'claude', flags: own } };
    const scene = makeScene({ play: `${LOGS}; ${WORKS}`, agent: 'claude', settings });
    await scene.run(...flags, '-m', '1');
    expect(hooks(scene)).toEqual([has]);
  });
});

describe('a warning at 80 %', () => {
  test('is one line, even in the middle of an iteration', async () => {
    const scene = sceneOf(`${call('m1', 1700)}; at_gate; ${WORKS}`);
    const running = scene.ralph(['run', '-p', 'x', '--max-tokens', '2K', '--json', '-m', '1']);
    await scene.logged('at gate 1/work/1');
    await running.says('"type":"budget"');
    scene.openGate();
    const { code, stdout, stderr } = await running.exited;
    expect(code).toBe(1);
    const events = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
    expect(events.filter(({ type }) => type === 'budget')).toEqual([
      { v: 1, type: 'budget', of: 'tokens', limit: 2000, used: 1701, iteration: 1 },
    ]);
    expect(stderr.match(/^warning: 85 % of a budget is used/gm)).toHaveLength(1);
  });

  test('comes once per budget, also between iterations', async () => {
    const { code, stderr } = await sceneOf(WORKS).run('--max-cost', '1.2', '-m', '5');
    expect(code).toBe(8);
    const warnings = stderr.split('\n').filter((line) => line.includes('of a budget'));
    expect(warnings).toEqual(['warning: 83 % of a budget is used. It has cost $1.00 of $1.20 (--max-cost).']);
  });

  test('about time comes while the agent works', async () => {
    const scene = sceneOf('at_gate');
    const running = scene.ralph(['run', '-p', 'x', '--max-time', '3s']);
    await running.says('warning: 80 % of a budget is used. It has worked for 2s of 3s (--max-time).');
    expect((await running.exited).code).toBe(8);
  });
});

test.each([
  ['is used up by the work', '0.4', ['agent 1/work/1']],
  ['is crossed by the call for the message', '0.6', ['agent 1/work/1', 'agent 1/message/1']],
])('finished work is committed even if the budget %s', async (_when, cost, starts) => {
  const message = `${call('m1', 900_000)}; ${FOREVER}`;
  const settings = { scm: { command: 'git', tasks: ['commit'] } };
  const scene = makeScene({ play: `echo line >>work.txt; ${DONE}`, message, agent: 'claude', settings });
  expect((await scene.run('--max-cost', cost, '--max-tokens', '800K')).code).toBe(0);
  expect(scene.starts()).toEqual(starts);
  expect(scene.git('log', '-1', '--format=%s')).toBe('Do the work. (iteration 1)\n');
});

test('finished work is committed even if no budget is left for writing the message', async () => {
  const scene = makeScene({
    play: `echo line >>work.txt; ${DONE}`,
    message: 'exec sleep 1000',
    agent: 'claude',
    settings: {
      guardrails: [{ command: 'sleep 1.5', failAction: 'APPEND' }],
      scm: { command: 'git', tasks: ['commit'] },
    },
  });
  expect((await scene.run('--max-time', '1s')).code).toBe(0);
  expect(scene.git('log', '-1', '--format=%s')).toBe('Do the work. (iteration 1)\n');
});

test.each([
  [['--max-cost', '0'], 'must be an amount such as 5 or 2.50'],
  [['--max-tokens', 'many'], 'must be a number such as 500K or 2M'],
])('%j is refused', async (flags, message) => {
  const { code, stderr } = await sceneOf(DONE).run(...flags);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test('lists show that a budget is used up, and the command that continues the loop', async () => {
  const scene = sceneOf(WORKS);
  const { stderr } = await scene.run('--max-cost', '0.9');
  expect(stderr).toContain('  limits     10 iterations, $0.90');
  expect((await scene.shell('ralph ls')).stdout).toContain('cost budget used up');
  expect((await scene.shell('ralph status')).stdout).toMatch(/ralph resume \w{4} --max-cost 1\.8 +continue/);
  expect((await scene.shell('ralph report')).stdout).toMatch(/next +ralph resume \w{4} --max-cost 1\.8/);
});
