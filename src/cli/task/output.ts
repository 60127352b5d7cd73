/** `ralph task output`: what a run has written, whole, its last lines, or as it comes. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { RalphError } from '../../core/error.ts';
import { type Scope, scopeOf } from '../../loops/tasks/folder/root.ts';
import { runFile, taskPlace } from '../../loops/tasks/folder/task-folder.ts';
import { surveyRuns } from '../../loops/tasks/runs/run-folder.ts';
import { followRun, isActive } from './follow-run.ts';
import { beginningOf } from './last-lines.ts';
import { shownBytes } from './shown-bytes.ts';
import type { Terminal } from './terminal.ts';

export interface OutputFlags {
  readonly root?: string;
  readonly project?: string;
  readonly task?: string;
  readonly run?: string;
  readonly runDir?: string;
  readonly file: string;
  readonly follow?: boolean;
  /** The last lines only; 0: all of them. */
  readonly tail: number;
}

const CHUNK_BYTES = 256 * 1024;

export async function outputCommand(flags: OutputFlags, terminal: Terminal): Promise<number> {
  const run = runFolderFor(flags, terminal);
  const kind = kindOf(flags.file);
  // output.md is written at the end; what is printed until then is the agent's.
  if (flags.follow === true && isActive(run)) {
    await followRun(run, runFile[kind === 'output' ? 'stdout' : kind](run), flags.tail, terminal);
  } else await printFile(existingFile(run, kind), flags.tail, terminal);
  return 0;
}

type Kind = 'output' | 'stdout' | 'stderr' | 'prompt';

function kindOf(file: string): Kind {
  const kind = file.toLowerCase() || 'output';
  if (kind === 'output' || kind === 'stdout' || kind === 'stderr' || kind === 'prompt') return kind;
  throw new RalphError(
    'USAGE',
    `unknown --file value ${JSON.stringify(file)}: must be output, stdout, stderr, or prompt`,
    { exitCode: 2 },
  );
}

function runFolderFor(flags: OutputFlags, { environment, cwd }: Terminal): string {
  if (flags.runDir) {
    const folder = resolve(cwd, flags.runDir);
    if (isFolder(folder)) return folder;
    throw new RalphError('NOT_FOUND', `run directory ${folder}: there is none`, { exitCode: 1 });
  }
  return runInScope(scopeOf(flags, environment.variables, cwd), flags.run);
}

function runInScope({ root, project, task }: Scope, wanted: string | undefined): string {
  const usage = (flag: string): RalphError =>
    new RalphError('USAGE', `${flag} is required when --run-dir is not specified`, { exitCode: 2 });
  if (project === null) throw usage('--project');
  if (task === null) throw usage('--task');
  const runs = surveyRuns(taskPlace(root, project, task).folder);
  const run = wanted ? runs.find(({ id }) => id === wanted) : runs.at(-1);
  if (run !== undefined) return run.folder;
  const what = wanted && runs.length > 0 ? `run ${wanted} not found` : 'no runs found';
  throw new RalphError('NOT_FOUND', `${what} for project ${project} task ${task}`, { exitCode: 1 });
}

/** Agents that write no output.md of their own have at least printed something. */
function existingFile(run: string, kind: Kind): string {
  const first = runFile[kind](run);
  const path = [first, ...(kind === 'output' ? [runFile.stdout(run)] : [])].find(isFile);
  if (path !== undefined) return path;
  const also = kind === 'output' ? ` (also tried ${basename(runFile.stdout(run))})` : '';
  throw new RalphError('NOT_FOUND', `file not found: ${first}${also}`, { exitCode: 1 });
}

async function printFile(path: string, tail: number, terminal: Terminal): Promise<void> {
  const shown = shownBytes(terminal);
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  const fd = openSync(path, 'r');
  try {
    let position = beginningOf(fd, tail);
    for (;;) {
      const bytes = readSync(fd, buffer, 0, buffer.length, position);
      if (bytes === 0 || terminal.isDeserted()) break;
      position += bytes;
      shown.push(buffer.subarray(0, bytes));
      await shown.ready();
    }
  } finally {
    closeSync(fd);
  }
  await shown.end();
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
