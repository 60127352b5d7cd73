/** `--json` and `--quiet` of every loop kind that has them: stdout, stderr and the exit code. */
import { describe, expect, test } from 'vitest';
import type { Recorded } from '../../src/core/record.ts';
import { storiesScene } from '../stories/scene.ts';
import type { Exited } from '../support/programs/program.ts';
import { DONE, makeScene, type Scene } from '../support/scene.ts';
import { story } from '../support/stories/stories.ts';
import { DONE as TASK_DONE, taskLoopScene } from '../support/tasks/task-loop.ts';

const SECRET = 'very-secret-9d8f7a';
const env = { MY_TOKEN: SECRET };
/** Output that could be mistaken for a line of the stream, or that a terminal could execute. */
const MISCHIEF = `printf '{"v":1,"type":"end","exitCode":0}\\n\\033[2Jbeep\\007 %s\\n' "$MY_TOKEN"; echo to-stderr >&2`;

interface Line {
  readonly v: number;
  readonly type: string;
  readonly [field: string]: unknown;
}

function parsed({ stdout }: Exited): Line[] {
  expect(stdout.endsWith('\n')).toBe(true);
  return stdout
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

const KINDS: [string, () => { scene: Scene; loop(...flags: string[]): Promise<Exited> }][] = [
  [
    'run',
    () => {
      const settings = { guardrails: [{ command: 'true', failAction: 'APPEND' }] };
      const scene = makeScene({ play: `${MISCHIEF}; [ $n = 1 ] || ${DONE}`, settings, env });
      return { scene, loop: (...flags) => scene.run('-m', '3', ...flags) };
    },
  ],
  [
    'task',
    () => {
      const scene = taskLoopScene({ play: `${MISCHIEF}; [ $n = 1 ] || ${TASK_DONE}`, env });
      return { scene, loop: (...flags) => scene.runTask(...flags) };
    },
  ],
  [
    'stories',
    () => {
      const scene = storiesScene([story('A')], { play: `${MISCHIEF}; honest`, env });
      return { scene, loop: (...flags) => scene.loop(...flags) };
    },
  ],
];

describe.each(KINDS)('ralph %s', (kind, made) => {
  test('with --json prints the loop first, then its events and records, and the ending last', async () => {
    const { scene, loop } = made();
    const exited = await loop('--json');
    const lines = parsed(exited);
    expect(lines.every(({ v }) => v === 1)).toBe(true);
    const [created] = scene.journal();
    const loopLine = { v: 1, type: 'loop', id: scene.loops()[0], kind, cwd: expect.any(String), iteration: 1, seq: 0 };
    expect(lines.at(0)).toEqual(loopLine);
    expect(created?.result).toMatchObject({ cwd: lines.at(0)?.cwd });
    expect(lines.at(-1)).toEqual({ v: 1, type: 'end', ending: { kind: 'done' }, exitCode: 0 });
    expect(lines.slice(1, -1).map(({ type }) => type)).not.toContain('end');
    const records = lines.flatMap(({ type, record }) => (type === 'record' ? [record as Recorded] : []));
    expect(records).toEqual(scene.journal().slice(1));
    expect(JSON.stringify(lines.filter(({ type }) => type === 'progress'))).toContain('beep');
    expect(exited.stdout).not.toMatch(new RegExp(`[\\u0000-\\u0009\\u000b-\\u001f]|${SECRET}`));
    expect(exited.stderr).not.toContain('beep');
    expect(exited.code).toBe(0);
  });

  test('with --quiet prints how it ended, and none of the output of the agent', async () => {
    const { stdout, stderr, code } = await made().loop('--quiet');
    expect(stdout).toBe('');
    expect(stderr).toContain('✓ Done in ');
    expect(stderr).not.toMatch(/beep|to-stderr|=== |Guardrail start|Starting agent/);
    expect(code).toBe(0);
  });
});

test('with --json, an error is in the last line', async () => {
  const scene = makeScene({ play: 'rm "$SCENE/bin/agent"' });
  const exited = await scene.run('--json');
  expect(parsed(exited).at(-1)).toMatchObject({
    type: 'end',
    ending: { kind: 'configuration' },
    exitCode: exited.code,
  });
  expect(parsed(await scene.run('--json'))).toEqual([
    expect.objectContaining({ type: 'end', ending: null, error: expect.objectContaining({ code: 'NO_AGENT' }) }),
  ]);
  scene.write('work/.ralph/settings.json', '{"maximumIterations": "many"}');
  const refused = await scene.run('--json');
  expect(parsed(refused)).toEqual([
    expect.objectContaining({
      v: 1,
      type: 'end',
      ending: null,
      exitCode: 2,
      error: expect.objectContaining({ hint: expect.any(String) }),
    }),
  ]);
  expect(refused.code).toBe(2);
});

test('the first line of a resumed loop says after which record its events begin', async () => {
  const scene = makeScene({ play: '[ $n = 1 ] || echo "<response>DONE</response>"' });
  await scene.run('-m', '1');
  const before = scene.journal().length;
  const lines = parsed(await scene.ralph(['resume', '-m', '2', '--json']).exited);
  const [first] = lines;
  const records = lines.flatMap(({ type, record }) => (type === 'record' ? [record as Recorded] : []));
  // The record that continues the loop is written before its first iteration.
  expect(first).toMatchObject({ type: 'loop', seq: before });
  expect(records).toEqual(scene.journal().slice(before + 1));
});

test.each([[['--json', '--quiet']], [['--json', '--dry-run']], [['--quiet', '--verbose']]])(
  '%j exclude each other',
  async (flags) => {
    const { code, stderr } = await makeScene({ play: '' }).run(...flags);
    expect(stderr).toContain('cannot be used together');
    expect(code).toBe(2);
  },
);

test('the loop continues when the reader of its output closes the pipe', async () => {
  const scene = makeScene({ play: `${MISCHIEF}; [ $n = 1 ] || ${DONE}`, env });
  expect((await scene.shell('ralph run -p x -m 3 --json | head -1')).stdout).toContain('"type":"loop"');
  expect(scene.journal().at(-1)?.result).toEqual({ kind: 'ended', ending: { kind: 'done' } });
});
