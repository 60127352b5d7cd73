/** What keeps an agent in a pane from its work is named; the loop continues as the seed says. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { events, ralphScene } from './ralph-scene.ts';

const LIMIT = "You've hit your session limit · resets 3pm (UTC)";
const AUTH = 'Invalid API key · Please run /login';

/** A program with this name that runs these shell lines. */
function agentIn(folder: string, name: string, play: string): string {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  const program = join(folder, 'bin', name);
  writeFileSync(program, `#!/bin/sh\n${play}\n`);
  chmodSync(program, 0o755);
  return program;
}

/** A login, so that there is no warning about a missing one. */
const LOGIN = ['--env', 'ANTHROPIC_API_KEY=x'];
const SPAWN = ['spawn', '--name', 'agent', ...LOGIN, '--ralph', '--prompt-file', 'PROMPT.md', '--max-iterations'];

test.each([
  ['a limit', LIMIT, `usage limit: ${LIMIT}`],
  ['a refused key', AUTH, `not logged in: ${AUTH}`],
])('%s that ends the agent is named, and the iteration fails like any other', async (_, line, named) => {
  const scene = ralphScene('true');
  const claude = agentIn(scene.folder, 'claude', `cat >/dev/null; echo "${line}"; exit 1`);
  const { code, stdout, stderr } = await scene.swarm(...SPAWN, '9', '--', claude, '-p');
  expect(code).toBe(1);
  expect(stderr).toBe('');
  const lines = stdout.split('\n');
  expect(lines.slice(0, 5)).toEqual([
    'spawned agent (tmux: swarm:agent) [ralph mode: iteration 1/9]',
    expect.stringMatching(/^\[ralph\] agent: to attach: tmux /),
    `swarm: warning: ${named}`,
    '[ralph] agent: iteration 1 failed (exit: 1), retrying in 1s (attempt 1/5)',
    '[ralph] agent: starting iteration 2/9',
  ]);
  expect(lines).toContain('[ralph] agent: 5 consecutive failures, stopping loop');
  expect(stdout).toContain(`The last failure: exit 1: ${named.slice(0, 30)}`);
  expect(events(scene.read('home/ralph/agent/iterations.log')).slice(0, 3)).toEqual([
    '[START] iteration 1/9',
    `[WARN] iteration 1: ${named}`,
    '[FAIL] iteration 1 exit=1 attempt=1/5 backoff=1s',
  ]);
  expect((await scene.swarm('ralph', 'status', 'agent')).stdout).toContain(`\nLast run: ${named}\n`);
});

test('a limit at which an agent waits is named when the iteration ends by inactivity', async () => {
  const scene = ralphScene('true');
  const play = `printf '\\n  ⎿  %s\\n' "${LIMIT}"; exec cat >/dev/null`;
  const claude = agentIn(scene.folder, 'claude', play);
  const flags = ['1', '--inactivity-timeout', '5', '--ready-timeout', '1'];
  const { code, stdout } = await scene.swarm(...SPAWN, ...flags, '--', claude);
  expect(code).toBe(0);
  expect(stdout.split('\n')).toContain(`swarm: warning: usage limit: ${LIMIT}`);
  expect(stdout.split('\n')).toContain('[ralph] agent: inactivity timeout (5s), restarting');
});

test('an agent that prints such words and then does its work causes no warning', async () => {
  const scene = ralphScene('true');
  const claude = agentIn(scene.folder, 'claude', `cat >/dev/null; echo "${LIMIT}"; exit 0`);
  const { code, stdout } = await scene.swarm(...SPAWN, '1', '--', claude, '-p');
  expect(code).toBe(0);
  expect(stdout).not.toContain('warning');
});

test.runIf(process.platform === 'linux')(
  'what would make every iteration fail causes a warning before the first',
  async () => {
    const scene = ralphScene('true');
    const claude = agentIn(scene.folder, 'claude', 'cat >/dev/null; exit 0');
    const spawn = ['spawn', '--name', 'agent', '--env', 'IS_SANDBOX=', '--ralph', '--prompt-file', 'PROMPT.md'];
    const { stderr } = await scene.swarm(
      ...spawn,
      '--max-iterations',
      '1',
      '--',
      claude,
      '-p',
      '--dangerously-skip-permissions',
    );
    const root =
      'swarm: warning: Claude Code refuses --dangerously-skip-permissions when run as root: Run ralph as another user';
    expect(stderr.includes(root)).toBe(process.getuid?.() === 0);
    expect(stderr).toContain('swarm: warning: no login of Claude Code was found: to log in: ');
  },
);
