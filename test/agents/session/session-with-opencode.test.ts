/** The loop inside a session of the real opencode, whose server is driven as its own screen drives it. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Script } from '../../../src/rehearsal/script/script.ts';
import { endProcessesOf } from '../../support/programs/processes.ts';
import { type AgentScene, agentScene, installAgents } from '../scene.ts';

let programs: string[];

beforeAll(() => {
  programs = installAgents('opencode');
}, 600_000);

type Step = Readonly<Record<string, string | boolean>>;

interface Found {
  readonly toasts: readonly string[];
  /** The status of each request. */
  readonly answers: readonly number[];
  /** By session: role and texts of each message. */
  readonly messages: Readonly<Record<string, readonly (readonly [role: string, text: string])[]>>;
  /** The logs of all loops. */
  readonly logs: readonly string[];
  readonly tasks: readonly string[];
  /** Those of the project. */
  readonly files: readonly string[];
}

async function play(script: Script, steps: readonly Step[]): Promise<Found> {
  const scene = opencodeScene();
  const file = (name: string, content: unknown): string => {
    writeFileSync(join(scene.folder, name), JSON.stringify(content));
    return join(scene.folder, name);
  };
  const drive = ['node', join(import.meta.dirname, 'drive-opencode.mjs'), file('steps.json', steps)];
  const line = `${INSTALL} && OPENCODE_PURE=0 exec "$@"`;
  const found = join(scene.folder, 'found.json');
  const rehearsal = ['--script', file('script.json', script), '--', 'sh', '-c', line, 'sh', ...drive, found];
  const { code, stdout, stderr } = await scene.ralphRehearse(rehearsal);
  if (code !== 0 || !existsSync(found)) throw new Error(`it did not get to its end:\n${stdout}\n${stderr}`);
  const { toasts, answers, messages } = JSON.parse(readFileSync(found, 'utf8')) as RawFound;
  const inLoops = (name: string): string[] => {
    const loops = join(scene.state, 'ralph/loops');
    return existsSync(loops)
      ? readdirSync(loops)
          .sort()
          .map((id) => readFileSync(join(loops, id, name), 'utf8'))
      : [];
  };
  const texts = Object.entries(messages).map(([name, all]) => [name, all.map(roleAndText)]);
  return {
    toasts,
    answers,
    files: readdirSync(scene.work).filter((name) => !name.startsWith('.')),
    messages: Object.fromEntries(texts) as Found['messages'],
    logs: inLoops('loop.log'),
    tasks: inLoops('task.txt'),
  };
}

const INSTALL = 'ralph install-hooks opencode --yes >installed.txt';

function opencodeScene(): AgentScene {
  const scene = agentScene(programs, { 'README.md': 'A project.\n' });
  onTestFinished(() => {
    // If the test timed out, the rehearsal still runs.
    endProcessesOf(scene.folder);
    scene.remove();
  });
  scene.write('.opencode/package-lock.json', PLUGIN_LIBRARY_IS_THERE);
  scene.write('.opencode/node_modules/.keep', '');
  return scene;
}

interface RawFound {
  readonly toasts: string[];
  readonly answers: number[];
  readonly messages: Readonly<Record<string, RawMessage[]>>;
}

interface RawMessage {
  readonly info: { readonly role: string };
  readonly parts: readonly { readonly type: string; readonly text?: string }[];
}

function roleAndText({ info, parts }: RawMessage): [string, string] {
  return [
    info.role,
    parts.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : [])).join('|'),
  ];
}

/** Without this, opencode would ask npm for a library that ralph's plugin does not use. */
const PLUGIN_LIBRARY_IS_THERE = JSON.stringify({
  packages: { '': { dependencies: { '@opencode-ai/plugin': '*' } } },
});

const WORK = { name: 'bash', input: { command: 'echo worked >> notes.txt; cat notes.txt', description: 'Work' } };
const MISSING = 'You attempted to end the loop, but you did not output the completion promise <promise>DONE</promise>.';

function loop(words: string, of = 'a'): Step {
  return { command: 'ralph-loop', of, arguments: words };
}

function toast(has: string): Step {
  return { event: 'tui.toast.show', has };
}

