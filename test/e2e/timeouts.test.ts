/** Time limits of agents and guardrails. What takes longer is ended with everything that it started. */
import { describe, expect, test } from 'vitest';
import { processesOf } from '../support/programs/processes.ts';
import { DONE, makeScene, PROMPT } from '../support/scene.ts';

/** Starts a child, a grandchild and a process in its own session, prints "begun", and waits for ever. */
const TREE = 'sleep 600 & sh -c "sleep 601; true" & setsid sleep 602 & echo begun; wait';

describe('an agent that takes too long', () => {
  test.each([
    ['--agent-timeout', ['--agent-timeout', '1s'], undefined],
    ['agent.timeout', [], '1s'],
    ['the flag wins over the setting', ['--agent-timeout', '1s'], '1h'],
  ])('%s: its process tree is ended, the iteration fails, and the next one begins', async (_what, flags, timeout) => {
    const agent = { command: 'agent', ...(timeout === undefined ? {} : { timeout }) };
    const scene = makeScene({ play: `[ $n = 2 ] && ${DONE} && exit; ${TREE}`, settings: { agent } });
    const { code, stdout, stderr } = await scene.run('-m', '2', ...flags);
    expect(stdout).toBe('begun\n<response>DONE</response>\n');
    expect(stderr).toContain('\n✗ Agent failed (timed out after 1s)\n');
    expect(code).toBe(0);
    expect(processesOf(scene.folder)).toEqual([]);
  });

  test('its DONE does not count, and no guardrail or commit follows', async () => {
    const guardrails = [{ command: 'true', failAction: 'APPEND' }];
    const scm = { command: 'git', tasks: ['commit'] };
    const scene = makeScene({ play: `echo line >>work.txt; ${DONE}; sleep 600`, settings: { guardrails, scm } });
    const { code, stderr } = await scene.run('-m', '1', '--agent-timeout', '700ms');
    expect(code).toBe(1);
    expect(stderr).not.toContain('Guardrail');
    expect(scene.git('log', '--format=%s')).toBe('begin\n');
    expect(stderr).toContain('Agent failed (timed out after ');
  });

  test('a limit of less than a second is reported in milliseconds', async () => {
    const scene = makeScene({ play: 'sleep 600' });
    const { stderr } = await scene.run('-m', '1', '--agent-timeout', '300ms');
    expect(stderr).toContain('Agent failed (timed out after 300ms)');
  });

  test('it is ended even if it ignores SIGTERM', async () => {
    const scene = makeScene({ play: `trap '' TERM HUP INT; echo begun; while :; do sleep 0.2; done` });
    const { code, stderr } = await scene.run('-m', '1', '--agent-timeout', '1s');
    expect(stderr).toContain('Agent failed (timed out after 1s)');
    expect(code).toBe(1);
    expect(processesOf(scene.folder)).toEqual([]);
  });

  test('a limit far beyond the maximum of a timer does not end it at once', async () => {
    const scene = makeScene({ play: `sleep 0.3; ${DONE}` });
    expect(await scene.run('-m', '1', '--agent-timeout', '2000h')).toMatchObject({ code: 0 });
  });

  test('the limit also applies to the run that writes the commit message', async () => {
    const scm = { command: 'git', tasks: ['commit'] };
    const scene = makeScene({
      play: `echo line >>work.txt; ${DONE}`,
      message: 'echo Message; sleep 600',
      settings: { scm },
    });
    const { code, stderr } = await scene.run('-m', '1', '--agent-timeout', '1s');
    expect(stderr).toContain('Agent failed (timed out after 1s)');
    expect(stderr).toMatch(/✗ nothing is committed: no commit message/);
    expect(code).toBe(11);
    expect(scene.git('log', '--format=%s')).toBe('begin\n');
  });
});

describe('a guardrail that takes too long', () => {
  test('fails: its process tree is ended, and the agent reads exit 124 and the output so far', async () => {
    const command = `test -e ../second || { ${TREE}; }`;
    const guardrails = [
      { command, failAction: 'APPEND', timeout: '1s', hint: 'Be quick.' },
      { command: 'echo next', failAction: 'APPEND' },
    ];
    const scene = makeScene({ play: `[ $n = 1 ] || touch ../second; ${DONE}`, settings: { guardrails } });
    const { code, stderr } = await scene.run('-m', '2');
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^✗ test -e .*… {2}timed out after 1s +1\.\ds\n {4}begun\n {4}\.ralph\/.*\n✓ echo next +0\.\ds$/m,
    );
    const [, log] = /Output file: (.*)\n/.exec(scene.promptOf('2/work/1')) ?? [];
    expect(scene.promptOf('2/work/1')).toBe(
      `${PROMPT}\n\nGuardrail "${command}" failed with exit code 124.\nHint: Be quick.\nOutput file: ${log}\nOutput (truncated):\nbegun\n`,
    );
    expect(scene.read(`work/${log}`)).toBe('begun\n');
    expect(processesOf(scene.folder)).toEqual([]);
  });

  test('does not fail within its limit', async () => {
    const guardrails = [{ command: 'sleep 0.2', failAction: 'APPEND', timeout: '1h' }];
    const scene = makeScene({ play: DONE, settings: { guardrails } });
    expect(await scene.run('-m', '1')).toMatchObject({ code: 0 });
  });
});

describe('an invalid duration is refused', () => {
  test.each(['10', '0s', 'soon', '-5s', '', '1d', '5 s'])('--agent-timeout %j', async (text) => {
    const scene = makeScene({ play: DONE });
    const { code, stderr } = await scene.run(`--agent-timeout=${text}`);
    expect(stderr).toMatch(/^error: --agent-timeout must be a duration such as /);
    expect({ code, starts: scene.starts() }).toEqual({ code: 2, starts: [] });
  });

  test('in the settings, with its path', async () => {
    const guardrails = [{ command: 'true', failAction: 'APPEND', timeout: '0s' }];
    const scene = makeScene({ play: DONE, settings: { agent: { command: 'agent', timeout: 'soon' }, guardrails } });
    const { code, stderr } = await scene.run();
    expect(stderr.split('\n').slice(0, 2)).toEqual([
      'error: .ralph/settings.json:1:39: agent.timeout must be a duration such as "90s" or "10m", got "soon"',
      '.ralph/settings.json:1:133: guardrails[0].timeout must be a duration such as "90s" or "10m", got "0s"',
    ]);
    expect({ code, starts: scene.starts() }).toEqual({ code: 2, starts: [] });
  });
});
