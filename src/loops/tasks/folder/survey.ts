/** Surveys a root folder: its projects and tasks, the status of each, and whether running ones still make progress. */
import { statSync } from 'node:fs';
import type { Message } from '../../../bus/message.ts';
import { readTail } from '../../../bus/read.ts';
import { errnoOf, handled, RalphError } from '../../../core/error.ts';
import { formatGoSeconds } from '../../../core/text/duration.ts';
import { isProjectId, isTaskId } from '../../../core/text/task-ids.ts';
import type { Duration, Instant } from '../../../core/time.ts';
import type { StateRoot } from '../../../state/paths.ts';
import { isoSeconds } from '../../../state/projection.ts';
import { isLooping, isRunActive } from '../runs/liveness.ts';
import { type EndedRuns, faultIn, type SurveyedRun, surveyRuns } from '../runs/run-info.ts';
import { blockedBy, readDependencies } from './dependencies.ts';
import { foldersIn, isFolder, projectFolder, runFile, taskFile, taskPlace } from './task-folder.ts';

export type SurveyedTask = ReturnType<typeof surveyTask>;

export function projectsIn(root: string): string[] {
  if (!isFolder(root)) throw missing(`root directory not found: ${root}`);
  return foldersIn(root).filter(isProjectId);
}

export function tasksIn(root: string, project: string): string[] {
  const folder = projectFolder(root, project);
  if (!isFolder(folder)) throw missing(`project directory not found: ${folder}`);
  return foldersIn(folder).filter(isTaskId);
}

export function checkTaskExists(root: string, project: string, task: string): void {
  const { folder } = taskPlace(root, project, task);
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (stat === undefined) throw missing(`task directory not found: ${folder}`);
  if (!stat.isDirectory()) throw missing(`task path is not a directory: ${folder}`);
}

interface SurveyOptions {
  /** Remembers ended runs between two surveys. */
  readonly ended?: EndedRuns;
  /** Needed to see that a task's loop is alive: then a failed run does not end the task, which is about to restart. */
  readonly state?: StateRoot;
}

/** Never throws because of one task: what cannot be read is listed in `faults`, with its path. */
export function surveyTask(root: string, project: string, task: string, options: SurveyOptions = {}) {
  const { folder } = taskPlace(root, project, task);
  const faults: string[] = [];
  const attempt = <T, E>(path: string, read: () => T, otherwise: E): T | E =>
    handled(read, (error) => {
      faults.push(faultIn(path, error));
      return otherwise;
    });
  const runs = attempt(folder, () => surveyRuns(folder, options.ended), []);
  const donePath = taskFile.done(folder);
  const done = attempt(donePath, () => statSync(donePath, { throwIfNoEntry: false }), undefined);
  const isUnreadable = faults.length > 0;
  const dependsOn = attempt(folder, () => readDependencies(folder), []);
  const isDone = done?.isDirectory() === false;
  if (done?.isDirectory() === true) faults.push(`DONE is a directory: ${donePath}`);
  const isAlive = options.state !== undefined && isLooping(folder, options.state);
  const active = runs.filter(({ info }) => info !== null && isRunActive(info));
  const reported = runs.filter(({ info, fault }) => info !== null || fault !== null);
  // The newest active run, else the newest of the task's own, else of all: a failed child does not make its task fail.
  const latest =
    active.at(-1) ?? reported.findLast(({ info }) => info?.parentRunId === undefined) ?? reported.at(-1) ?? null;
  const look = (): string[] => (runs.length === 0 && !isDone ? blockedBy(root, project, dependsOn) : []);
  const blockers = attempt(folder, look, []);
  const isUnread = faults.length > 0 || runs.length > 0;
  for (const { fault } of runs) if (fault !== null) faults.push(fault);
  const ends = runs.map(({ info }) => (info === null ? 0 : (info.endTime ?? info.startTime)));
  const changed = (path: string): Instant => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const lastOf = (): Instant => Math.max(changed(folder), changed(taskFile.bus(folder)), ...ends);
  const lastActivity = attempt(folder, lastOf, null);
  /** The status of the latest run, unless DONE or a live loop says more; `-` before the first run. */
  const statusOf = (): string => {
    const isBlocked = blockers.length > 0;
    if (active.length > 0) return 'running';
    if (isUnreadable) return 'unreadable';
    if (isAlive && !isBlocked) return 'running';
    // DONE says more than the exit code of the last run.
    if (isDone) return latest?.info == null ? 'done' : 'completed';
    if (latest !== null) return statusOfRun(latest, isDone);
    if (isUnread) return 'unknown';
    return isBlocked ? 'blocked' : '-';
  };
  const status = statusOf();
  const state = stateOf(status, isDone, runs);
  const known = { id: task, folder, done: isDone, dependsOn, blockedBy: blockers, runs, latest, active };
  return { ...known, status, state, lastActivity, faults };
}

