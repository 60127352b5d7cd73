/**
 * Cleans up after interrupted loops: ends the agents still running in a directory, removes their sandboxes, and ends
 * loops that will not be continued.
 */
import type { Ending } from '../../core/ending.ts';
import type { LoopMachine } from '../../core/machine/machine.ts';
import { nextRecord } from '../../core/record.ts';
import type { Duration } from '../../core/time.ts';
import { endRun, isGone } from '../../process/end.ts';
import { readLastTrace } from '../../process/trace.ts';
import { tryLock } from '../../state/lock.ts';
import { loopFolder, type StateRoot, workTreeLock } from '../../state/paths.ts';
import { type ListedLoop, listLoops } from '../../state/registry.ts';
import { runsFolder } from '../../state/run-files.ts';
import { signOfLifeAfter } from '../drive/sign-of-life.ts';
import { type LoopHome, publishStatus, reopenLoop } from '../loop.ts';

/** A new loop must not work beside them. The caller holds the work tree's lock: what runs there has no supervisor. */
export async function endOrphans(
  root: StateRoot,
  { cwd, loopKind, except }: { readonly cwd: string; readonly loopKind?: string; readonly except: string },
  grace: Duration,
): Promise<void> {
  const isOrphan = (loop: ListedLoop): boolean =>
    loop.cwd === cwd && (loopKind ?? loop.loopKind) === loop.loopKind && loop.ending === null && loop.id !== except;
  for (const { id } of listLoops(root).filter(isOrphan)) {
    // A loop does one thing at a time: only what it started last can still be running.
    const folder = loopFolder(root, id);
    const trace = readLastTrace(runsFolder(folder));
    if (trace !== null) await endRun(trace, grace);
    // A loop that is resumed makes its sandbox again.
    const { forgetOsSandbox } = await import('../../runners/os-sandbox.ts');
    forgetOsSandbox(folder);
  }
}

/** Ends what a loop without a supervisor left running; false if there was nothing, or a supervisor has taken over. */
export async function endLeftRun(root: StateRoot, { id, cwd }: Pick<ListedLoop, 'id' | 'cwd'>): Promise<boolean> {
  const folder = loopFolder(root, id);
  const trace = readLastTrace(runsFolder(folder));
  if (trace === null || isGone(trace)) return false;
  const attempt = tryLock(workTreeLock(root, cwd), 'ending an agent');
  if (!attempt.got) return false;
  try {
    return await endRun(trace, LEFT_GRACE_MS);
  } finally {
    attempt.lock.release();
  }
}

const LEFT_GRACE_MS = 5000;

/** Ends a loop that will not be continued, and what it left running. Throws while a supervisor drives it. */
export async function endUnfinished<Data>(
  machine: LoopMachine<Data>,
  { id, cwd }: Pick<ListedLoop, 'id' | 'cwd'>,
  home: LoopHome,
  reason: string,
  grace: Duration,
): Promise<void> {
  // Inputs that were masked are not needed any more.
  const loop = reopenLoop(machine, id, cwd, home, () => undefined);
  try {
    await endOrphans(home.root, { cwd, loopKind: loop.state.loopKind, except: '' }, grace);
    const ending: Ending = { kind: 'stopped', reason };
    const at = Date.now();
    const back = { resumedAt: at, aliveUntil: signOfLifeAfter(loop.state.at, loop.folder) };
    const record = nextRecord(loop.state, { key: 'end', result: { kind: 'ended', ending }, at, ...back });
    const ended = machine.apply(loop.state, record);
    loop.journal.append(record);
    loop.journal.syncNow();
    publishStatus(loop, ended);
  } finally {
    loop.close();
  }
}