describe('the acceptance tests of the specification', () => {
  test('1, 2, 5: a stop without the promise does not end the loop, the promise in the last message does', async () => {
    const { toasts, messages, logs } = await play(
      {
        turns: [
          { match: 'Write a note', say: 'I’m done.' },
          { match: 'You attempted', tool: WORK },
          { say: 'It is written.\n<promise>DONE</promise>' },
        ],
      },
      [{ new: 'a' }, loop('"Write a note"'), toast('PROMISE_ACCEPTED'), { messages: 'a' }],
    );
    expect(toasts.at(-1)).toContain('Ralph loop: PROMISE_ACCEPTED at iteration 1: promise found, accepted.\n✓ Done in');
    const asked = (messages.a ?? []).filter(([role]) => role === 'user').map(([, text]) => text);
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain(
      'only when the task is fully done, output exactly this promise: <promise>DONE</promise>',
    );
    expect(asked[1]).toContain(MISSING);
    expect(asked[1]).toContain('Original task: Write a note');
    expect(logs.join('')).toContain('promise found, accepted; 1 tool calls so far; PROMISE_ACCEPTED');
  });

  test('3: the loop ends at its limit; the task arrives as it was typed, and nothing in it is run', async () => {
    const task =
      'Keep `a` and $(touch ran-1) and !`touch ran-2` and "b" and \'c\' and \\ and @README.md and $ARGUMENTS $1\nline two --max-iterations stays';
    const { toasts, tasks, messages, files } = await play({ turns: [], otherwise: { say: 'Not yet.' } }, [
      { new: 'a' },
      loop(`--max-iterations 2 -- ${task}`),
      toast('MAX_ITERATIONS_REACHED'),
      { messages: 'a' },
    ]);
    expect(toasts.at(-1)).toMatch(
      /^Ralph loop: MAX_ITERATIONS_REACHED \(2\): promise not found\.\n✗ Stopped at the limit of 2/,
    );
    expect(tasks).toEqual([task]);
    const asked = messages.a?.filter(([role]) => role === 'user') ?? [];
    expect(asked).toHaveLength(3);
    for (const [, text] of asked) expect(text).toContain(task);
    expect(files).toEqual(['README.md', 'installed.txt']);
  });

  test('4: a promise without work is rejected', async () => {
    const { messages, logs } = await play(
      {
        turns: [
          { match: 'Write a note', say: '<promise>DONE</promise>' },
          { match: 'Promise detected, but no tool calls/work were performed', tool: WORK },
          { say: '<promise>DONE</promise>' },
        ],
      },
      [{ new: 'a' }, loop('Write a note'), toast('PROMISE_ACCEPTED'), { messages: 'a' }],
    );
    expect(messages.a?.filter(([role]) => role === 'user')).toHaveLength(2);
    expect(logs.join('')).toContain('promise found, rejected: 0 tool calls, 1 needed');
  });
});

test('work and words from before the loop do not count', async () => {
  const { logs } = await play(
    {
      turns: [
        { match: 'Before', tool: WORK },
        { say: '<promise>DONE</promise>' },
        { match: 'Write a note', say: 'I have nothing to do.' },
      ],
      otherwise: { say: '<promise>DONE</promise>' },
    },
    [
      { new: 'a' },
      { prompt: 'Before', of: 'a' },
      loop('"Write a note" --max-iterations 2'),
      toast('MAX_ITERATIONS_REACHED'),
    ],
  );
  expect(logs.join('')).toContain('promise not found; 0 tool calls so far; sent back');
  expect(logs.join('')).toContain('promise found, rejected: 0 tool calls, 1 needed');
});

test('two sessions in one folder each have their own loop, a third has none, and a subagent’s cannot have one', async () => {
  const { messages, tasks, toasts, answers } = await play(
    {
      turns: [
        { match: 'First task', times: 2, say: 'First: not yet.' },
        { match: 'Second task', times: 3, say: 'Second: not yet.' },
        { match: 'Only a question', say: 'An answer.' },
      ],
    },
    [
      ...['a', 'b', 'c'].map((name) => ({ new: name })),
      loop('"First task" --max-iterations 1', 'a'),
      { ...loop('"Second task" --max-iterations 2', 'b'), background: true },
      toast('MAX_ITERATIONS_REACHED'),
      toast('MAX_ITERATIONS_REACHED'),
      { prompt: 'Only a question', of: 'c' },
      { new: 'child', parent: 'a' },
      loop('"Third task"', 'child'),
      toast('this is the session of a subagent'),
      { messages: 'child' },
      ...['a', 'b', 'c'].map((name) => ({ messages: name })),
    ],
  );
  expect([...tasks].sort()).toEqual(['First task', 'Second task']);
  expect(toasts.at(-1)).toContain('this is the session of a subagent');
  expect(answers.at(-1)).toBe(500);
  expect(messages.child).toEqual([]);
  const answersIn = (name: string) => messages[name]?.filter(([role]) => role === 'assistant').map(([, text]) => text);
  expect(answersIn('a')).toEqual(['First: not yet.', 'First: not yet.']);
  expect(answersIn('b')).toEqual(['Second: not yet.', 'Second: not yet.', 'Second: not yet.']);
  expect(answersIn('c')).toEqual(['An answer.']);
});

test('/cancel-ralph ends the loop, /ralph-status reports it; neither is sent to the model', async () => {
  const { toasts, messages, answers } = await play(
    { turns: [{ match: 'Go on', delayMs: 3000, say: 'Not yet.' }], otherwise: { say: 'Too late.' } },
    [
      { new: 'a' },
      { ...loop('Go on'), background: true },
      { event: 'session.status', has: '"busy"' },
      { command: 'ralph-status', of: 'a', arguments: '' },
      { command: 'cancel-ralph', of: 'a', arguments: '' },
      { event: 'session.idle' },
      { command: 'cancel-ralph', of: 'a', arguments: '' },
      { messages: 'a' },
    ],
  );
  expect(toasts.join('\n')).toContain('Ralph loop: ACTIVE, iteration 0 of at most 100');
  expect(toasts).toContainEqual(expect.stringMatching(/^Cancelled Ralph loop \(was at iteration 0\)\n/));
  expect(toasts.at(-1)).toBe('No active Ralph loop found.');
  expect(messages.a?.map(([role]) => role)).toEqual(['user', 'assistant']);
  expect(answers.every((status) => status >= 400)).toBe(true);
});