/** A run that is marked as running, but whose process is gone, has failed, unless the task is DONE. */
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

function missing(fact: string): RalphError {
  return new RalphError('NOT_FOUND', fact, { hint: 'Another root is given with --root.', exitCode: 1 });
}

const MEANINGFUL = ['FACT', 'DECISION', 'ERROR', 'REVIEW'];
const PREVIEW_LENGTH = 96;

/** As shown in the JSON of the lists. */
export type Activity = ReturnType<typeof activityOf>;

/** A task's last message on the bus, its last output, and how long ago it last posted something meaningful. */
export function activityOf(task: SurveyedTask, driftAfter: Duration, now: Instant) {
  const threshold = driftAfter > 0 ? driftAfter : 20 * 60_000;
  const { latest, meaningful, fault } = lookAtBus(taskFile.bus(task.folder));
  const age = meaningful === null ? null : Math.max(0, now - meaningful);
  const output = lastOutput(task);
  const drift = driftOf(task, age, threshold, now);
  return {
    latest_bus_message: latest === null ? null : signalOf(latest),
    latest_output_activity_at: output === null ? null : isoSeconds(output),
    last_meaningful_signal_at: meaningful === null ? null : isoSeconds(meaningful),
    meaningful_signal_age_seconds: age === null ? null : Math.floor(age / 1000),
    analysis_drift_risk: drift.isRisk,
    drift_threshold_seconds: Math.floor(threshold / 1000),
    drift_reason: fault === null ? drift.reason : `${drift.reason} (message bus read failed: ${fault})`,
  };
}

function driftOf({ status, latest }: SurveyedTask, age: Duration | null, threshold: Duration, now: Instant) {
  if (status !== 'running') return { isRisk: false, reason: 'task is not running' };
  if (age === null && latest?.info == null) return { isRisk: false, reason: 'running with no meaningful bus signal' };
  const since = age ?? Math.max(0, now - (latest?.info?.startTime ?? now));
  const isRisk = since > threshold;
  const length = formatGoSeconds(since);
  const [risky, fine] =
    age === null
      ? [`running for ${length} without meaningful bus signal`, `no meaningful bus signal yet (running for ${length})`]
      : [`no meaningful bus signal for ${length}`, `last meaningful bus signal ${length} ago`];
  return { isRisk, reason: isRisk ? risky : fine };
}

function lookAtBus(path: string) {
  const nothing = { latest: null, meaningful: null, fault: null };
  const isMeaningful = ({ type, ts }: Message): boolean =>
    MEANINGFUL.includes(type.trim().toUpperCase()) && !Number.isNaN(Date.parse(ts));
  const look = () => {
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return nothing;
    const [latest = null] = readTail(path, 1).messages;
    const [found] = readTail(path, 1, isMeaningful).messages;
    return { latest, meaningful: found === undefined ? null : Date.parse(found.ts), fault: null };
  };
  const whyNot = (error: Error) => (error instanceof RalphError ? error.message : errnoOf(error));
  return handled(look, (error) => ({ ...nothing, fault: whyNot(error) }));
}

function signalOf({ ts, type, body }: Message) {
  const at = Date.parse(ts);
  const words = [...body.split(/\s+/).filter(Boolean).join(' ')];
  const preview = words.length <= PREVIEW_LENGTH ? words : [...words.slice(0, PREVIEW_LENGTH - 3), '...'];
  return { timestamp: Number.isNaN(at) ? '' : isoSeconds(at), type: type.trim(), body_preview: preview.join('') };
}

/** Only looks at files in the run's own folder; paths in run-info.yaml that lead elsewhere are not followed. */
function lastOutput({ latest }: SurveyedTask): Instant | null {
  if (latest === null) return null;
  const times = [runFile.output, runFile.stdout, runFile.stderr].flatMap((file) => {
    const look = () => statSync(file(latest.folder));
    // Anything that is not a readable file shows no activity.
    const stat = handled(look, () => null);
    return stat?.isFile() === true ? stat.mtimeMs : [];
  });
  return times.length === 0 ? null : Math.max(...times);
}
