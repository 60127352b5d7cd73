/** Secrets reach the agent and the guardrails, but nothing that ralph writes or shows. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DONE, makeScene, type Scene } from '../support/scene.ts';

const FROM_ENVIRONMENT = 'plain-words-of-a-secret';
const KEYS = [
  'sk-ant-api03-abcdefghijklmnop-0123456789',
  'ghp_abcdefghijklmnopqrstuvwxyz0123456789',
  'github_pat_11ABCDEFG0abcdefghijklmnop',
  'AKIAIOSFODNN7EXAMPLE',
  'xoxb-1234567890-abcdefghij',
  'glpat-abcdefghij0123456789',
];
const SECRETS = [FROM_ENVIRONMENT, ...KEYS];
const ENV = { MY_SERVICE_PASSWORD: FROM_ENVIRONMENT };
const ALL = SECRETS.join(' ');

/** The places where a secret turned up: the journal, the status, the project's logs or the output. */
function leaks(scene: Scene, shown: string): string[] {
  const loop = dirname(scene.journalFile());
  const ralph = join(scene.work, '.ralph');
  const places = new Map<string, string>([['console', shown]]);
  for (const name of ['journal.jsonl', 'status.json']) places.set(name, readFileSync(join(loop, name), 'utf8'));
  for (const name of readdirSync(ralph).filter((file) => file.endsWith('.log'))) {
    places.set(name, readFileSync(join(ralph, name), 'utf8'));
  }
  return [...places].flatMap(([place, text]) =>
    SECRETS.filter((secret) => text.includes(secret)).map((secret) => `${secret} in ${place}`),
  );
}

/** A prompt and flags full of secrets, an agent and a guardrail that repeat them; the second iteration is green. */
function leakyScene(settings: object = {}): Scene {
  return makeScene({
    env: ENV,
    play: `echo "I have ${ALL}"; echo "and complain of ${ALL}" >&2; echo "$MY_SERVICE_PASSWORD"; [ $n = 1 ] || touch ../second; ${DONE}`,
    settings: {
      agent: { command: 'agent', flags: ['--keys', ...SECRETS] },
      guardrails: [{ command: `echo ${ALL}; test -e ../second`, failAction: 'APPEND', hint: `With ${ALL}` }],
      ...settings,
    },
  });
}

describe('hidden everywhere', () => {
  test.each([[[]], [['--verbose']], [['--no-stream-agent-output']]])(
    'from the agent, the guardrail, the prompt and the flags, with %j',
    async (flags) => {
      const scene = leakyScene();
      const { stdout, stderr } = await scene.ralph(['run', '-m', '2', '-p', `Use ${ALL}.`, ...flags]).exited;
      expect(stderr).toContain('✗ echo ***');
      expect(leaks(scene, stdout + stderr)).toEqual([]);
      // There were secrets to mask, and the words around them stay.
      expect(readFileSync(scene.journalFile(), 'utf8')).toContain('Use ***');
      const [log = ''] = readdirSync(join(scene.work, '.ralph')).filter((name) => name.endsWith('.log'));
      expect(scene.read(`work/.ralph/${log}`)).toBe(`${SECRETS.map(() => '***').join(' ')}\n`);
    },
  );

  test('from a stream of claude: its words, its tools and what they print', async () => {
    const line = (type: string, block: object): string => JSON.stringify({ type, message: { content: [block] } });
    const stream = [
      line('assistant', { type: 'text', text: `Found ${ALL}` }),
      line('assistant', { type: 'tool_use', id: 't', name: 'Bash', input: { command: `login ${FROM_ENVIRONMENT}` } }),
      line('user', { type: 'tool_result', tool_use_id: 't', content: SECRETS.slice(0, 3).join('\n') }),
      JSON.stringify({ type: 'result', is_error: true, result: `Failed with ${ALL}` }),
    ];
    const scene = makeScene({ env: ENV, agent: 'claude', play: 'cat "$SCENE/stream"' });
    scene.write('stream', `${stream.join('\n')}\n`);
    const { stdout, stderr } = await scene.run('-m', '1', '--verbose');
    expect(stdout).toContain('Bash(login ***)');
    expect(leaks(scene, stdout + stderr)).toEqual([]);
  });

  test('not even the beginning, where the output of a tool is cut', async () => {
    const content = `${'x'.repeat(100)} ${FROM_ENVIRONMENT} ${'x'.repeat(100)}`;
    const scene = makeScene({ env: ENV, agent: 'claude', play: 'cat "$SCENE/stream"; claude_result x' });
    const block = { type: 'tool_result', tool_use_id: 't', content };
    scene.write('stream', `${JSON.stringify({ type: 'user', message: { content: [block] } })}\n`);
    const { stdout } = await scene.run('-m', '1');
    expect(stdout).toContain('xxxx');
    expect(stdout).not.toContain(FROM_ENVIRONMENT.slice(0, 8));
  });

  test('from an error message that quotes the settings', async () => {
    const scene = makeScene({
      env: ENV,
      play: DONE,
      settings: { agent: { command: 'agent', flags: [`--key "${ALL}`] } },
    });
    const { code, stderr } = await scene.run();
    expect(stderr).toContain('has an unclosed "');
    expect(SECRETS.filter((secret) => stderr.includes(secret))).toEqual([]);
    expect(code).toBe(2);
  });

  test('a private key of several lines, from the plain output of an agent', async () => {
    const body = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC';
    const key = `-----BEGIN PRIVATE KEY-----\n${body}\n${body}\n-----END PRIVATE KEY-----`;
    const scene = makeScene({
      play: 'cat "$SCENE/key"',
      settings: { guardrails: [{ command: 'cat ../key; false', failAction: 'APPEND' }] },
    });
    scene.write('key', `${key}\n`);
    const { stdout, stderr } = await scene.run('-m', '1');
    expect(scene.read('work/.ralph/guardrail_001_cat_key_false.log')).not.toContain(body);
    expect(readFileSync(scene.journalFile(), 'utf8')).not.toContain(body);
    expect(stdout + stderr).not.toContain(body);
  });
});

