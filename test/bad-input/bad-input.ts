/** The tests of one kind of loop. */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LoopKind } from './loop-kinds.ts';
import { filesOf, foldersOf, problemsIn } from './matrix.ts';

export function badInput(kind: LoopKind): void {
  describe(`${kind.name}: a fault`, () => {
    test('in the state directory, before the loop begins', async () => {
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

    test('in the files of a loop that was cut off', async () => {
      const bench = kind.make();
      await bench.cutOff();
      const loops = join(bench.state, 'ralph/loops');
      const [id = 'none'] = readdirSync(loops);
      const at = (...names: string[]): string => join(loops, id, ...names);
      const files = {
        journal: at('journal.jsonl'),
        status: at('status.json'),
        request: at('request.json'),
        order: at('orders/order'),
        processes: at('runs/processes.jsonl'),
      };
      const places = [
        ...filesOf(files),
        ...foldersOf({
          loop: at(),
          runs: at('runs'),
          lock: at('lock'),
          orders: at('orders'),
          root: join(bench.state, 'ralph'),
        }),
      ];
      expect(await problemsIn(kind, bench, 'resume', places)).toEqual([]);
    });

    test('in what it reads and writes elsewhere, before it begins', async () => {
      const bench = kind.make();
      expect(await problemsIn(kind, bench, 'start', [...filesOf(bench.files), ...foldersOf(bench.folders)])).toEqual(
        [],
      );
    });

    test('in what it reads and writes elsewhere, when it is to go on', async () => {
      const bench = kind.make();
      await bench.cutOff();
      expect(await problemsIn(kind, bench, 'resume', [...filesOf(bench.files), ...foldersOf(bench.folders)])).toEqual(
        [],
      );
    });
  });
}
