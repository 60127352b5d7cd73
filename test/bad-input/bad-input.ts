/** The tests of faults in files, folders, programs and the environment, for one kind of loop. */
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXIT_CODES } from '../../src/core/ending.ts';
import { type Fault, PROGRAM_FAULTS } from './faults.ts';
import type { Bench, How, LoopKind } from './loop-kinds.ts';
import { bugIn, filesOf, foldersOf, guarded, problemsIn, told } from './matrix.ts';
import { ownMounts } from './mounts.ts';
import { strangeLoops } from './strange-loops.ts';
import { withoutProgram } from './without-program.ts';

export function badInput(kind: LoopKind): void {
  describe(`${kind.name}: a fault`, () => {
    test('in the state directory before the loop begins', async () => {
      const bench = kind.make();
      const root = join(bench.state, 'ralph');
      for (const path of ['loops', 'locks']) mkdirSync(join(root, path), { recursive: true });
      const places = foldersOf({
        'state home': bench.state,
        root,
        loops: join(root, 'loops'),
        locks: join(root, 'locks'),
      });
      expect(await problemsIn(kind, bench, 'start', places)).toEqual([]);
    });

    test('in the files of an interrupted loop', async () => {
      const bench = kind.make();
      await bench.cutOff();
      const loops = join(bench.state, 'ralph/loops');
      const [id = 'none'] = readdirSync(loops);
      const at = (...names: string[]): string => join(loops, id, ...names);
      const files = {
        journal: at('journal.jsonl'),
        status: at('status.json'),
        request: at('request.json'),
        control: at('control/commands.jsonl'),
        processes: at('runs/processes.jsonl'),
      };
      const places = [
        ...filesOf(files),
        ...foldersOf({
          loop: at(),
          runs: at('runs'),
          lock: at('lock'),
          controlFolder: at('control'),
          // Without it, there is no trace of a loop inside a session.
          ...(kind.hasProgram ? { root: join(bench.state, 'ralph') } : {}),
        }),
      ];
      expect(await problemsIn(kind, bench, 'resume', places)).toEqual([]);
    });

    test('in its other files and folders before it begins', async () => {
      const bench = kind.make();
      // The prompt can come from a pipe, which the loop then waits for.
      const files = filesOf(bench.files).map((place) =>
        kind.name === 'run' && place.name === 'prompt' ? { ...place, faults: place.faults.filter(isNoPipe) } : place,
      );
      expect(await problemsIn(kind, bench, 'start', [...files, ...foldersOf(bench.folders)])).toEqual([]);
    });

    test('in its other files and folders before it is resumed', async () => {
      const bench = kind.make();
      await bench.cutOff();
      expect(await problemsIn(kind, bench, 'resume', [...filesOf(bench.files), ...foldersOf(bench.folders)])).toEqual(
        [],
      );
    });

    test('in the files of other loops does not matter', async () => {
      const bench = kind.make();
      const loops = join(bench.state, 'ralph/loops');
      mkdirSync(loops, { recursive: true });
      const how = strangeLoops(loops);
      const ended = await bench.start(guarded(how));
      expect({ bug: bugIn(ended), isDone: kind.isDone(ended), told: told(ended) }).toMatchObject({
        bug: null,
        isDone: true,
      });
    });

    test.each(environments(kind))('in the environment: %s', async (_what, of, expected) => {
      const bench = kind.make();
      const ended = await bench.start(guarded(of(bench)));
      expect(bugIn(ended)).toBeNull();
      const isAsExpected =
        expected === 'done'
          ? kind.isDone(ended)
          : kind.refusal.includes(Number(ended.code)) && expected.test(told(ended));
      expect({ isAsExpected, told: told(ended) }).toMatchObject({ isAsExpected: true });
      if (expected === 'done') return;
      const repaired = await bench.start(guarded({}));
      expect({ isDone: kind.isDone(repaired), told: told(repaired) }).toMatchObject({ isDone: true });
    });
  });
}

