/** Starts a worker again as it was: same command, environment, tags, folder, session and worktree. */
import { existsSync } from 'node:fs';
import { unmakeWorktree } from '../../../scm/worktree.ts';
import { endWorker } from './life.ts';
import { describePlace, isRalph, type WorkerRecord } from './record.ts';
import { workerNamed } from './registry.ts';
import { sandboxOf } from './sandbox-record.ts';
import { lockedWorker, startWorker, wholeOrNot } from './spawn.ts';
import { refused, type Swarm } from './swarm.ts';
import { createWorktree, environmentOfGit, removeWorkerWorktree } from './worktree.ts';

export async function respawnWorker(
  swarm: Swarm,
  name: string,
  { cleanFirst = false, forceDirty = false }: { readonly cleanFirst?: boolean; readonly forceDirty?: boolean },
): Promise<void> {
  const started = await lockedWorker(swarm, name, async () => {
    const record = workerNamed(swarm, name);
    if (isRalph(record)) {
      const hint = `Go on with it: swarm ralph resume ${record.name}; or begin anew: swarm spawn --ralph`;
      throw refused(`worker '${record.name}' has a loop, which starts its agent`, 1, hint);
    }
    const [program, ...args] = record.cmd;
    if (program === undefined) throw refused('no command provided (use -- command...)');
    const sandbox = sandboxOf(record);
    if (sandbox !== null) {
      const { resolveWorkerSandbox } = await import('./sandbox.ts');
      await resolveWorkerSandbox(sandbox, { argv: record.cmd, env: swarm.env, cwd: record.cwd, hasLoop: false });
    }
    await endWorker(swarm, record.name);
    if (cleanFirst) await removeFirst(swarm, record, forceDirty);
    return wholeOrNot(swarm, async (undo) => {
      const { worktree } = record;
      if (worktree !== null && !existsSync(worktree.path)) {
        const env = environmentOfGit(swarm, sandbox !== null);
        const made = await createWorktree(worktree, env);
        undo.push({ what: 'remove worktree', run: () => unmakeWorktree(made, env) });
      }
      return startWorker(swarm, { ...record, argv: [program, ...args], sandbox }, undo);
    });
  });
  swarm.say(`respawned ${name} (${describePlace(started)})`);
}

async function removeFirst(swarm: Swarm, record: WorkerRecord, forceDirty: boolean): Promise<void> {
  const reason = await removeWorkerWorktree(swarm, record, forceDirty);
  if (reason === null) return;
  const advice = 'swarm: use --force-dirty to remove anyway, or commit changes first';
  throw refused(`cannot remove worktree: ${reason}\nswarm: worktree at: ${record.worktree?.path ?? ''}\n${advice}`);
}
