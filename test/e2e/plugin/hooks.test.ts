/** The built Stop hook as Claude Code calls it: one process per call, JSON on stdin, an answer on stdout or silence. */
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Recorded } from '../../../src/core/record.ts';
import { type Exited, startProgram } from '../../support/programs/program.ts';
import { makeScene, ROOT, type Scene } from '../../support/scene.ts';

const HOOK = join(ROOT, 'dist/hooks/session-loop.cjs');
const SILENCE = { code: 0, stdout: '', stderr: '' };
const GO_ON = {
  decision: 'block',
  reason: expect.stringContaining('Original task: Work.'),
  systemMessage: 'Ralph iteration 1/9: promise not found.',
};

describe('a session without a loop can stop', () => {
  test('and nothing is created for it', async () => {
    const scene = makeScene({ play: '' });
    expect(await stop(scene, { session_id: 'ac0a0cab-b44e-41df-a7ec-e74fe79c9660' })).toEqual(SILENCE);
    expect(readdirSync(scene.folder)).not.toContain('state');
  });

  test.each([
    ['a path to a journal elsewhere', 'a/../../../../work'],
    ['a path upwards', '../../../../work'],
    ['a folder', '..'],
    ['an absolute path', '/etc'],
    ['a name with a NUL', 'a\0b'],
    ['a name without an end', 'x'.repeat(5000)],
    ['an empty name', ''],
    ['a number', 17],
    ['nothing', null],
    ['a list', ['a']],
  ])('%s as its id is harmless', async (_what, session_id) => {
    const scene = makeScene({ play: '' });
    // A path made from the id could lead here.
    scene.write('work/journal.jsonl', 'not a journal\n');
    expect(await stop(scene, { session_id, last_assistant_message: '<promise>DONE</promise>' })).toEqual(SILENCE);
    expect(scene.read('work/journal.jsonl')).toBe('not a journal\n');
    expect(readdirSync(scene.folder)).not.toContain('state');
  });

  test.each(['', '{"session_id":', 'null', '[]', '"x"', 'not JSON at all'])(
    'malformed input never blocks it: %j',
    async (stdin) => {
      const scene = makeScene({ play: '' });
      const { code, stdout, stderr } = await hook(scene, stdin);
      // Exit code 2 would block the stop.
      expect([0, 1]).toContain(code);
      expect(stdout).toBe('');
      expect(stderr).toMatch(code === 1 ? /JSON/ : /^$/);
    },
  );
});

describe('a session with a loop', () => {
  test('continues until it keeps its promise; then silence lets it stop', async () => {
    const scene = makeScene({ play: '' });
    const session = await beginSession(scene);
    expect(answer(await stop(scene, said(scene, session, 'I think I am done.')))).toEqual(GO_ON);
    const end = await stop(scene, said(scene, session, 'Now: <promise>DONE</promise>', 1));
    expect(answer(end)).toEqual({ systemMessage: expect.stringContaining('PROMISE_ACCEPTED at iteration 1') });
    expect(ran(scene, session)).toHaveLength(2);
    expect(await stop(scene, said(scene, session, 'More?'))).toEqual(SILENCE);
    expect(ran(scene, session)).toHaveLength(2);
  });

  test('can stop at its limit', async () => {
    const scene = makeScene({ play: '' });
    const session = await beginSession(scene, '2');
    for (const words of ['first', 'second']) {
      expect(answer(await stop(scene, said(scene, session, words)))).toMatchObject({ decision: 'block' });
    }
    const end = answer(await stop(scene, said(scene, session, 'third')));
    expect(end).toEqual({ systemMessage: expect.stringContaining('MAX_ITERATIONS_REACHED (2)') });
  });

  test.each([
    ['blocking', []],
    ['non-blocking', [join(ROOT, 'test/fakes/nonblocking-stdin.pl')]],
  ])('reads input that arrives late and in pieces to its end, on a %s stdin', async (_kind, front) => {
    const scene = makeScene({ play: '' });
    const session = await beginSession(scene);
    const input = JSON.stringify(said(scene, session, `Grüße 🙂 ${'x'.repeat(200_000)}`));
    const exited = await hook(scene, late(input.slice(0, 50), input.slice(50, 100_000), input.slice(100_000)), front);
    expect(exited).toMatchObject({ code: 0, stderr: '' });
    expect(answer(exited)).toEqual(GO_ON);
  });

  describe('that calls twenty Stop hooks at once', () => {
    test('keeps an intact journal, and is told to continue', async () => {
      const { scene, session, answers } = await atOnce(20);
      for (const { code, stderr } of answers) expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      // At least one must block, or the session stops.
      expect(answers.filter(({ stdout }) => stdout !== '').map(answer)).toContainEqual(GO_ON);
      const records = recordsOf(scene, session);
      expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index));
    });
  });

  describe('that calls two copies of the Stop hook', () => {
    test('makes one iteration per turn of the agent', async () => {
      const { scene, session, answers } = await atOnce(2);
      expect(ran(scene, session)).toHaveLength(1);
      const told = answers.filter(({ stdout }) => stdout !== '').map(answer);
      expect(told.map(({ systemMessage }) => systemMessage)).toEqual([GO_ON.systemMessage]);
      const next = answer(await stop(scene, said(scene, session, 'the next turn')));
      expect(next.systemMessage).toBe('Ralph iteration 2/9: promise not found.');
    });

    test('makes one iteration even if the second gets its input after the first has ended', async () => {
      const scene = makeScene({ play: '' });
      const session = await beginSession(scene);
      const input = said(scene, session, 'one turn');
      let letIn = (): void => undefined;
      const until = new Promise<void>((resolve) => {
        letIn = resolve;
      });
      const second = hook(scene, heldBack(until, JSON.stringify(input)));
      // Long enough for it to run, and to wait for its input.
      await sleep(1000);
      expect(answer(await stop(scene, input))).toEqual(GO_ON);
      letIn();
      expect(await second).toEqual(SILENCE);
      expect(ran(scene, session)).toHaveLength(1);
    });
  });

  test('cannot be resumed with `ralph resume`', async () => {
    const scene = makeScene({ play: '' });
    const session = await beginSession(scene);
    for (const args of [['resume'], ['resume', `session-${session}`]]) {
      const { code, stderr } = await scene.ralph(args).exited;
      expect(code).toBe(2);
      expect(stderr).toMatch(/^error: .*\nhint: /);
    }
    expect(answer(await stop(scene, said(scene, session, 'Still here.')))).toEqual(GO_ON);
  });
});

