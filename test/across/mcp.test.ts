/**
 * With `ralph mcp`, the agent of a loop of any kind sees only its own loop, even from a process whose parents have
 * ended and that has none of the loop's variables.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { quoteWords } from '../../src/core/text/quote-word.ts';
import { levelsOfThisMachine } from '../support/levels.ts';
import { callsOf } from '../support/mcp-client.ts';
import { ROOT } from '../support/scene.ts';
import { makeScene } from '../swarm/scene.ts';
import { type Bench, KIND_NAMES, KINDS, type KindName, type Play } from './bench.ts';

const RALPH = quoteWords([process.execPath, join(ROOT, 'bin/ralph.cjs')]);
const LINES = [
  {
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'inside', version: '1' } },
  },
  { id: 1, method: 'tools/call', params: { name: 'list_loops', arguments: {} } },
  { id: 2, method: 'tools/call', params: { name: 'start_loop', arguments: { prompt: 'Another one.' } } },
].map((line) => `${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`);

interface Answer {
  readonly id: number;
  readonly result: { readonly isError?: boolean; readonly content?: { readonly text: string }[] };
}

/** The first agent leaves a child behind that asks once its parents have ended, and waits for it. */
const ASKS_BY_ORPHAN: Play = (done) =>
  `[ -e "$HOME/over" ] || { sh "$HOME/leave"; until [ -e "$HOME/over" ]; do sleep 0.02; done; }; ${done}`;

const emptyBut = (home: string, state: string): string => `env -i PATH="$PATH" HOME=${home} XDG_STATE_HOME=${state}`;

function withOrphan(bench: Bench): Bench {
  const home = bench.env.HOME ?? '';
  const write = (name: string, text: string): void => writeFileSync(join(home, name), text);
  const emptied = emptyBut(home, bench.state);
  write('asked', LINES.join(''));
  write('leave', `${emptied} setsid sh ${home}/orphan $$ <${home}/asked >${home}/answers 2>${home}/errors &\n`);
  write('orphan', `while [ -d /proc/$1 ]; do sleep 0.01; done; ${RALPH} mcp --allow write; touch ${home}/over\n`);
  return bench;
}

function answersOf({ env }: Pick<Bench, 'env'>): Map<number, Answer['result']> {
  const lines = readFileSync(join(env.HOME ?? '', 'answers'), 'utf8')
    .trim()
    .split('\n');
  return new Map(lines.map((line) => JSON.parse(line) as Answer).map(({ id, result }) => [id, result]));
}

const LOOP_KIND: Readonly<Record<KindName, string>> = { run: 'run', stories: 'stories', tasks: 'task', swarm: 'swarm' };
const CASES = [
  ...KIND_NAMES.map((kind) => [kind, kind, []] as const),
  ['run --runner tmux', 'run', ['--runner', 'tmux']] as const,
];

// Only with a cgroup: a pid namespace holds such a process anyway, and ends with the run; a process group does not hold
// it, as docs/mcp.md says.
test.each(levelsOfThisMachine().includes('cgroup') ? CASES : [])(
  'contained by a cgroup, %s: a process without parents and variables sees only its own loop',
  async (_what, kind, flags) => {
    const bench = withOrphan(KINDS[kind](ASKS_BY_ORPHAN));
    await bench.begin(3, { env: { RALPH_CONTAINMENT: 'cgroup' }, flags }).exited;
    const given = answersOf(bench);
    const text = (id: number): string => given.get(id)?.content?.[0]?.text ?? '';
    expect(JSON.parse(text(1))).toMatchObject({ loops: [{ kind: LOOP_KIND[kind] }], more: 0 });
    const [{ id }] = (JSON.parse(text(1)) as { loops: [{ id: string }] }).loops;
    expect(text(2)).toContain('or start other loops');
    expect(new Set(callsOf(bench).map(({ inside }) => inside))).toEqual(new Set([id]));
  },
);

test.each(levelsOfThisMachine().includes('cgroup') ? (['cgroup', 'group'] as const) : (['group'] as const))(
  'contained by a %s, a swarm worker that is not a loop sees no loops: the agent of a loop could have started it',
  async (level) => {
    const scene = makeScene(level);
    const { folder } = scene;
    writeFileSync(join(folder, 'asked'), LINES.join(''));
    // Without a cgroup, only its environment variables show that the process belongs to a worker.
    const front = level === 'cgroup' ? emptyBut(folder, join(folder, '.local/state')) : '';
    const ask = `${front} ${RALPH} mcp --allow write <${folder}/asked >${folder}/answers; touch ${folder}/over`;
    await scene.swarm('spawn', '--name', 'w', '--', 'sh', '-c', ask);
    await scene.until(() => existsSync(join(folder, 'over')));
    const given = answersOf(scene);
    expect(given.get(1)?.content?.[0]?.text).toBe('{"loops":[],"more":0}');
    expect(given.get(2)?.content?.[0]?.text).toContain('it is not clear which loop this agent works for');
  },
);
