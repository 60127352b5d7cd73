/** `run-info.yaml`: what is known of one run. People and other programs read it; what decides is the loop's journal. */
import { lstatSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parse } from 'yaml';
import { defined } from '../../../core/defined.ts';
import { RalphError } from '../../../core/error.ts';
import type { Instant } from '../../../core/time.ts';
import { plainTextIfThere } from '../../../process/files.ts';
import { removeEntry } from '../../../state/held-folder.ts';
import type { Self } from '../../../state/lock.ts';
import { writeAnew } from '../../../state/projection.ts';
import { underLock } from '../../../state/under-lock.ts';

export type RunStatus = 'running' | 'completed' | 'failed' | 'stopped';

export interface RunInfo {
  readonly runId: string;
  readonly parentRunId?: string;
  readonly previousRunId?: string;
  readonly project: string;
  readonly task: string;
  readonly agent: string;
  /** `external`: a process that is not ours to end. */
  readonly ownership: 'managed' | 'external';
  /** Of the agent; of its supervisor as long as the agent is not started. */
  readonly pid: number;
  readonly pgid: number;
  /** Who sees to it, and writes its end once everything that the agent started is gone. */
  readonly supervisorPid?: number;
  readonly startTime: Instant;
  /** Null while it runs. */
  readonly endTime: Instant | null;
  /** -1 while it runs, and when its end was not seen. */
  readonly exitCode: number;
  readonly status: RunStatus;
  readonly cwd: string;
  readonly promptPath: string;
  readonly outputPath: string;
  readonly stdoutPath: string;
  readonly stderrPath: string;
  readonly commandLine?: string;
  readonly errorSummary?: string;
  /** How often a sandbox refused the agent something. */
  readonly refusals?: number;
  readonly agentVersion: string;
}

/** The names of the fields in the file, in their order there. */
const KEYS: Readonly<Record<keyof RunInfo, string>> = {
  runId: 'run_id',
  parentRunId: 'parent_run_id',
  previousRunId: 'previous_run_id',
  project: 'project_id',
  task: 'task_id',
  agent: 'agent',
  ownership: 'process_ownership',
  pid: 'pid',
  pgid: 'pgid',
  supervisorPid: 'supervisor_pid',
  startTime: 'start_time',
  endTime: 'end_time',
  exitCode: 'exit_code',
  status: 'status',
  cwd: 'cwd',
  promptPath: 'prompt_path',
  outputPath: 'output_path',
  stdoutPath: 'stdout_path',
  stderrPath: 'stderr_path',
  commandLine: 'commandline',
  errorSummary: 'error_summary',
  refusals: 'sandbox_refusals',
  agentVersion: 'agent_version',
};

/** Stands for "not yet" where a time must stand. */
const ZERO_TIME = '0001-01-01T00:00:00Z';
/** Text that needs no quotes, and what YAML takes for something else than text. */
const PLAIN = /^[A-Za-z/][\w/.@+-]*$/;
const RESERVED = /^(?:null|true|false|yes|no|on|off|y|n)$/i;

const LOCK = { what: 'run report', tries: 1 } as const;
const OTHERS_WAIT_MS = 5000;
const SUPERVISOR_WAITS_MS = 1000;

/** As the run's supervisor: what it writes holds, whatever another process made of the report meanwhile. */
export async function reportRun(path: string, info: RunInfo, self: Self): Promise<void> {
  try {
    await underLock(path, { ...LOCK, lockTimeoutMs: SUPERVISOR_WAITS_MS, self }, () => writeRunInfo(path, info));
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    // A report is locked for a part of a millisecond: this lock was put there by the agent.
    writeRunInfo(path, info);
  }
}

/** Changes a report of another supervisor under `run-info.yaml.lock`. Does nothing where there is none. */
export async function updateRunInfo(path: string, change: (info: RunInfo) => RunInfo): Promise<void> {
  if (readRunInfo(path) === null) return;
  await underLock(path, { ...LOCK, lockTimeoutMs: OTHERS_WAIT_MS }, () => {
    const info = readRunInfo(path);
    const changed = info === null ? null : change(info);
    if (changed !== null && changed !== info) writeRunInfo(path, changed);
  });
}

