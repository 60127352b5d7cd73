/** `run-info.yaml`: the report of one run, for people and other programs; only the loop's journal is authoritative. */
import { lstatSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Defined, defined } from '../../../core/defined.ts';
import { handled, RalphError } from '../../../core/error.ts';
import { reasonOf } from '../../../core/system-fault.ts';
import type { Instant } from '../../../core/time.ts';
import { plainTextIfThere } from '../../../process/files.ts';
import { removeEntry } from '../../../state/held-folder.ts';
import { writeAnew } from '../../../state/projection.ts';
import { underLock } from '../../../state/under-lock.ts';
import { foldersIn, runFile, runFolder, taskFile } from '../folder/task-folder.ts';
import type { TaskRequest } from '../request.ts';

const STATUSES = ['running', 'completed', 'failed', 'stopped'] as const;

/** The fields in the order of the file: the name of each in the file, and how it is read. */
const FIELDS = {
  runId: ['run_id', textOf],
  parentRunId: ['parent_run_id', someText],
  previousRunId: ['previous_run_id', someText],
  project: ['project_id', textOf],
  task: ['task_id', textOf],
  agent: ['agent', textOf],
  /** `external`: a process that we must not end. */
  ownership: ['process_ownership', (value) => (value === 'external' ? value : 'managed')],
  /** The agent's pid; its supervisor's until the agent is started. */
  pid: ['pid', (value) => wholeOf(value) ?? 0],
  pgid: ['pgid', (value) => wholeOf(value) ?? 0],
  /** The supervisor, which writes the run's end once everything that the agent started is gone. */
  supervisorPid: ['supervisor_pid', positiveOf],
  startTime: ['start_time', instantOf],
  endTime: ['end_time', instantOf],
  /** -1 while it runs, and if its end was not seen. */
  exitCode: ['exit_code', (value) => wholeOf(value) ?? -1],
  status: ['status', textOf],
  cwd: ['cwd', textOf],
  promptPath: ['prompt_path', textOf],
  outputPath: ['output_path', textOf],
  stdoutPath: ['stdout_path', textOf],
  stderrPath: ['stderr_path', textOf],
  commandLine: ['commandline', someText],
  errorSummary: ['error_summary', someText],
  /** How often a sandbox refused the agent something. */
  refusals: ['sandbox_refusals', positiveOf],
  agentVersion: ['agent_version', textOf],
} as const satisfies Record<string, readonly [key: string, read: (value: unknown) => unknown]>;

type ReadFields = Defined<{ readonly [Name in keyof typeof FIELDS]: ReturnType<(typeof FIELDS)[Name][1]> }>;

export interface RunInfo extends Omit<ReadFields, 'startTime' | 'status'> {
  readonly startTime: Instant;
  readonly status: (typeof STATUSES)[number];
}

/** Means "not yet" in a field that must be a time. */
const ZERO_TIME = '0001-01-01T00:00:00Z';
/** Text that needs no quotes, unless it is one of the words that YAML does not read as text. */
const PLAIN = /^[A-Za-z/][\w/.@+-]*$/;
const RESERVED = /^(?:null|true|false|yes|no|on|off|y|n)$/i;

const LOCK = { what: 'run report', tries: 1 } as const;

export interface SurveyedRun {
  readonly id: string;
  readonly folder: string;
  /** Null if there is none, or it is corrupt. */
  readonly info: RunInfo | null;
  /** Why an existing run-info.yaml could not be read, with its path. */
  readonly fault: string | null;
}

/** Ended runs, which no longer change, by folder. */
export type EndedRuns = Map<string, SurveyedRun>;

/** Sorted by id, and so by time. Only folders: a link could lead anywhere. */
export function surveyRuns(task: string, ended: EndedRuns = new Map()): SurveyedRun[] {
  return foldersIn(taskFile.runs(task)).map((id) => {
    const folder = runFolder(task, id);
    const path = runFile.info(folder);
    const read = (): SurveyedRun => ({ id, folder, info: readRunInfo(path), fault: null });
    const unread = (error: Error): SurveyedRun => ({ id, folder, info: null, fault: faultIn(path, error) });
    const run = ended.get(folder) ?? handled(read, unread);
    if (run.info !== null && run.info.endTime !== null) ended.set(folder, run);
    return run;
  });
}

/** Adds the path, unless it is a `RalphError`, whose message already has it. */
export function faultIn(path: string, error: Error): string {
  return error instanceof RalphError ? error.message : `cannot read ${path}: ${reasonOf(error)}`;
}

/** For the run's supervisor: overwrites whatever another process has made of the report. Returns the text. */
export async function reportRun(path: string, info: RunInfo): Promise<string> {
  try {
    return await underLock(path, { ...LOCK, lockTimeoutMs: 1000 }, () => writeRunInfo(path, info));
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    // A report is only locked for a fraction of a millisecond, so the agent must have created this lock.
    return writeRunInfo(path, info);
  }
}

/** Changes the report of another supervisor's run under `run-info.yaml.lock`. Does nothing if there is no report. */
export async function updateRunInfo(path: string, change: (info: RunInfo) => RunInfo): Promise<void> {
  if (readRunInfo(path) === null) return;
  await underLock(path, { ...LOCK, lockTimeoutMs: 5000 }, () => {
    const info = readRunInfo(path);
    const changed = info === null ? null : change(info);
    if (changed !== null && changed !== info) writeRunInfo(path, changed);
  });
}