/** Starts a loop as users do, with a fake agent that records the id of the session. */
async function beginSession(scene: Scene, limit = '9'): Promise<string> {
  const args = ['session', '-p', 'Work.', '-m', limit, '--', join(ROOT, 'test/fakes/session-claude.sh')];
  expect(await scene.ralph(args).exited).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('iteration 0, before'),
  });
  return scene.read('session').trim();
}

async function atOnce(hooks: number): Promise<{ scene: Scene; session: string; answers: Exited[] }> {
  const scene = makeScene({ play: '' });
  const session = await beginSession(scene);
  const input = said(scene, session, 'one turn');
  const answers = await Promise.all(Array.from({ length: hooks }, () => stop(scene, input)));
  return { scene, session, answers };
}

/** The input of the hook after a turn of the agent. The transcript contains that turn already, as in Claude Code. */
function said(
  scene: Scene,
  session_id: string,
  last_assistant_message: string,
  toolCalls = 0,
): Record<string, unknown> {
  const transcript_path = join(scene.folder, 'transcript.jsonl');
  const tools = Array.from({ length: toolCalls }, () => ({ type: 'tool_use', name: 'Bash' }));
  for (const block of [...tools, { type: 'text', text: last_assistant_message }]) {
    appendFileSync(transcript_path, `${JSON.stringify({ type: 'assistant', message: { content: [block] } })}\n`);
  }
  return { session_id, hook_event_name: 'Stop', stop_hook_active: false, transcript_path, last_assistant_message };
}

function stop(scene: Scene, input: Readonly<Record<string, unknown>>): Promise<Exited> {
  return hook(scene, JSON.stringify(input));
}

function hook(scene: Scene, stdin: string | AsyncIterable<string>, front: readonly string[] = []): Promise<Exited> {
  const [command, ...args] = [...front, process.execPath, HOOK, 'claude'];
  return startProgram([command, ...args], { cwd: scene.work, env: scene.env, stdin }).exited;
}

async function* heldBack(until: Promise<void>, input: string): AsyncGenerator<string> {
  await until;
  yield input;
}

async function* late(...pieces: string[]): AsyncGenerator<string> {
  for (const piece of pieces) {
    await sleep(30);
    yield piece;
  }
}

function answer({ stdout }: Exited): { decision: string; reason: string; systemMessage: string } {
  return JSON.parse(stdout);
}

function recordsOf(scene: Scene, session: string): Recorded[] {
  const journal = readFileSync(join(scene.state, 'ralph/loops', `session-${session}`, 'journal.jsonl'), 'utf8');
  return journal
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Recorded);
}

function ran(scene: Scene, session: string): Recorded[] {
  return recordsOf(scene, session).filter(({ result }) => result.kind === 'ran');
}