export function writeRunInfo(path: string, info: RunInfo): void {
  // A name of its own: a supervisor and a process that marks a dead run may write at once.
  const next = `${path}.${process.pid}.next`;
  // The run's folder is its agent's, too, who may have made one of this name.
  removeEntry(next);
  try {
    writeAnew(next, yamlOf(info), 0o644);
    // As above: no file can take the place of a folder.
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true) removeEntry(path);
    renameSync(next, path);
  } catch (error) {
    // A full disk leaves the beginning of it.
    rmSync(next, { force: true });
    throw error;
  }
}

/** Takes away what writers left that were killed before their report was in its place. */
export function clearCutOff(path: string): void {
  const folder = dirname(path);
  const pattern = new RegExp(`^${basename(path).replaceAll('.', '\\.')}\\.\\d+\\.next$`);
  for (const name of readdirSync(folder)) if (pattern.test(name)) removeEntry(join(folder, name));
}

/** Null where there is none; a corrupt one is an error that names its path. */
export function readRunInfo(path: string): RunInfo | null {
  const text = plainTextIfThere(path);
  if (text === null) return null;
  let fields: unknown;
  try {
    fields = parse(text);
  } catch (error) {
    throw corrupt(path, error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));
  }
  return infoOf(fields, path);
}

/** Does the file still say just this? Without parsing it, which would be a part of what every restart costs. */
export function isAsWritten(path: string, info: RunInfo): boolean {
  try {
    return plainTextIfThere(path) === yamlOf(info);
  } catch {
    // Whatever is wrong with it, it is not what was written.
    return false;
  }
}

/** What an end means in a word, as people know it from exit codes. */
export function errorSummary(exitCode: number): string {
  return SUMMARIES[exitCode] ?? `agent exited with code ${exitCode}`;
}

const SUMMARIES: Readonly<Record<number, string>> = {
  1: 'agent reported failure',
  2: 'agent usage error',
  137: 'agent killed (OOM or signal)',
  143: 'agent terminated (SIGTERM)',
};

/** One field per line, so that `grep` and `sed` read it, too. */
function yamlOf(info: RunInfo): string {
  const lines = Object.entries(KEYS).flatMap(([name, key]) => {
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

function infoOf(fields: unknown, path: string): RunInfo {
  if (typeof fields !== 'object' || fields === null) throw corrupt(path, 'it holds no fields');
  const read = fields as Readonly<Record<string, unknown>>;
  const text = (name: keyof RunInfo): string => {
    const value = read[KEYS[name]];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  const number = (name: keyof RunInfo, otherwise: number): number => {
    const value = read[KEYS[name]];
    return typeof value === 'number' && Number.isSafeInteger(value) ? value : otherwise;
  };
  const positive = (name: keyof RunInfo): number | undefined => Math.max(0, number(name, 0)) || undefined;
  if (text('runId') === '') throw corrupt(path, 'it has no run_id');
  const startTime = instantOf(read.start_time);
  if (startTime === null) throw corrupt(path, 'it has no start_time');
  const endTime = instantOf(read.end_time);
  const ownership: RunInfo['ownership'] = read.process_ownership === 'external' ? 'external' : 'managed';
  return defined({
    runId: text('runId'),
    parentRunId: text('parentRunId') || undefined,
    previousRunId: text('previousRunId') || undefined,
    project: text('project'),
    task: text('task'),
    agent: text('agent'),
    ownership,
    pid: number('pid', 0),
    pgid: number('pgid', 0),
    supervisorPid: positive('supervisorPid'),
    startTime,
    endTime,
    exitCode: number('exitCode', -1),
    status: statusOf(text('status'), endTime),
    cwd: text('cwd'),
    promptPath: text('promptPath'),
    outputPath: text('outputPath'),
    stdoutPath: text('stdoutPath'),
    stderrPath: text('stderrPath'),
    commandLine: text('commandLine') || undefined,
    errorSummary: text('errorSummary') || undefined,
    refusals: positive('refusals'),
    agentVersion: text('agentVersion'),
  });
}

function statusOf(text: string, endTime: Instant | null): RunStatus {
  if (text === 'running' || text === 'completed' || text === 'failed' || text === 'stopped') return text;
  return endTime === null ? 'running' : 'failed';
}

function instantOf(value: unknown): Instant | null {
  const at = value instanceof Date ? value.getTime() : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  // The year 1 and what is no time at all.
  return Number.isNaN(at) || at < 0 ? null : at;
}

function corrupt(path: string, why: string): RalphError {
  return new RalphError('RUN_INFO', `cannot read ${path}: ${why}`, {
    hint: 'It is a report, not the truth: move it away, and the loop goes on without it.',
  });
}
