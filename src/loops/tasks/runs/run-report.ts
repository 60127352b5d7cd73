/** What stands in a run's report when it begins and when it has ended. */

import { closeSync, fstatSync, readSync, statSync } from 'node:fs';
import { defined } from '../../../core/defined.ts';
import { WAIT_EXIT_CODE } from '../../../core/ending.ts';
import { errnoOf, RalphError } from '../../../core/error.ts';
import { type Exit, exitNumber } from '../../../core/outcome.ts';
import { faultMessage } from '../../../core/system-fault.ts';
import type { Instant } from '../../../core/time.ts';
import type { RunEnd } from '../../../engine/performers/perform.ts';
import { openPlain } from '../../../state/plain-file.ts';
import { runFile } from '../folder/task-folder.ts';
import type { TaskRequest } from '../rules.ts';
import { makeFolder, runFolder } from './run-folder.ts';
import { errorSummary, type RunInfo, type RunStatus, readRunInfo, writeRunInfo } from './run-info.ts';
import type { RunEnding } from './run-memo.ts';

export const STDERR_LINES = 50;
const STDERR_BYTES = 64 * 1024;

/** Before the agent runs its supervisor stands for it, so that the run is not taken for a dead one. */
export function beginning(
  request: TaskRequest,
  runId: string,
  previousRunId: string | null,
  startTime: Instant,
): RunInfo {
  const run = runFolder(request.folder, runId);
  return {
    runId,
    ...defined({ parentRunId: request.parentRunId ?? undefined, previousRunId: previousRunId ?? undefined }),
    project: request.project,
    task: request.task,
    agent: request.agent,
    ownership: 'managed',
    pid: process.pid,
    pgid: process.pid,
    supervisorPid: process.pid,
    startTime,
    endTime: null,
    exitCode: -1,
    status: 'running',
    cwd: request.cwd,
    promptPath: runFile.prompt(run),
    outputPath: runFile.output(run),
    stdoutPath: runFile.stdout(run),
    stderrPath: runFile.stderr(run),
    agentVersion: '',
  };
}

/** The report of a run of our own. An agent can spoil it or take it away; then it is written again from what is known. */
export function ownReport(
  request: TaskRequest,
  runId: string,
  now: Instant,
): { readonly info: RunInfo; readonly fault: string | null } {
  const folder = runFolder(request.folder, runId);
  const path = runFile.info(folder);
  let fault = `${path} was taken away`;
  try {
    const info = readRunInfo(path);
    if (info !== null) return { info, fault: null };
  } catch (error) {
    if (!(error instanceof RalphError) && errnoOf(error) === undefined) throw error;
    fault = faultMessage(error);
  }
  const begun = statSync(runFile.prompt(folder), { throwIfNoEntry: false })?.mtimeMs ?? now;
  const info = beginning(request, runId, null, Math.round(begun));
  makeFolder(folder);
  writeRunInfo(path, info);
  return { info, fault };
}

/** `waits`: it said so by a file or a message. */
export function endingOf({ exit, cutOff }: RunEnd, waits: boolean): RunEnding {
  const exitCode = exit.by === 'unseen' ? -1 : exitNumber(exit);
  const saysWait = cutOff === null && (waits || exitCode === WAIT_EXIT_CODE);
  if (saysWait) return { exitCode, status: 'stopped' };
  if (cutOff === 'idle' || cutOff === 'total') return { exitCode, status: 'failed', errorSummary: 'timed out' };
  if (exitCode === 0 && cutOff === null) return { exitCode, status: 'completed' };
  const status: RunStatus = cutOff === 'cancelled' ? 'stopped' : 'failed';
  return {
    exitCode,
    status,
    errorSummary: exit.by === 'unseen' ? unseenSummary(exit) : errorSummary(exitCode),
  };
}

/** One that still ran was ended by the next supervisor. */
function unseenSummary({ wasRunning }: Extract<Exit, { by: 'unseen' }>): string {
  return wasRunning === true ? 'its supervisor died' : 'ended while no supervisor was running';
}

/** The last lines that an agent said on its way out. */
export function stderrTail(path: string): string {
  let fd: number;
  try {
    fd = openPlain(path);
  } catch {
    // The agent took it away, or put something in its place: then there are no last words.
    return '';
  }
  try {
    const { size } = fstatSync(fd);
    const buffer = Buffer.alloc(Math.min(size, STDERR_BYTES));
    readSync(fd, buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString('utf8').trimEnd().split('\n').slice(-STDERR_LINES).join('\n');
  } finally {
    closeSync(fd);
  }
}
