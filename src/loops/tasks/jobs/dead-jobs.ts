/** Ends the agents of a task's jobs whose supervisors died: jobs are not resumed. */
import type { Duration } from '../../../core/time.ts';
import { endRun } from '../../../process/end.ts';
import type { MachineIdentity } from '../../../process/identity/identity.ts';
import { readLastTrace } from '../../../process/trace.ts';
import { tryLock } from '../../../state/lock.ts';
import { loopFolder, loopLock, type StateRoot } from '../../../state/paths.ts';
import { listLoops } from '../../../state/registry.ts';
import { runsFolder } from '../../../state/run-files.ts';

export async function endDeadJobs(
  root: StateRoot,
  folder: string,
  place: MachineIdentity,
  grace: Duration,
): Promise<void> {
  const jobs = listLoops(root).filter(
    ({ loopKind, cwd, ending }) => loopKind === 'job' && cwd === folder && ending === null,
  );
  for (const { id } of jobs) {
    const loop = loopFolder(root, id);
    const attempt = tryLock(loopLock(loop), 'ending what a dead supervisor left', place);
    // Its supervisor lives, and sees to it.
    if (!attempt.got) continue;
    try {
      const trace = readLastTrace(runsFolder(loop));
      if (trace !== null) await endRun(trace, grace);
    } finally {
      attempt.lock.release();
    }
  }
}
