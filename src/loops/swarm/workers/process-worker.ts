/** A worker that is a background process: in a session of its own, its output in two files. */
import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Duration } from '../../../core/time.ts';
import { stepOut } from '../../../process/containment/cgroup.ts';
import { endRun } from '../../../process/end.ts';
import { makeFolders, readOwnJson, writeFile } from '../../../process/files.ts';
import { identify, type ProcessIdentity } from '../../../process/identity/identity.ts';
import { LaunchError, launch } from '../../../process/launch.ts';
import { readLastTrace } from '../../../process/trace.ts';
import { MARK_PREFIX, withoutWorkerMarks, workerContainment } from '../../../tmux/worker-mark.ts';
import { logPath, logsFolder, processFolder } from './home.ts';
import type { Swarm } from './swarm.ts';

export interface ProcessRequest {
  readonly name: string;
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const LEADER = 'leader.json';
/** Between the request to end and the end. */
const GRACE: Duration = 5000;

/** Returns the worker's pid. */
export async function startProcess(swarm: Swarm, { name, argv, cwd, env }: ProcessRequest): Promise<number | null> {
  const { home, place } = swarm;
  const folder = processFolder(home, name);
  rmSync(folder, { recursive: true, force: true });
  makeFolders(folder, 0o700);
  makeFolders(logsFolder(home), 0o700);
  if (!existsSync(cwd)) throw new LaunchError(argv[0], new Error(`no such directory: ${cwd}`));
  const { pid, exited } = await launch(
    {
      argv,
      cwd,
      env: { ...withoutWorkerMarks(swarm.env), ...env },
      folder,
      mark: `${MARK_PREFIX}${randomBytes(16).toString('hex')}`,
      stdout: logPath(home, name, 'stdout'),
      stderr: logPath(home, name, 'stderr'),
      containment: workerContainment(swarm.containment),
      grace: GRACE,
    },
    place,
  );
  // Its end is not waited for here.
  exited.catch(() => undefined);
  const leader = pid === null ? null : identify(pid, place);
  // A process that has ended already needs no proof.
  if (leader !== null) writeFile(join(folder, LEADER), JSON.stringify(leader), { mode: 0o600 });
  return pid;
}

export function readProcess(folder: string): ProcessIdentity | null {
  return readOwnJson(join(folder, LEADER)) as ProcessIdentity | null;
}

/** Asks everything that the worker started to end, and after the grace ends it. */
export async function endProcess(folder: string): Promise<void> {
  const trace = readLastTrace(folder);
  if (trace === null) return;
  // A worker may end itself.
  if (trace.plan.leaf !== null) stepOut(trace.plan.leaf);
  await endRun(trace, GRACE);
}
