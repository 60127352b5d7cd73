/**
 * Starts the child runs that an agent's `ralph job` asks for. All of the agent's own processes end with its run, so a
 * child that may outlive it is started here, by the supervisor, outside of whatever contains the agent.
 *
 *     agent ─ ralph job ──► <loop>/jobs/<id>.request ──► broker ──► ralph job --supervise (a session of its own)
 *                 ▲                                       │
 *                 └───────── <id>.reply ◄─────────────────┘
 */
import { type SpawnOptions, spawn } from 'node:child_process';
import { closeSync, lstatSync, openSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { defined } from '../../../core/defined.ts';
import { handled, RalphError } from '../../../core/error.ts';
import type { Duration } from '../../../core/time.ts';
import { endRun } from '../../../process/end.ts';
import { readPlain } from '../../../process/files.ts';
import { type FolderWatch, watchFolder } from '../../../process/folder-watch.ts';
import { readLastTrace } from '../../../process/trace.ts';
import { makePrivateFolder } from '../../../state/folders.ts';
import { removeEntry } from '../../../state/held-folder.ts';
import { tryLock } from '../../../state/lock.ts';
import { loopFolder, loopLock, type StateRoot } from '../../../state/paths.ts';
import { writeProjection } from '../../../state/projection.ts';
import { listLoops } from '../../../state/registry.ts';
import { runsFolder } from '../../../state/run-files.ts';
import { makeRunFolder, runFile } from '../folder/task-folder.ts';
import type { TaskRequest } from '../request.ts';
import { markEnded } from '../runs/liveness.ts';
import { beginning, readRunInfo, updateRunInfo, writeRunInfo } from '../runs/run-info.ts';
import { BELL, type BrokerRequest, JOBS_VARIABLE, jobsFolder, REQUEST, replyPath } from './broker-client.ts';
import { jobFor, postForAgent, type Terms } from './job-spec.ts';

export type JobBroker = ReturnType<typeof openJobBroker>;

interface BrokerContext extends Terms {
  readonly self: readonly [string, ...string[]];
  /** The environment of programs that run outside of the sandbox; it can change once that is open. */
  env(): NodeJS.ProcessEnv;
  readonly endDead: () => Promise<void>;
}

export function openJobBroker(context: BrokerContext) {
  const folder = jobsFolder(context.loop);
  let watched: { readonly which: string; readonly watch: FolderWatch } | null = null;
  let served: Promise<void> = Promise.resolve();
  // One after another: two signals in a row must not start anything twice.
  const serve = (): Promise<void> => {
    served = served.then(() => serveAll(context, folder));
    return served;
  };
  /** Creates the folder, again if an agent removed it. Returns the variable by which agents find it. */
  const open = () => {
    const which = madeFolder(folder);
    if (watched?.which !== which) {
      watched?.watch.close();
      watched = { which, watch: watchFolder(folder) };
      watched.watch.on(BELL, () => void serve());
    }
    return { [JOBS_VARIABLE]: folder };
  };
  open();
  return {
    open,
    serve,
    /** Takes no more requests; resolves when the current one has been answered. */
    async close() {
      watched?.watch.close();
      // Otherwise the pid of a job that is just being started would not be recorded, and `task stop` would miss it.
      await served;
    },
  };
}

/** Agents can write here: whatever they do to the folder or to one request, the others are served. Never rejects. */
async function serveAll(context: BrokerContext, folder: string): Promise<void> {
  // If the folder is gone, there are no requests.
  const read = (): string[] => readdirSync(folder);
  const entries = handled(read, () => []);
  for (const name of entries.filter((entry) => entry.endsWith(REQUEST))) {
    try {
      const reply = await answer(context, folder, name);
      writeProjection(replyPath(folder, name.slice(0, -REQUEST.length)), JSON.stringify(reply));
    } catch {
      // The agent has removed the folder for the answer; its client reports that there is none.
    }
  }
}

/** Identifies the folder. The inode alone is not enough: it can be used again for another folder of this name. */
function madeFolder(folder: string): string {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    rmSync(folder, { force: true });
    makePrivateFolder(folder);
  }
  const { ino, birthtimeMs } = lstatSync(folder);
  return `${ino} ${birthtimeMs}`;
}

/** Removes the request before answering it. */
async function answer(context: BrokerContext, folder: string, name: string): Promise<object> {
  try {
    const path = join(folder, name);
    const text = readPlain(path);
    removeEntry(path);
    if (text === null) return { error: `${path} is not a plain file` };
    // Written by our client, or by an agent that imitates it: everything that matters is checked.
    const asked = JSON.parse(text) as BrokerRequest;
    if ('post' in asked) return { msgId: await postForAgent(context.request, asked.post) };
    const job = await jobFor(context, asked);
    return { runFolder: await startJob(context, job), ...defined({ noSandbox: job.noSandbox }) };
  } catch (error) {
    const hint = error instanceof RalphError ? error.advice.hint : undefined;
    return { error: error instanceof Error ? error.message : String(error), ...defined({ hint }) };
  }
}

/** Creates the run's folder and report first, so that it counts as a child from now on. */
async function startJob({ self, env, endDead, loop }: BrokerContext, job: TaskRequest): Promise<string> {
  const { runId, folder: run } = makeRunFolder(job.folder, new Date());
  const request: TaskRequest = { ...job, runId, parent: basename(loop) };
  writeRunInfo(runFile.info(run), beginning(request, runId, request.previousRunId, Date.now()));
  // Not in the broker's folder, where the agent could change it before it is read.
  const folder = join(loop, 'orders');
  makePrivateFolder(folder);
  const order = join(folder, `${runId}.json`);
  writeProjection(order, JSON.stringify(request));
  const [program, ...args] = self;
  const log = openSync(join(folder, `${runId}.log`), 'ax', 0o600);
  const options: SpawnOptions = { cwd: request.cwd, env: env(), detached: true, stdio: ['ignore', log, log] };
  const child = spawn(program, [...args, 'job', '--supervise', order], options);
  closeSync(log);
  // The job's supervisor has reported the run's end itself, unless it was killed.
  const whenGone = async (): Promise<void> => {
    try {
      if (readRunInfo(runFile.info(run))?.endTime !== null) return;
      await endDead();
      await markEnded(request.folder, runId, Date.now());
    } catch {
      // A report that cannot be read or written is reported when the task is done.
    }
  };
  child
    .on('error', () => void whenGone())
    .on('exit', () => void whenGone())
    .unref();
  const { pid } = child;
  if (pid !== undefined) {
    await updateRunInfo(runFile.info(run), (info) =>
      info.pid === process.pid ? { ...info, pid, pgid: pid, supervisorPid: pid } : info,
    );
  }
  return run;
}

/** Ends the agents of a task's jobs whose supervisors died: jobs are not resumed. */
export async function endDeadJobs(root: StateRoot, folder: string, grace: Duration) {
  for (const loop of unendedJobs(root, folder)) {
    const attempt = tryLock(loopLock(loop), 'ending what a dead supervisor left');
    // Its supervisor is alive, and takes care of it.
    if (!attempt.got) continue;
    try {
      const trace = readLastTrace(runsFolder(loop));
      if (trace !== null) await endRun(trace, grace);
    } finally {
      attempt.lock.release();
    }
  }
}

/** The folders of the loops of a task's jobs without a recorded ending. */
export function unendedJobs(root: StateRoot, folder: string): string[] {
  return listLoops(root)
    .filter(({ loopKind, cwd, ending }) => loopKind === 'job' && cwd === folder && ending === null)
    .map(({ id }) => loopFolder(root, id));
}
