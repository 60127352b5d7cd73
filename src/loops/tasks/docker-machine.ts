/** The Docker machine of a task's loop: it is stopped between runs, so two loops in one would end each other's agents. */
import { RalphError } from '../../core/error.ts';
import type { MachineIdentity } from '../../process/identity/identity.ts';
import type { SandboxPlace } from '../../runners/sandbox/facts.ts';
import type { LoopPaths } from '../../runners/sandbox/policy.ts';
import type { SandboxRequest } from '../../runners/sandbox/request.ts';
import { type Lock, tryLock } from '../../state/lock.ts';
import { workTreeLock } from '../../state/work-tree-lock.ts';

export interface MachinePlace extends SandboxPlace {
  readonly wish: SandboxRequest;
  readonly loopPaths: LoopPaths;
}

/** Whoever gets it has the machine alone until he releases it, or is gone. */
export async function claimMachine(where: MachinePlace, place: MachineIdentity): Promise<Lock> {
  const { dockerPolicy } = await import('../../runners/docker-sandbox.ts');
  const { name, workspace } = dockerPolicy(where);
  const attempt = tryLock(workTreeLock({ path: where.stateRoot }, `docker ${name}`), `loop ${where.loop}`, place);
  if (attempt.got) return attempt.lock;
  const { pid, purpose } = attempt.holder;
  throw new RalphError('TASK_SANDBOX', `the Docker Sandbox of ${workspace} is in use (pid ${pid}, ${purpose})`, {
    hint: 'Wait for its end, or give this one a work tree of its own with --cwd.',
    exitCode: 2,
  });
}