test('interrupting the agent’s turn ends the loop', async () => {
  const { toasts, messages } = await play(
    { turns: [{ match: 'Go on', delayMs: 20_000, say: 'Not yet.' }], otherwise: { say: 'Too late.' } },
    [
      { new: 'a' },
      { ...loop('Go on'), background: true },
      { event: 'session.status', has: '"busy"' },
      { abort: 'a' },
      toast('Cancelled Ralph loop'),
      { command: 'ralph-status', of: 'a', arguments: '' },
      { messages: 'a' },
    ],
  );
  expect(toasts.at(-1)).toContain('Ralph loop: CANCELLED');
  expect(messages.a?.filter(([role]) => role === 'user')).toHaveLength(1);
});

test('a loop survives a kill of opencode: after the restart, it continues when the user writes to the session', async () => {
  const { toasts, messages, logs } = await play(
    {
      turns: [
        { match: 'Write a note', say: 'Not yet.' },
        { match: 'You attempted', tool: { name: 'bash', input: { command: 'sleep 30', description: 'Rest' } } },
        { match: 'Go on, please', say: 'Where was I?' },
        { match: 'You attempted', tool: WORK },
        { say: '<promise>DONE</promise>' },
      ],
    },
    [
      { new: 'a' },
      { new: 'b' },
      { ...loop('"Write a note" --max-iterations 5'), background: true },
      { event: 'message.part.updated', has: '"status":"running"' },
      { restart: true },
      { prompt: 'Go on, please', of: 'a' },
      toast('PROMISE_ACCEPTED'),
      { messages: 'a' },
      { messages: 'b' },
    ],
  );
  expect(toasts.at(-1)).toContain('Ralph loop: PROMISE_ACCEPTED at iteration 2: promise found, accepted.\n✓ Done in');
  expect(messages.a?.filter(([role]) => role === 'user')).toHaveLength(4);
  expect(messages.b).toEqual([]);
  expect(logs).toHaveLength(1);
});

test('deleting a session ends its loop', async () => {
  const { logs } = await play({ turns: [{ match: 'Go on', delayMs: 20_000, say: 'Not yet.' }] }, [
    { new: 'a' },
    { ...loop('Go on'), background: true },
    { event: 'session.status', has: '"busy"' },
    { delete: 'a' },
    toast('Cancelled Ralph loop'),
  ]);
  expect(logs.join('')).toContain('CANCELLED');
});

test('a loop that cannot be read lets the session stop, with a message', async () => {
  const { toasts, messages } = await play(
    { turns: [{ match: 'Go on', delayMs: 3000, say: 'Not yet.' }], otherwise: { say: 'Too late.' } },
    [
      { new: 'a' },
      { ...loop('Go on'), background: true },
      { event: 'session.status', has: '"busy"' },
      { run: 'for file in "$XDG_STATE_HOME"/ralph/loops/*/journal.jsonl; do echo broken >"$file"; done' },
      toast('is damaged'),
      { messages: 'a' },
    ],
  );
  expect(toasts.at(-1)).toContain('The loop has ended and does not hold the session.');
  expect(messages.a?.map(([role]) => role)).toEqual(['user', 'assistant']);
});

test('a request that fails is not repeated: the loop waits until the user writes', async () => {
  const { messages, toasts } = await play(
    {
      turns: [
        { match: 'Go on', fault: { status: 400 } },
        { match: 'Once more', say: 'Not yet.' },
      ],
      otherwise: { say: 'Still not.' },
    },
    [
      { new: 'a' },
      loop('"Go on" --max-iterations 1'),
      { prompt: 'Once more', of: 'a' },
      toast('MAX_ITERATIONS_REACHED'),
      { messages: 'a' },
    ],
  );
  expect(toasts.at(-1)).toContain('MAX_ITERATIONS_REACHED');
  const asked = messages.a?.filter(([role]) => role === 'user').map(([, text]) => text) ?? [];
  expect(asked).toHaveLength(3);
  expect(asked[1]).toBe('Once more');
});

test('`opencode run` refuses a loop, says what to use instead, and does not ask the model', async () => {
  const scene = opencodeScene();
  scene.write('script.json', JSON.stringify({ turns: [], otherwise: { say: 'Too late.' } }));
  const line = `${INSTALL} && OPENCODE_PURE=0 opencode run --command ralph-loop "Go on" </dev/null`;
  const { code, stdout, stderr } = await scene.ralphRehearse(['--script', 'script.json', '--', 'sh', '-c', line]);
  expect(stderr).toContain('`opencode run` ends at the first stop of its agent, so a loop cannot continue in it.');
  expect(stderr).toContain('Use `ralph run` with opencode as its agent');
  expect(`${stdout}${stderr}`).toContain('asked no model');
  expect(code).toBe(1);
});
