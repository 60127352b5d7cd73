/** Does a task that runs still get anywhere? Its last words on the bus, its last output, and how long it says nothing of weight. */
import { statSync } from 'node:fs';
import type { Message } from '../../../bus/message.ts';
import { readTail } from '../../../bus/read.ts';
import { errnoOf, RalphError } from '../../../core/error.ts';
import { formatGoSeconds } from '../../../core/text/duration.ts';
import type { Duration, Instant } from '../../../core/time.ts';
import type { SurveyedTask } from './survey.ts';
import { runFile, taskFile } from './task-folder.ts';

/** As it stands in the JSON of the lists. */
export interface Activity {
  readonly latest_bus_message: BusSignal | null;
  readonly latest_output_activity_at: string | null;
  readonly last_meaningful_signal_at: string | null;
  readonly meaningful_signal_age_seconds: number | null;
  readonly analysis_drift_risk: boolean;
  readonly drift_threshold_seconds: number;
  readonly drift_reason: string;
}

export interface BusSignal {
  readonly timestamp: string;
  readonly type: string;
  readonly body_preview: string;
}

export const DRIFT_AFTER: Duration = 20 * 60_000;

const MEANINGFUL = ['FACT', 'DECISION', 'ERROR', 'REVIEW'];
const PREVIEW_LENGTH = 96;

export function activityOf(task: SurveyedTask, driftAfter: Duration, now: Instant): Activity {
  const threshold = driftAfter > 0 ? driftAfter : DRIFT_AFTER;
  const bus = lookAtBus(taskFile.bus(task.folder));
  const age = bus.meaningful === null ? null : Math.max(0, now - bus.meaningful);
  const output = lastOutput(task);
  const drift = driftOf(task, age, threshold, now);
  return {
    latest_bus_message: bus.latest === null ? null : signalOf(bus.latest),
    latest_output_activity_at: output === null ? null : rfc3339(output),
    last_meaningful_signal_at: bus.meaningful === null ? null : rfc3339(bus.meaningful),
    meaningful_signal_age_seconds: age === null ? null : Math.floor(age / 1000),
    analysis_drift_risk: drift.isRisk,
    drift_threshold_seconds: Math.floor(threshold / 1000),
    drift_reason: bus.fault === null ? drift.reason : `${drift.reason} (message bus read failed: ${bus.fault})`,
  };
}

/** `2026-02-23T19:17:10Z` */
export function rfc3339(at: Instant): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
}

function driftOf(
  { status, latest }: SurveyedTask,
  age: Duration | null,
  threshold: Duration,
  now: Instant,
): { readonly isRisk: boolean; readonly reason: string } {
  if (status !== 'running') return { isRisk: false, reason: 'task is not running' };
  if (age !== null) {
    const isRisk = age > threshold;
    const length = formatGoSeconds(age);
    return {
      isRisk,
      reason: isRisk ? `no meaningful bus signal for ${length}` : `last meaningful bus signal ${length} ago`,
    };
  }
  if (latest?.info == null) return { isRisk: false, reason: 'running with no meaningful bus signal' };
  const since = Math.max(0, now - latest.info.startTime);
  const length = formatGoSeconds(since);
  return since > threshold
    ? { isRisk: true, reason: `running for ${length} without meaningful bus signal` }
    : { isRisk: false, reason: `no meaningful bus signal yet (running for ${length})` };
}

interface BusLook {
  readonly latest: Message | null;
  readonly meaningful: Instant | null;
  readonly fault: string | null;
}

function lookAtBus(path: string): BusLook {
  try {
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return { latest: null, meaningful: null, fault: null };
    const [latest] = readTail(path, 1).messages;
    const isDated = ({ type, ts }: Message): boolean => isMeaningful(type) && !Number.isNaN(Date.parse(ts));
    const [found] = readTail(path, 1, isDated).messages;
    return { latest: latest ?? null, meaningful: found === undefined ? null : Date.parse(found.ts), fault: null };
  } catch (error) {
    if (!(error instanceof RalphError) && errnoOf(error) === undefined) throw error;
    const fault = error instanceof RalphError ? error.message : (errnoOf(error) ?? '');
    return { latest: null, meaningful: null, fault };
  }
}

function isMeaningful(type: string): boolean {
  return MEANINGFUL.includes(type.trim().toUpperCase());
}

function signalOf({ ts, type, body }: Message): BusSignal {
  const at = Date.parse(ts);
  const words = [...body.split(/\s+/).filter(Boolean).join(' ')];
  const preview = words.length <= PREVIEW_LENGTH ? words : [...words.slice(0, PREVIEW_LENGTH - 3), '...'];
  return { timestamp: Number.isNaN(at) ? '' : rfc3339(at), type: type.trim(), body_preview: preview.join('') };
}

/** Of the files in the run's own folder: what a run-info says of paths elsewhere is not followed. */
function lastOutput({ latest }: SurveyedTask): Instant | null {
  if (latest === null) return null;
  const times = [runFile.output, runFile.stdout, runFile.stderr]
    .map((path) => changedAt(path(latest.folder)))
    .filter((at) => at !== null);
  return times.length === 0 ? null : Math.max(...times);
}

/** Null for what is no file, or cannot be looked at: then it shows no activity. */
function changedAt(path: string): Instant | null {
  try {
    const stat = statSync(path);
    return stat.isFile() ? stat.mtimeMs : null;
  } catch {
    return null;
  }
}