/** For the kinds that start an agent; a loop inside a session does not. */
export function agentFaults(kind: LoopKind): void {
  describe(`${kind.name}: a fault`, () => {
    test('in the program of its agent', async () => {
      const bench = kind.make();
      const places = [{ name: 'agent', path: bench.agent ?? '', faults: PROGRAM_FAULTS }];
      expect(await problemsIn(kind, bench, 'start', places)).toEqual([]);
    });

    test('in its work tree while its agent works: the agent removes the work tree', async () => {
      const first = 'if [ ! -e "$SCENE/free" ]; then mv "$PWD" "$PWD-moved"; exit 0; fi';
      const bench = kind.make({ first });
      const gone = await bench.start(guarded({}), { isFirst: true });
      expect(bugIn(gone)).toBeNull();
      expect(kind.isDone(gone)).toBe(false);
      // A loop over stories takes this for tampering.
      expect([...kind.refusal, EXIT_CODES.tampered]).toContain(gone.code);
      expect(`${gone.stdout}${gone.stderr}`).toMatch(
        new RegExp(`${bench.work}.*(no such directory|is gone)|not found: ${bench.work}`),
      );
      // A loop over stories has restored its files there.
      rmSync(bench.work, { recursive: true, force: true });
      renameSync(`${bench.work}-moved`, bench.work);
      bench.free();
      const resumed = await bench.resume(guarded({}));
      const repaired = kind.isDone(resumed) ? resumed : await bench.start(guarded({}));
      expect({ isDone: kind.isDone(repaired), told: told(repaired) }).toMatchObject({ isDone: true });
    });

    test('in its state directory while its agent works: the disk fills up', async () => {
      const first = 'if [ ! -e "$SCENE/free" ]; then cat /dev/zero >"$STATE_HOME/filler"; echo much; exit 1; fi';
      const bench = kind.make({ first, limit: 1 });
      const mounts = await ownMounts();
      mkdirSync(bench.state, { recursive: true });
      mounts.smallDisk(bench.state, '2m');
      const how = guarded({ front: mounts.front, env: { STATE_HOME: bench.state } });
      const full = await bench.start(how, { isFirst: true });
      expect(bugIn(full)).toBeNull();
      expect(kind.refusal).toContain(full.code);
      expect(told(full)).toMatch(/cannot write \S+: no space left on device/);
      expect(told(full)).toMatch(/Then run: (ralph|swarm) .*resume/);
      rmSync(mounts.seen(join(bench.state, 'filler')));
      bench.free();
      // Only one iteration is allowed, so the one that failed for lack of space did not count.
      const resumed = await bench.resume(how);
      expect({ isDone: kind.isDone(resumed), told: told(resumed) }).toMatchObject({ isDone: true });
    });
  });

  describe(`${kind.name}: a missing program`, () => {
    test.each(['git', 'tmux', 'perl'])('%s: the loop names it if it needs it, and does not crash', async (program) => {
      const bench = kind.make();
      const ended = await bench.start(guarded({ env: withoutProgram(program, bench.env) }));
      expect(bugIn(ended)).toBeNull();
      if (kind.isDone(ended)) return;
      expect([...kind.refusal, 1, 3]).toContain(ended.code);
      expect(`${ended.stdout}${ended.stderr}`).toMatch(new RegExp(`${program}.*(not found|not installed)`));
      // Once the program is installed, the loop can be resumed or, if it had not begun, started.
      const resumed = await bench.resume(guarded({}));
      const repaired = kind.isDone(resumed) ? resumed : await bench.start(guarded({}));
      expect({ isDone: kind.isDone(repaired), told: told(repaired) }).toMatchObject({ isDone: true });
    });
  });
}

function isNoPipe({ name }: Fault): boolean {
  return name !== 'a pipe';
}

type Environment = [what: string, of: (bench: Bench) => How, expected: RegExp | 'done'];

const IN_REMOVED = 'mkdir "$0/gone" && cd "$0/gone" && rmdir "$0/gone" && exec "$@"';

function environments({ name }: LoopKind): Environment[] {
  const state = { XDG_STATE_HOME: undefined };
  const all: Environment[] = [
    ['HOME in /proc', () => ({ env: { ...state, HOME: '/proc/x' } }), /\/proc\/x: no such file or directory/],
    [
      'XDG_STATE_HOME with a name that is too long',
      ({ folder }) => ({ env: { XDG_STATE_HOME: join(folder, 'x'.repeat(300)) } }),
      /file name too long/,
    ],
    ['a relative XDG_STATE_HOME, which is ignored', () => ({ env: { XDG_STATE_HOME: 'state' } }), 'done'],
    [
      'a current directory that was removed',
      ({ folder }) => ({ front: ['sh', '-c', IN_REMOVED, folder] }),
      // The session passes its directory to the hook.
      name === 'in-session'
        ? 'done'
        : /cannot work in the current directory: it no longer exists.*Change to a directory/,
    ],
  ];
  return name === 'swarm'
    ? all
    : [
        ...all,
        [
          'a HOME that is not there yet',
          ({ folder }) => ({ env: { ...state, HOME: join(folder, 'not/there') } }),
          'done',
        ],
      ];
}
