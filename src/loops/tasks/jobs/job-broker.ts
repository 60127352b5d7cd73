/**
 * Where an agent's `ralph job` asks for a child run. The agent's own processes end with its run, all of them; so a child
 * that is to outlive it is started here, by the supervisor, outside of whatever contains the agent.
 *
 *     agent ─ ralph job ──► <loop>/jobs/<id>.request ──► desk ──► ralph job --supervise (a session of its own)
 *                 ▲                                       │
 *                 └───────── <id>.reply ◄─────────────────┘
 */
import { spawn } from 'node:child_process';
import { closeSync, lstatSync, openSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../../config/environment.ts';
import { RalphError } from '../../../core/error.ts';
import { type FolderWatch, watchFolder } from '../../../process/folder-watch.ts';
import { makePrivateFolder } from '../../../state/folders.ts';
import { readPlain } from '../../../state/plain-file.ts';
import { writeProjection } from '../../../state/projection.ts';
import { removeEntry } from '../../../state/remove-entry.ts';
import { runFile } from '../folder/task-folder.ts';
import type { TaskRequest } from '../rules.ts';
import { markEnded } from '../runs/children.ts';
import { makeRunFolder, runFolder } from '../runs/run-folder.ts';
import { readRunInfo, writeRunInfo } from '../runs/run-info.ts';
import { updateRunInfo } from '../runs/run-info-change.ts';
import { beginning } from '../runs/run-report.ts';
import { BELL, type DeskReply, type DeskWish, JOBS_VARIABLE, jobsFolder, REQUEST, replyPath } from './broker-files.ts';
import { jobFor, postForAgent } from './broker-policy.ts';

export interface JobDesk {
  /** Sees that it is there, also where an agent took it away, and gives what agents find it by. */
  open(): Readonly<Record<string, string>>;
  /** Starts everything that has been asked for. */
  serve(): Promise<void>;
  /** Takes no more requests; resolves when the current one has been answered. */
  close(): Promise<void>;
}

export interface DeskSetting {
  /** The loop's own folder. */
  readonly loop: string;
  /** The command line that starts this program again. */
  readonly self: readonly [string, ...string[]];
  /** Of programs that run outside of a sandbox, once there is one. */
  env(): NodeJS.ProcessEnv;
  readonly environment: Environment;
  /** What the loop was started with. */
  readonly request: TaskRequest;
  /** Ends agents of jobs whose supervisors died. */
  readonly endDeadJobs: () => Promise<void>;
}

export function openJobBroker(setting: DeskSetting): JobDesk {
  const folder = jobsFolder(setting.loop);
  let watched: { readonly which: string; readonly watch: FolderWatch } | null = null;
  let served: Promise<void> = Promise.resolve();
  // One after another: a bell that is rung twice must not start anything twice.
  const serve = (): Promise<void> => {
    served = served.then(() => serveAll(setting, folder));
    return served;
  };
  const open = (): Readonly<Record<string, string>> => {
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
    async close() {
      watched?.watch.close();
      // Otherwise the pid of a job that is being started would not be on record, and `task stop` would miss it.
      await served;
    },
  };
}

/** Agents write here: whatever else they do to the folder or an entry of it, the others are served. Never rejects. */
async function serveAll(setting: DeskSetting, folder: string): Promise<void> {
  for (const name of requestsIn(folder)) {
    try {
      const reply = await answer(setting, folder, name);
      writeProjection(replyPath(folder, name.slice(0, -REQUEST.length)), JSON.stringify(reply));
    } catch {
      // Who asked took away the place for the answer; it is told by its client that nobody answers.
    }
  }
}

/** None where the folder is gone: then nobody can have asked. */
function requestsIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((entry) => entry.endsWith(REQUEST));
  } catch {
    return [];
  }
}

/** What another folder of this name does not have in common with it; a number of the disk is given again. */
function madeFolder(folder: string): string {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    rmSync(folder, { force: true });
    makePrivateFolder(folder);
  }
  const { ino, birthtimeMs } = lstatSync(folder);
  return `${ino} ${birthtimeMs}`;
}

/** The request is gone when it returns. */
async function answer(setting: DeskSetting, folder: string, name: string): Promise<DeskReply> {
  try {
    const path = join(folder, name);
    const text = readPlain(path);
    removeEntry(path);
    if (text === null) return { error: `${path} is not a plain file` };
    // Written by our own client, or by an agent that does as if: what matters is checked.
    const wish = JSON.parse(text) as DeskWish;
    if ('post' in wish) return { msgId: await postForAgent(setting.request, wish) };
    const job = await jobFor(setting, wish);
    const { noSandbox } = job;
    return { runFolder: await startJob(setting, job), ...(noSandbox === undefined ? {} : { noSandbox }) };
  } catch (error) {
    if (!(error instanceof RalphError)) return { error: error instanceof Error ? error.message : String(error) };
    const { hint } = error.advice;
    return { error: error.message, ...(hint === undefined ? {} : { hint }) };
  }
}

/** The run's folder and report come first: whoever looks for children sees it from now on. */
async function startJob({ self, env, endDeadJobs, loop }: DeskSetting, wished: TaskRequest): Promise<string> {
  const { runId, folder: run } = makeRunFolder(wished.folder, new Date());
  const request: TaskRequest = { ...wished, runId };
  writeRunInfo(runFile.info(run), beginning(request, runId, request.previousRunId, process.pid, Date.now()));
  // Not at the desk, where the agent could change it before it is read.
  const folder = join(loop, 'orders');
  makePrivateFolder(folder);
  const order = join(folder, `${runId}.json`);
  writeProjection(order, JSON.stringify(request));
  const [program, ...args] = self;
  const log = openSync(join(folder, `${runId}.log`), 'ax', 0o600);
  const child = spawn(program, [...args, 'job', '--supervise', order], {
    cwd: request.cwd,
    env: env(),
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const whenGone = (): void => void seeToEnd(request.folder, runId, endDeadJobs);
  child.on('error', whenGone).on('exit', whenGone).unref();
  const { pid } = child;
  if (pid !== undefined) {
    await updateRunInfo(runFile.info(runFolder(request.folder, runId)), (info) =>
      info.pid === process.pid ? { ...info, pid, pgid: pid, supervisorPid: pid } : info,
    );
  }
  return run;
}

/** A job's supervisor is gone. It reported the run's end itself, unless it was killed. */
async function seeToEnd(task: string, runId: string, endDeadJobs: () => Promise<void>): Promise<void> {
  try {
    if (readRunInfo(runFile.info(runFolder(task, runId)))?.endTime !== null) return;
    await endDeadJobs();
    await markEnded(task, [runId], Date.now());
  } catch {
    // A report that cannot be read or written is told of when the task is done.
  }
}
