/**
 * Where an agent's `ralph job` asks for a child run. The agent's own processes end with its run, all of them; so a child
 * that is to outlive it is started here, by the supervisor, outside of whatever contains the agent.
 *
 *     agent ─ ralph job ──► <loop>/jobs/<id>.request ──► desk ──► ralph job --supervise (a session of its own)
 *                 ▲                                       │
 *                 └───────── <id>.reply ◄─────────────────┘
 */
import { spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { RalphError } from '../../core/error.ts';
import { watchFolder } from '../../process/folder-watch.ts';
import { makePrivateFolder } from '../../state/folders.ts';
import { writeProjection } from '../../state/projection.ts';
import { markEnded } from './children.ts';
import { type JobWish, taskRequestOf } from './job-wish.ts';
import type { TaskRequest } from './rules.ts';
import { makeRunFolder, runFolder } from './run-folder.ts';
import { readRunInfo, updateRunInfo, writeRunInfo } from './run-info.ts';
import { beginning } from './run-report.ts';
import { runFile } from './task-folder.ts';
import { checkWorkFolder } from './work-folder.ts';

export interface JobDesk {
  /** Agents find it by this. */
  readonly env: Readonly<Record<string, string>>;
  /** Starts everything that has been asked for. */
  serve(): Promise<void>;
  close(): void;
}

export interface DeskSetting {
  /** The loop's own folder. */
  readonly loop: string;
  /** The command line that starts this program again. */
  readonly self: readonly [string, ...string[]];
  readonly env: NodeJS.ProcessEnv;
  /** Ends agents of jobs whose supervisors died. */
  readonly endDeadJobs: () => Promise<void>;
}

export type JobReply = { readonly runFolder: string } | { readonly error: string; readonly hint?: string };

export const JOBS_VARIABLE = 'RALPH_JOBS';
export const BELL = 'bell';
const REQUEST = '.request.json';

export function openJobDesk(setting: DeskSetting): JobDesk {
  const folder = join(setting.loop, 'jobs');
  makePrivateFolder(folder);
  const serve = async (): Promise<void> => {
    for (const name of readdirSync(folder).filter((entry) => entry.endsWith(REQUEST))) {
      const reply = answer(setting, folder, name);
      rmSync(join(folder, name), { force: true });
      writeProjection(replyPath(folder, name.slice(0, -REQUEST.length)), JSON.stringify(reply));
    }
  };
  const watch = watchFolder(folder);
  watch.on(BELL, () => void serve());
  return { env: { [JOBS_VARIABLE]: folder }, serve, close: () => watch.close() };
}

export function requestPath(folder: string, id: string): string {
  return join(folder, `${id}${REQUEST}`);
}

export function replyPath(folder: string, id: string): string {
  return join(folder, `${id}.reply.json`);
}

function answer(setting: DeskSetting, folder: string, name: string): JobReply {
  try {
    // Written by our own client.
    const wish = JSON.parse(readFileSync(join(folder, name), 'utf8')) as JobWish;
    return { runFolder: startJob(setting, folder, taskRequestOf(wish)) };
  } catch (error) {
    if (!(error instanceof RalphError)) return { error: error instanceof Error ? error.message : String(error) };
    const { hint } = error.advice;
    return { error: error.message, ...(hint === undefined ? {} : { hint }) };
  }
}

/** The run's folder and report come first: whoever looks for children sees it from now on. */
function startJob({ self, env, endDeadJobs }: DeskSetting, folder: string, wished: TaskRequest): string {
  checkWorkFolder(wished.cwd);
  const { runId, folder: run } = makeRunFolder(wished.folder, new Date());
  const request: TaskRequest = { ...wished, runId };
  writeRunInfo(runFile.info(run), beginning(request, runId, request.previousRunId, process.pid, Date.now()));
  const order = join(folder, `${runId}.json`);
  writeProjection(order, JSON.stringify(request));
  const [program, ...args] = self;
  const log = openSync(join(folder, `${runId}.log`), 'a', 0o600);
  const child = spawn(program, [...args, 'job', '--supervise', order], {
    cwd: request.cwd,
    env,
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const whenGone = (): void => void seeToEnd(request.folder, runId, endDeadJobs);
  child.on('error', whenGone).on('exit', whenGone).unref();
  const { pid } = child;
  if (pid !== undefined) {
    updateRunInfo(runFile.info(runFolder(request.folder, runId)), (info) =>
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
    markEnded(task, [runId], Date.now());
  } catch {
    // A report that cannot be read or written is told of when the task is done.
  }
}
