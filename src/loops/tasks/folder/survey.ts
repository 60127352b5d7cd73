/** What lies under a root: projects, their tasks, and what the disk says of each. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, RalphError } from '../../../core/error.ts';
import { reasonOf } from '../../../core/system-fault.ts';
import { checkTaskId, isProjectId, isTaskId } from '../../../core/text/task-ids.ts';
import type { Instant } from '../../../core/time.ts';
import { isRunActive } from '../runs/liveness.ts';
import { type EndedRuns, type SurveyedRun, surveyRuns } from '../runs/run-info.ts';
import { blockedBy, readDependencies } from './dependencies.ts';
import { foldersIn, projectFolder, taskFile } from './task-folder.ts';

export interface SurveyedTask {
  readonly id: string;
  readonly folder: string;
  readonly done: boolean;
  readonly dependsOn: readonly string[];
  readonly blockedBy: readonly string[];
  readonly runs: readonly SurveyedRun[];
  /** The newest that is at work, or else the newest of the task's own, or of all. */
  readonly latest: SurveyedRun | null;
  /** Of the latest run, as long as neither DONE nor a living loop says more; `-` before the first one. */
  readonly status: string;
  /** Of the task as a whole. */
  readonly state: string;
  readonly active: readonly SurveyedRun[];
  /** Null where it cannot be read. */
  readonly lastActivity: Instant | null;
  /** What could not be read, each with its path. */
  readonly faults: readonly string[];
}

export function projectsIn(root: string): string[] {
  if (!isFolder(root)) throw missing(`root directory not found: ${root}`);
  return foldersIn(root).filter(isProjectId);
}

export function tasksIn(root: string, project: string): string[] {
  const folder = projectFolder(root, project);
  if (!isFolder(folder)) throw missing(`project directory not found: ${folder}`);
  return foldersIn(folder).filter(isTaskId);
}

/** Refuses a task that is not there. */
export function checkTaskExists(root: string, project: string, task: string): void {
  const folder = join(projectFolder(root, project), checkTaskId(task));
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (stat === undefined) throw missing(`task directory not found: ${folder}`);
  if (!stat.isDirectory()) throw missing(`task path is not a directory: ${folder}`);
}

export interface SurveyOptions {
  /** Keeps what has ended between two looks. */
  readonly ended?: EndedRuns;
  /** A run that failed is not the end of a task whose loop is about to start it again. */
  readonly isLooping?: (folder: string) => boolean;
}

/** Whatever cannot be read is named in `faults`; never throws for the sake of one task. */
export function surveyTask(root: string, project: string, task: string, options: SurveyOptions = {}): SurveyedTask {
  const folder = join(projectFolder(root, project), task);
  const faults: string[] = [];
  const attempt = <T, E>(read: () => T, otherwise: E): T | E => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof RalphError) && errnoOf(error) === undefined) throw error;
      faults.push(error instanceof RalphError ? error.message : `cannot read ${folder}: ${reasonOf(error)}`);
      return otherwise;
    }
  };
  const runs = attempt(() => surveyRuns(folder, options.ended), []);
  const done = attempt(() => doneIn(folder), 'unknown');
  const isUnreadable = faults.length > 0;
  const dependsOn = attempt(() => readDependencies(folder), []);
  if (done === 'directory') faults.push(`DONE is a directory: ${taskFile.done(folder)}`);
  const isDone = done === 'file';
  const isLooping = options.isLooping?.(folder) ?? false;
  const active = runs.filter(({ info }) => info !== null && isRunActive(info));
  const reported = runs.filter(({ info, fault }) => info !== null || fault !== null);
  // A child that failed is no failure of its task.
  const latest =
    active.at(-1) ?? reported.findLast(({ info }) => info?.parentRunId === undefined) ?? reported.at(-1) ?? null;
  const blockers = runs.length === 0 && !isDone ? attempt(() => blockedBy(root, project, dependsOn), []) : [];
  const isUnread = faults.length > 0 || runs.length > 0;
  for (const { fault } of runs) if (fault !== null) faults.push(fault);
  const lastActivity = attempt(() => lastActivityOf(folder, runs), null);
  const statusOf = (): string => {
    const isBlocked = blockers.length > 0;
    if (active.length > 0) return 'running';
    if (isUnreadable) return 'unreadable';
    if (isLooping && !isBlocked) return 'running';
    // However its last run ended: DONE says more than an exit code.
    if (isDone) return latest?.info == null ? 'done' : 'completed';
    if (latest !== null) return statusOfRun(latest, isDone);
    if (isUnread) return 'unknown';
    return isBlocked ? 'blocked' : '-';
  };
  const status = statusOf();
  return {
    id: task,
    folder,
    done: isDone,
    dependsOn,
    blockedBy: blockers,
    runs,
    latest,
    status,
    state: stateOf(status, isDone, runs),
    active,
    lastActivity,
    faults,
  };
}

/** One that says it runs, and whose process is gone, has failed, unless its last act was DONE. */
export function statusOfRun({ info }: SurveyedRun, isDone: boolean): string {
  if (info === null) return isDone ? 'done' : 'unknown';
  if (info.status !== 'running' || isRunActive(info)) return info.status;
  return isDone ? 'completed' : 'failed';
}

function stateOf(status: string, isDone: boolean, runs: readonly SurveyedRun[]): string {
  if (status === 'running') return runs.some(({ info }) => info?.status === 'failed') ? 'partial_failure' : 'running';
  if (isDone) return 'all_finished';
  return status === '-' ? 'queued' : status;
}

function lastActivityOf(folder: string, runs: readonly SurveyedRun[]): Instant {
  const files = [folder, taskFile.bus(folder)].map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  const ends = runs.map(({ info }) => (info === null ? 0 : (info.endTime ?? info.startTime)));
  return Math.max(...files, ...ends);
}

function doneIn(folder: string): 'file' | 'directory' | 'none' {
  const path = taskFile.done(folder);
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return 'none';
    return stat.isDirectory() ? 'directory' : 'file';
  } catch (error) {
    throw new RalphError('DONE', `cannot read ${path}: ${reasonOf(error)}`, { exitCode: 1 });
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function missing(fact: string): RalphError {
  return new RalphError('NOT_FOUND', fact, { hint: 'Another root is given with --root.', exitCode: 1 });
}