test('the agent gets all of it unmasked, including the command and hint of a guardrail', async () => {
  const scene = leakyScene();
  await scene.ralph(['run', '-m', '2', '-p', `Use ${ALL}.`]).exited;
  expect(scene.promptOf('1/work/1')).toBe(`Use ${ALL}.`);
  const second = scene.promptOf('2/work/1');
  expect(second).toContain(`Use ${ALL}.\n\nGuardrail "echo ${ALL}; test`);
  expect(second).toContain(`Hint: With ${ALL}\n`);
});

describe('a loop that was killed while an agent worked, and resumed', () => {
  test.each(['-p', '-f'])('gives the agent the unmasked prompt (%s) and flags', async (flag) => {
    const play = `printf '%s\\n' "$@" >"$SCENE/arguments"; case $RALPH_KEY in 1/work/1) at_gate ;; esac; ${DONE}`;
    const scene = makeScene({
      env: ENV,
      play,
      settings: { agent: { command: 'agent', flags: ['--keys', ...SECRETS] } },
    });
    const prompt = `Use ${ALL}.`;
    scene.write('prompt', prompt);
    const ralph = scene.ralph(['run', '-m', '1', flag, flag === '-p' ? prompt : '../prompt']);
    await scene.logged('at gate 1/work/1');
    await scene.journalSays('"kind":"started"');
    ralph.signal('SIGKILL');
    const killed = await ralph.exited;
    const { code, stdout, stderr } = await scene.ralph(['resume', '--verbose']).exited;
    expect(code).toBe(0);
    expect(scene.starts()).toEqual(['agent 1/work/1', 'at gate 1/work/1', 'agent 1/work/2']);
    expect(scene.read('arguments')).toBe(`${['--keys', ...SECRETS, prompt].join('\n')}\n`);
    expect(leaks(scene, killed.stdout + killed.stderr + stdout + stderr)).toEqual([]);
  });

  test('gives the agent the same words of a guardrail as before', async () => {
    const guardrails = [{ command: `true ${FROM_ENVIRONMENT}; false`, failAction: 'APPEND', hint: `Use ${KEYS[0]}` }];
    const play = `case $RALPH_KEY in 2/work/1) at_gate ;; esac; ${DONE}`;
    const scene = makeScene({ env: ENV, play, settings: { guardrails } });
    const ralph = scene.ralph(['run', '-m', '2', '-p', 'x']);
    await scene.logged('at gate 2/work/1');
    ralph.signal('SIGKILL');
    await ralph.exited;
    await scene.ralph(['resume']).exited;
    expect(scene.promptOf('2/work/1')).toContain(`Hint: Use ${KEYS[0]}`);
    expect(scene.promptOf('2/work/2')).toBe(scene.promptOf('2/work/1'));
  });

  test('only the owner can read the files that keep the secret for that', async () => {
    const scene = makeScene({ env: ENV, play: DONE });
    await scene.shell(`umask 0; ralph run -p "Use ${ALL}." -m 1`);
    const loop = dirname(scene.journalFile());
    const holders = readdirSync(loop, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => readFileSync(path, 'utf8').includes(FROM_ENVIRONMENT));
    expect(holders).not.toEqual([]);
    expect(holders.filter((path) => (statSync(path).mode & 0o077) !== 0)).toEqual([]);
  });
});
