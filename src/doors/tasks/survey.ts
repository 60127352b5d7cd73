/** What lies under a root: projects, their tasks, and what can be said of each without asking anybody but the disk. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { RalphError } from '../../core/error.ts';
import { checkTaskId, isProjectId, isTaskId } from '../../core/task-ids.ts';
import type { Instant } from '../../core/time.ts';
import { blockedBy, readDependencies } from './dependencies.ts';
import { isRunActive } from './run-life.ts';
import { type EndedRuns, foldersIn, type SurveyedRun, surveyRuns } from './survey-runs.ts';
import { projectFolder, taskFile } from './task-folder.ts';

export interface SurveyedTask {
  readonly id: string;
  readonly folder: string;
  readonly done: boolean;
  readonly dependsOn: readonly string[];
  readonly blockedBy: readonly string[];
  readonly runs: readonly SurveyedRun[];
  /** The newest that is at work, or else the newest that has a run-info at all. */
  readonly latest: SurveyedRun | null;
  /** Of the latest run; `-` before the first one. */
  readonly status: string;
  /** Of the task as a whole. */
  readonly state: string;
  readonly active: readonly SurveyedRun[];
  readonly lastActivity: Instant;
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

/** Whoever looks again and again keeps what has `ended` between two looks. */
export function surveyTask(root: string, project: string, task: string, ended?: EndedRuns): SurveyedTask {
  const folder = join(projectFolder(root, project), task);
  const faults: string[] = [];
  const attempt = <T>(read: () => T, otherwise: T): T => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof RalphError)) throw error;
      faults.push(error.message);
      return otherwise;
    }
  };
  const runs = attempt(() => surveyRuns(folder, ended), []);
  const dependsOn = attempt(() => readDependencies(folder), []);
  const done = statSync(taskFile.done(folder), { throwIfNoEntry: false });
  if (done?.isDirectory() === true) faults.push(`DONE is a directory: ${taskFile.done(folder)}`);
  const isDone = done !== undefined && !done.isDirectory();
  const active = runs.filter(({ info }) => info !== null && isRunActive(info));
  const latest = active.at(-1) ?? runs.findLast(({ info, fault }) => info !== null || fault !== null) ?? null;
  const blockers = runs.length === 0 && !isDone ? attempt(() => blockedBy(root, project, dependsOn), []) : [];
  const unread = faults.length > 0;
  for (const { fault } of runs) if (fault !== null) faults.push(fault);
  const status = statusOf({ latest, isDone, isUnread: unread || runs.length > 0, isBlocked: blockers.length > 0 });
  return {
    id: task,
    folder,
    done: isDone,
    dependsOn,
    blockedBy: blockers,
    runs,
    latest,
    status,
    state: stateOf({ status, isDone, runs, active }),
    active,
    lastActivity: lastActivityOf(folder, runs),
    faults,
  };
}

interface Known {
  readonly latest: SurveyedRun | null;
  readonly isDone: boolean;
  readonly isUnread: boolean;
  readonly isBlocked: boolean;
}

function statusOf({ latest, isDone, isUnread, isBlocked }: Known): string {
  if (latest !== null) return statusOfRun(latest, isDone);
  if (isDone) return 'done';
  if (isUnread) return 'unknown';
  return isBlocked ? 'blocked' : '-';
}

/** One that says it runs, and whose process is gone, has failed, unless its last act was DONE. */
export function statusOfRun({ info }: SurveyedRun, isDone: boolean): string {
  if (info === null) return isDone ? 'done' : 'unknown';
  if (info.status !== 'running' || isRunActive(info)) return info.status;
  return isDone ? 'completed' : 'failed';
}

interface Found {
  readonly status: string;
  readonly isDone: boolean;
  readonly runs: readonly SurveyedRun[];
  readonly active: readonly SurveyedRun[];
}

function stateOf({ status, isDone, runs, active }: Found): string {
  if (active.length > 0) return runs.some(({ info }) => info?.status === 'failed') ? 'partial_failure' : 'running';
  if (isDone) return 'all_finished';
  return status === '-' ? 'queued' : status;
}

function lastActivityOf(folder: string, runs: readonly SurveyedRun[]): Instant {
  const files = [folder, taskFile.bus(folder)].map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  const ends = runs.map(({ info }) => (info === null ? 0 : (info.endTime ?? info.startTime)));
  return Math.max(...files, ...ends);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function missing(fact: string): RalphError {
  return new RalphError('NOT_FOUND', fact, { hint: 'Another root is given with --root.', exitCode: 1 });
}