export function writeRunInfo(path: string, info: RunInfo): string {
  const text = yamlOf(info);
  // A unique name: a supervisor, and a process that marks a dead run, can write at the same time.
  const next = `${path}.${process.pid}.next`;
  // The agent can write to the run's folder, too, and may have created a file of this name.
  if (lstatSync(next, { throwIfNoEntry: false }) !== undefined) removeEntry(next);
  try {
    writeAnew(next, text, 0o644);
    // As above. A file cannot replace a folder by renaming.
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true) removeEntry(path);
    renameSync(next, path);
    return text;
  } catch (error) {
    // A full disk leaves an incomplete file.
    rmSync(next, { force: true });
    throw error;
  }
}

/** Removes the files of writers that were killed before they could rename their report. */
export function clearCutOff(run: string): void {
  for (const name of readdirSync(run)) if (/^run-info\.yaml\.\d+\.next$/.test(name)) removeEntry(join(run, name));
}

/** The first report of a run. Until the agent runs, it has the supervisor's pid, so that the run does not look dead. */
export function beginning(request: TaskRequest, runId: string, previous: string | null, startTime: Instant): RunInfo {
  const { project, task, agent, cwd, parentRunId } = request;
  const run = runFolder(request.folder, runId);
  const { pid } = process;
  const before = defined({ parentRunId: parentRunId ?? undefined, previousRunId: previous ?? undefined });
  const begun = { pid, pgid: pid, supervisorPid: pid, startTime, ownership: 'managed', agentVersion: '' } as const;
  const unended = { endTime: null, exitCode: -1, status: 'running' } as const;
  const files = { promptPath: runFile.prompt(run), outputPath: runFile.output(run) };
  const printed = { stdoutPath: runFile.stdout(run), stderrPath: runFile.stderr(run) };
  return { runId, project, task, agent, cwd, ...before, ...begun, ...unended, ...files, ...printed };
}

/** Null if there is none; a corrupt one is an error that names its path. */
export function readRunInfo(path: string): RunInfo | null {
  const text = plainTextIfThere(path);
  if (text === null) return null;
  let fields: unknown;
  try {
    fields = parse(text);
  } catch (error) {
    throw corrupt(path, error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));
  }
  if (typeof fields !== 'object' || fields === null) throw corrupt(path, 'it holds no fields');
  const values = fields as Readonly<Record<string, unknown>>;
  const read = Object.entries(FIELDS).map(([name, [key, readField]]) => [name, readField(values[key])]);
  const info = defined(Object.fromEntries(read)) as ReadFields;
  const { runId, startTime, endTime } = info;
  if (runId === '') throw corrupt(path, 'it has no run_id');
  if (startTime === null) throw corrupt(path, 'it has no start_time');
  const status = STATUSES.find((one) => one === info.status) ?? (endTime === null ? 'running' : 'failed');
  return { ...info, startTime, status };
}

/** Whether the file still has exactly this text. Parsing it instead would slow down every restart. */
export function isAsWritten(path: string, text: string): boolean {
  const look = (): boolean => plainTextIfThere(path) === text;
  // A file that cannot be read does not have this text.
  return handled(look, () => false);
}

export function errorSummary(exitCode: number): string {
  return SUMMARIES[exitCode] ?? `agent exited with code ${exitCode}`;
}

const SUMMARIES: Readonly<Record<number, string>> = {
  1: 'agent reported failure',
  2: 'agent usage error',
  137: 'agent killed (OOM or signal)',
  143: 'agent terminated (SIGTERM)',
};

/** One field per line, so that `grep` and `sed` can read it, too. */
function yamlOf(info: RunInfo): string {
  const lines = Object.entries(FIELDS).flatMap(([name, [key]]) => {
    const value = info[name as keyof RunInfo];
    return value === undefined ? [] : `${key}: ${scalarOf(name, value)}\n`;
  });
  return ['version: 1\n', ...lines].join('');
}

/** Text stays text: a bare `20260220` would be read as a number, a bare `null` as nothing. */
function scalarOf(name: string, value: string | number | null): string {
  if (value === null) return ZERO_TIME;
  if (typeof value === 'number') return name.endsWith('Time') ? new Date(value).toISOString() : String(value);
  return PLAIN.test(value) && !RESERVED.test(value) ? value : JSON.stringify(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function someText(value: unknown): string | undefined {
  return textOf(value) || undefined;
}

function wholeOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

function positiveOf(value: unknown): number | undefined {
  return Math.max(0, wholeOf(value) ?? 0) || undefined;
}

function instantOf(value: unknown): Instant | null {
  const at = value instanceof Date ? value.getTime() : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  // `ZERO_TIME`, or not a time at all.
  return Number.isNaN(at) || at < 0 ? null : at;
}

function corrupt(path: string, why: string): RalphError {
  const hint = 'It is only a report: move it away, and the loop continues without it.';
  return new RalphError('RUN_INFO', `cannot read ${path}: ${why}`, { hint });
}
