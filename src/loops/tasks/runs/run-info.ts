/** `run-info.yaml`: what is known of one run. People and other programs read it; what decides is the loop's journal. */
import { lstatSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parse } from 'yaml';
import { errnoOf, RalphError } from '../../../core/error.ts';
import type { Instant } from '../../../core/time.ts';
import { readPlainText } from '../../../state/plain-file.ts';
import { writeAnew } from '../../../state/projection.ts';
import { removeEntry } from '../../../state/remove-entry.ts';
import { flatLine, readFlat, type Scalar } from '../folder/flat-yaml.ts';

export type RunStatus = 'running' | 'completed' | 'failed' | 'stopped';

export interface RunInfo {
  readonly runId: string;
  readonly parentRunId?: string;
  readonly previousRunId?: string;
  readonly project: string;
  readonly task: string;
  readonly agent: string;
  /** `external`: somebody else's process, which is nobody's here to end. */
  readonly ownership: 'managed' | 'external';
  /** Of the agent; of its supervisor as long as the agent is not started. */
  readonly pid: number;
  readonly pgid: number;
  /** Who sees to it, and writes its end once everything that the agent started is gone. */
  readonly supervisorPid?: number;
  readonly startTime: Instant;
  /** Null while it runs. */
  readonly endTime: Instant | null;
  /** -1 while it runs, and when nobody saw it. */
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

export function writeRunInfo(path: string, info: RunInfo): void {
  // A name of its own: a supervisor and whoever marks a dead run may write at once.
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
  let text: string;
  try {
    text = readPlainText(path);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return null;
    throw error;
  }
  let fields: unknown;
  try {
    fields = readFlat(text) ?? parse(text);
  } catch (error) {
    throw corrupt(path, error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));
  }
  return infoOf(fields, path);
}

/** What an end means in a word, as people know it from exit codes. */
export function errorSummary(exitCode: number): string {
  switch (exitCode) {
    case 1:
      return 'agent reported failure';
    case 2:
      return 'agent usage error';
    case 137:
      return 'agent killed (OOM or signal)';
    case 143:
      return 'agent terminated (SIGTERM)';
    default:
      return `agent exited with code ${exitCode}`;
  }
}

/** Stands for "not yet" where a time must stand. */
const ZERO_TIME = '0001-01-01T00:00:00Z';

function yamlOf(info: RunInfo): string {
  const lines: [string, Scalar | undefined][] = [
    ['version', 1],
    ['run_id', info.runId],
    ['parent_run_id', info.parentRunId],
    ['previous_run_id', info.previousRunId],
    ['project_id', info.project],
    ['task_id', info.task],
    ['agent', info.agent],
    ['process_ownership', info.ownership],
    ['pid', info.pid],
    ['pgid', info.pgid],
    ['supervisor_pid', info.supervisorPid],
    ['start_time', timeOf(info.startTime)],
    ['end_time', info.endTime === null ? ZERO_TIME : timeOf(info.endTime)],
    ['exit_code', info.exitCode],
    ['status', info.status],
    ['cwd', info.cwd],
    ['prompt_path', info.promptPath],
    ['output_path', info.outputPath],
    ['stdout_path', info.stdoutPath],
    ['stderr_path', info.stderrPath],
    ['commandline', info.commandLine],
    ['error_summary', info.errorSummary],
    ['sandbox_refusals', info.refusals],
    ['agent_version', info.agentVersion],
  ];
  return lines.map(([key, value]) => (value === undefined ? '' : flatLine(key, value))).join('');
}

function timeOf(at: Instant): string {
  return new Date(at).toISOString();
}

function infoOf(fields: unknown, path: string): RunInfo {
  if (typeof fields !== 'object' || fields === null) throw corrupt(path, 'it holds no fields');
  const read = fields as Readonly<Record<string, unknown>>;
  const text = (key: string): string => {
    const value = read[key];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  const number = (key: string, otherwise: number): number => {
    const value = read[key];
    return typeof value === 'number' && Number.isSafeInteger(value) ? value : otherwise;
  };
  const optional = <Name extends string>(name: Name, key: string): { [N in Name]?: string } =>
    // The one computed key of this object.
    (text(key) === '' ? {} : { [name]: text(key) }) as { [N in Name]?: string };
  if (text('run_id') === '') throw corrupt(path, 'it has no run_id');
  const startTime = instantOf(read.start_time);
  if (startTime === null) throw corrupt(path, 'it has no start_time');
  const endTime = instantOf(read.end_time);
  return {
    runId: text('run_id'),
    ...optional('parentRunId', 'parent_run_id'),
    ...optional('previousRunId', 'previous_run_id'),
    project: text('project_id'),
    task: text('task_id'),
    agent: text('agent'),
    ownership: read.process_ownership === 'external' ? 'external' : 'managed',
    pid: number('pid', 0),
    pgid: number('pgid', 0),
    ...(number('supervisor_pid', 0) > 0 ? { supervisorPid: number('supervisor_pid', 0) } : {}),
    startTime,
    endTime,
    exitCode: number('exit_code', -1),
    status: statusOf(text('status'), endTime),
    cwd: text('cwd'),
    promptPath: text('prompt_path'),
    outputPath: text('output_path'),
    stdoutPath: text('stdout_path'),
    stderrPath: text('stderr_path'),
    ...optional('commandLine', 'commandline'),
    ...optional('errorSummary', 'error_summary'),
    ...(number('sandbox_refusals', 0) > 0 ? { refusals: number('sandbox_refusals', 0) } : {}),
    agentVersion: text('agent_version'),
  };
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
    exitCode: 2,
  });
}
