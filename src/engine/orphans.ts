/** Ends agents that interrupted loops have left at work in a directory, and their sandboxes: a new loop must not work beside them. */
import type { Duration } from '../core/time.ts';
import { endRun } from '../process/end.ts';
import { readLastTrace } from '../process/trace.ts';
import { loopFolder, type StateRoot } from '../state/paths.ts';
import { listLoops } from '../state/registry.ts';
import { runsFolder } from '../state/run-files.ts';

export interface Orphaned {
  readonly cwd: string;
  /** Only of this loop kind; of all unless given. */
  readonly loopKind?: string;
  /** The loop that asks. */
  readonly except: string;
}

/** The caller holds the lock of the work tree: whatever else runs there has no supervisor. */
export async function endOrphans(root: StateRoot, { cwd, loopKind, except }: Orphaned, grace: Duration): Promise<void> {
  const others = listLoops(root).filter(
    (loop) =>
      loop.cwd === cwd &&
      (loopKind === undefined || loop.loopKind === loopKind) &&
      loop.ending === null &&
      loop.id !== except,
  );
  for (const { id } of others) {
    // A loop does one thing at a time: only what it started last can still be running.
    const folder = loopFolder(root, id);
    const trace = readLastTrace(runsFolder(folder));
    if (trace !== null) await endRun(trace, grace);
    // A loop that is resumed makes it anew.
    const { forgetOsSandbox } = await import('../runners/os-sandbox.ts');
    forgetOsSandbox(folder);
  }
}
