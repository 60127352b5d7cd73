/**
 * A loop relies on its journal, never on the files that it writes for people: each of them can be missing, empty,
 * damaged or wrong, and every command still works, and the loop can still be resumed.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { endProcessesOf } from '../support/programs/processes.ts';
import { sweep } from '../support/sweep.ts';
import { MEANT, PROJECT } from '../support/tasks/task-loop.ts';
import { AT_WORK, type Bench, KINDS, type KindName } from './bench.ts';

interface Projection {
  readonly kind: KindName;
  readonly name: string;
  find(bench: Bench): string;
  /** Wrong content, as an agent or an accident might write it. */
  lie(text: string): string;
  /** Commands that show the loop. */
  readonly looks: readonly string[];
}

const status = (kind: KindName, looks: readonly string[]): Projection => ({
  kind,
  name: 'status.json',
  find: ({ state }) => join(state, 'ralph/loops', onlyIn(join(state, 'ralph/loops')), 'status.json'),
  lie: (text) => JSON.stringify({ ...(JSON.parse(text) as object), ending: { kind: 'done' }, phase: 'over', cwd: '/' }),
  looks,
});

const TASK_LOOKS = [`ralph task list --project ${PROJECT}`, `ralph task status ${MEANT.join(' ')}`];
const SWARM_LOOKS = ['swarm ralph list', 'swarm ralph status agent', 'swarm ls'];

const PROJECTIONS: readonly Projection[] = [
  status('run', []),
  status('stories', ['ralph stories status']),
  status('tasks', TASK_LOOKS),
  status('swarm', SWARM_LOOKS),
  {
    kind: 'stories',
    name: '.ralph-active',
    find: ({ work }) => join(work, '.ralph-active'),
    lie: (text) => JSON.stringify({ ...(JSON.parse(text) as object), pid: 1, iteration: 99 }),
    looks: ['ralph stories status'],
  },
  {
    kind: 'tasks',
    name: 'run-info.yaml',
    find: ({ folder }) => {
      const runs = join(folder, '.run-agent/runs', PROJECT, MEANT[3] ?? '', 'runs');
      return join(runs, onlyIn(runs), 'run-info.yaml');
    },
    lie: (text) => text.replace(/^status: .*/m, 'status: completed').replace(/^pid: .*/m, 'pid: 1'),
    looks: TASK_LOOKS,
  },
  {
    kind: 'swarm',
    name: 'state.json',
    find: ({ folder }) => join(folder, 'home/ralph/agent/state.json'),
    lie: (text) => JSON.stringify({ ...(JSON.parse(text) as object), status: 'stopped', current_iteration: 99 }),
    looks: SWARM_LOOKS,
  },
];

const DAMAGE: Readonly<Record<string, (path: string, projection: Projection) => void>> = {
  gone: (path) => rmSync(path),
  empty: (path) => writeFileSync(path, ''),
  'cut off': (path) => writeFileSync(path, readFileSync(path, 'utf8').slice(0, 20)),
  'without content': (path) => writeFileSync(path, '{}'),
  'a lie': (path, { lie }) => writeFileSync(path, lie(readFileSync(path, 'utf8'))),
};

/** Per file; each file draws different ones. */
const DAMAGES_BY_DAY = 3;

describe.each(PROJECTIONS)('$kind: $name', (projection) => {
  const damages = sweep(Object.keys(DAMAGE), DAMAGES_BY_DAY, PROJECTIONS.indexOf(projection));
  test.each(damages)('%s', async (name) => {
    const bench = KINDS[projection.kind](AT_WORK);
    const loop = bench.begin();
    await bench.atWork();
    const path = projection.find(bench);
    while (!existsSync(path)) await new Promise((resolve) => setTimeout(resolve, 10));
    loop.signal('SIGKILL');
    await loop.exited;
    // Even where a resumed loop would adopt the agent: this one never ends.
    endProcessesOf(bench.folder);
    DAMAGE[name]?.(path, projection);
    for (const look of projection.looks) {
      const { code, stdout, stderr } = await bench.type(look);
      const said = `${stdout}${stderr}`;
      expect({ look, code, said }).toEqual({
        look,
        code: 0,
        said: expect.not.stringMatching(/this is a bug|kill 1\b/),
      });
    }
    const { code, stdout, stderr } = await bench.resume().exited;
    expect({ code, said: `${stdout}${stderr}` }).toEqual({ code: 0, said: expect.stringContaining('✓ Done in ') });
  });
});

function onlyIn(folder: string): string {
  const [name = 'none'] = existsSync(folder) ? readdirSync(folder) : [];
  return name;
}
