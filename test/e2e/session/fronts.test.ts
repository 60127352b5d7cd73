/** The plugin's shell scripts start node for a session that has a loop, and for no other. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { thisMachine } from '../../../src/process/identity/identity.ts';
import { stateRoot } from '../../../src/state/paths.ts';
import { testFolder } from '../../support/folder.ts';
import { slowGit } from '../../support/git/slow-git.ts';
import { type Exited, startProgram } from '../../support/programs/program.ts';
import { PLUGIN } from '../../support/session/plugin-hooks.ts';
import { answerOf, DONE, type HookedSession, hookedSession } from '../../support/session/session-loop.ts';
import { story, tasksOf } from '../../support/stories/stories.ts';

describe('without a loop in this session, node is not started', () => {
  test.each(['stop.sh', 'session-loop.sh'])('%s', async (script) => {
    const session = hookedSession();
    await hookedSession({ state: session.state }).type('ralph-loop', '"another session’s"');
    const { noted, env } = notingNode();
    expect(await call(session, script, env)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(existsSync(noted)).toBe(false);
    await session.type('ralph-loop', '"x"');
    await call(session, script, env);
    expect(existsSync(noted)).toBe(true);
  });

  test('but a command of ralph always starts it', async () => {
    const { noted, env } = notingNode();
    await call(hookedSession(), 'session-loop.sh', env, ['command']);
    expect(existsSync(noted)).toBe(true);
  });
});

describe('the scripts look where the loops are stored', () => {
  const folder = () => join(testFolder(), 'with space');

  test.each([
    ['XDG_STATE_HOME', () => ({ HOME: folder(), XDG_STATE_HOME: folder() })],
    ['no XDG_STATE_HOME', () => ({ HOME: folder(), XDG_STATE_HOME: undefined })],
    ['an empty XDG_STATE_HOME', () => ({ HOME: folder(), XDG_STATE_HOME: '' })],
    ['a relative XDG_STATE_HOME, which does not count', () => ({ HOME: folder(), XDG_STATE_HOME: 'state' })],
  ])('%s', async (_what, environment) => {
    const env = environment();
    const session = hookedSession({ env });
    await session.type('ralph-loop', '"x"');
    expect(existsSync(join(stateRoot(env).path, 'sessions', session.id))).toBe(true);
    expect(answerOf(await call(session, 'stop.sh', env)).decision).toBe('block');
  });
});

test('a check gets the user’s own node variables, which the hook itself ignores', async () => {
  const session = hookedSession();
  await session.type(
    'ralph-loop',
    '"x" --min-tool-calls 0 --check "printf %s \\"$NODE_OPTIONS|$NODE_EXTRA_CA_CERTS\\" > seen"',
  );
  const env = { NODE_OPTIONS: '--no-such-option', NODE_EXTRA_CA_CERTS: '/no/such/file' };
  expect(answerOf(await call(session, 'stop.sh', env, [], DONE)).systemMessage).toContain('PROMISE_ACCEPTED');
  expect(readFileSync(join(session.work, 'seen'), 'utf8')).toBe('--no-such-option|/no/such/file');
});

describe('in a project with a running loop of stories', () => {
  test('a stop that the stories block is not a stop of the session’s loop; one that they allow is', async () => {
    const session = hookedSession();
    await session.type('ralph-loop', '"The loop’s own task" --min-tool-calls 0');
    writeFileSync(
      join(session.work, '.ralph-active'),
      JSON.stringify({ iterationMode: 'implement', preIterationSnapshot: {} }),
    );
    const held = answerOf(await call(session, 'stop.sh', {}, [], DONE));
    expect(held.decision).toBe('block');
    expect(held.reason).toContain('tasks.json');
    expect(session.journal().filter(({ result }) => result.kind === 'ran')).toEqual([]);

    mkdirSync(join(session.work, 'ralph'));
    writeFileSync(join(session.work, 'ralph/tasks.json'), JSON.stringify(tasksOf(story('US-001'))));
    writeFileSync(join(session.work, '.ralph-active'), JSON.stringify({ skipReview: true, iterationMode: null }));
    expect(answerOf(await call(session, 'stop.sh', {}, [], 'no')).reason).toContain('The loop’s own task');
    expect(answerOf(await call(session, 'stop.sh', {}, [], DONE)).systemMessage).toContain('PROMISE_ACCEPTED');
  });
});

test('a notice of the stories that does not block is shown with the notice of the session’s loop', async () => {
  const session = hookedSession();
  await session.type('ralph-loop', '"x"');
  const { boot, pidNamespace } = thisMachine();
  const gone = { pid: 999_999_999, process: { startTime: '1', boot, pidNamespace } };
  writeFileSync(join(session.work, '.ralph-active'), JSON.stringify({ iterationMode: 'implement', ...gone }));
  const answer = answerOf(await call(session, 'stop.sh', {}));
  expect(answer.systemMessage).toMatch(/was left by process 999999999[\s\S]*Ralph iteration 1\//);
  expect(answer.decision).toBe('block');
});

test.each([
  ['not told', undefined],
  ['another one', 'other'],
])(
  'if the session id in the environment is %s, no loop starts, since the scripts would not find it',
  async (_what, id) => {
    const session = hookedSession();
    const input = {
      hook_event_name: 'UserPromptExpansion',
      command_name: 'ralph:ralph-loop',
      command_args: '"x"',
    };
    const env = { CLAUDE_CODE_SESSION_ID: id };
    const refused = answerOf(await call(session, 'session-loop.sh', env, ['command'], '', input));
    expect(refused.stopReason).toContain('CLAUDE_CODE_SESSION_ID');
    expect(session.isActive()).toBe(false);
    const begun = answerOf(await call(session, 'session-loop.sh', {}, ['command'], '', input));
    expect(begun.systemMessage).toContain('Ralph loop started');
  },
);

test('two copies of the hook for one stop count once, even if the script of one was delayed', async () => {
  const session = hookedSession();
  await session.type('ralph-loop', '"x"');
  mkdirSync(join(session.work, 'ralph'));
  writeFileSync(join(session.work, 'ralph/tasks.json'), JSON.stringify(tasksOf(story('US-001'))));
  writeFileSync(join(session.work, '.ralph-active'), JSON.stringify({ skipReview: true, iterationMode: null }));
  const { isWaiting, open, path } = slowGit();
  const kept = call(session, 'stop.sh', { PATH: path });
  await isWaiting();
  expect((await session.stop('no', { isLate: true })).systemMessage).toContain('Ralph iteration 1/');
  open();
  expect(await kept).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(session.journal().filter(({ result }) => result.kind === 'ran')).toHaveLength(1);
  expect(answerOf(await call(session, 'stop.sh', {})).systemMessage).toContain('Ralph iteration 2/');
});

describe('the commands of the plugin', () => {
  test.each(['ralph-loop', 'ulw-loop', 'cancel-ralph', 'ralph-status'])(
    '%s contains nothing that a shell or a substitution could expand',
    (name) => {
      const body = readFileSync(join(PLUGIN, 'commands', `${name}.md`), 'utf8');
      expect(body).not.toMatch(/\$|`|!\S/);
      expect(body).toContain('disable-model-invocation: true');
    },
  );
});

/** A fake node that records that it was started. */
function notingNode(): { noted: string; env: Record<string, string> } {
  const folder = testFolder();
  const noted = join(folder, 'noted');
  const node = join(folder, 'node');
  writeFileSync(node, `#!/bin/sh\n: >'${noted}'\n`);
  chmodSync(node, 0o755);
  return { noted, env: { RALPH_NODE: node } };
}

function call(
  session: HookedSession,
  script: string,
  env: Readonly<Record<string, string | undefined>>,
  args: readonly string[] = [],
  words = 'no',
  more: Readonly<Record<string, unknown>> = {},
): Promise<Exited> {
  const { id, work, transcript } = session;
  const input = {
    session_id: id,
    transcript_path: transcript,
    cwd: work,
    hook_event_name: 'Stop',
    last_assistant_message: words,
    ...more,
  };
  return startProgram([join(PLUGIN, 'hooks', script), ...args], {
    cwd: work,
    env: { ...session.env, CLAUDE_PROJECT_DIR: work, CLAUDE_CODE_SESSION_ID: id, ...env },
    stdin: JSON.stringify(input),
  }).exited;
}
