/** Makes task folders as a loop would have left them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { runFile, taskFile } from '../../../src/loops/tasks/folder/task-folder.ts';
import { type RunInfo, writeRunInfo } from '../../../src/loops/tasks/runs/run-info.ts';

export const PROJECT = 'my-project';
/** Sorted by name. */
export const TASKS = [
  'task-20260220-153045-alpha',
  'task-20260220-153046-bravo',
  'task-20260220-153047-charlie',
] as const;
export const RUN = '20260220-1530450000-4711-1';
export const LATER_RUN = '20260220-1540450000-4711-2';

/** The pid of no process: the kernel never assigns one this high. */
export const NO_PROCESS = 2 ** 22 + 1;

export interface TaskFiles {
  readonly done?: boolean;
  readonly dependsOn?: readonly string[];
  readonly bus?: string;
}

/** Returns the task's folder. */
export function makeTask(root: string, task: string, files: TaskFiles = {}, project = PROJECT): string {
  const folder = join(root, project, task);
  mkdirSync(folder, { recursive: true });
  writeFileSync(taskFile.prompt(folder), 'Do the work.\n');
  if (files.done === true) writeFileSync(taskFile.done(folder), '');
  if (files.bus !== undefined) writeFileSync(taskFile.bus(folder), files.bus);
  if (files.dependsOn !== undefined) {
    writeFileSync(taskFile.config(folder), `depends_on:\n${files.dependsOn.map((id) => `    - ${id}\n`).join('')}`);
  }
  return folder;
}

/** Makes a run, by default one that completed. Returns the run's folder. */
export function makeRun(taskFolder: string, runId: string, info: Partial<RunInfo> = {}): string {
  const folder = join(taskFile.runs(taskFolder), runId);
  mkdirSync(folder, { recursive: true });
  const isRunning = info.status === 'running';
  writeRunInfo(runFile.info(folder), {
    runId,
    project: PROJECT,
    task: taskFolder.slice(dirname(taskFolder).length + 1),
    agent: 'claude',
    ownership: 'managed',
    pid: NO_PROCESS,
    pgid: NO_PROCESS,
    startTime: Date.UTC(2026, 1, 20, 15, 30, 45),
    endTime: isRunning ? null : Date.UTC(2026, 1, 20, 15, 35, 57),
    exitCode: isRunning ? -1 : 0,
    status: 'completed',
    cwd: taskFolder,
    promptPath: runFile.prompt(folder),
    outputPath: runFile.output(folder),
    stdoutPath: runFile.stdout(folder),
    stderrPath: runFile.stderr(folder),
    agentVersion: '2.1.325',
    ...info,
  });
  return folder;
}

export interface Living {
  readonly pid: number;
  end(): Promise<void>;
}

/** A process that lives until it is ended, in its own process group, like an agent. */
export async function startLiving(): Promise<Living> {
  const child = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' });
  const exited = once(child, 'exit');
  await once(child, 'spawn');
  const end = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(end);
  return { pid: child.pid ?? 0, end };
}

/** The fields of the run-info of a run while this process is its agent. */
export function runningAs({ pid }: Pick<Living, 'pid'>): Partial<RunInfo> {
  return { status: 'running', pid, pgid: pid, startTime: Date.now() };
}
