/** `ralph task output`: what a run has written, whole, its last lines, or as it comes. */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { RalphError } from '../../core/error.ts';
import type { Duration } from '../../core/time.ts';
import { type Scope, scopeOf } from '../../doors/tasks/root.ts';
import { readRunInfo } from '../../doors/tasks/run-info.ts';
import { isRunActive } from '../../doors/tasks/run-life.ts';
import { surveyRuns } from '../../doors/tasks/survey-runs.ts';
import { runFile, taskPlace } from '../../doors/tasks/task-folder.ts';
import { follow, openFollowing } from '../../process/follow.ts';
import { offsetOfLastLines } from './last-lines.ts';
import { shownBytes } from './shown-bytes.ts';
import { type Terminal, untilInterrupted } from './terminal.ts';

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
/** A process that was killed with its supervisor changes no file. */
const LOOK_EVERY: Duration = 250;

export async function outputCommand(flags: OutputFlags, terminal: Terminal): Promise<number> {
  const run = runFolderFor(flags, terminal);
  const kind = kindOf(flags.file);
  if (flags.follow === true && isActive(run)) await followRun(run, kind, flags.tail, terminal);
  else await printFile(existingFile(run, kind), flags.tail, terminal);
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
    let position = beginning(fd, tail);
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

/** Until the run has ended, the reader has gone, or Ctrl-C. */
async function followRun(run: string, kind: Kind, tail: number, terminal: Terminal): Promise<void> {
  // output.md is written at the end; what is printed until then is the agent's.
  const path = kind === 'output' ? runFile.stdout(run) : runFile[kind](run);
  const stop = untilInterrupted();
  const following = openFollowing(run);
  const goesOn = (): boolean => !stop.aborted && !terminal.isDeserted() && isActive(run);
  try {
    while (!isFile(path) && goesOn()) await change(following.watch, basename(path), stop);
    if (!isFile(path)) {
      if (stop.aborted) return;
      throw new RalphError('NOT_FOUND', `output file not found: ${path}`, { exitCode: 1 });
    }
    const shown = shownBytes(terminal);
    const file = { name: basename(path), from: offsetFor(path, tail), onChunk: shown.push };
    const follower = follow(run, [file], following, shown.ready);
    while (goesOn()) await change(following.watch, basename(runFile.info(run)), stop);
    if (!stop.aborted) await follower.drain();
    follower.close();
    await shown.end();
  } finally {
    following.watch.close();
  }
}

/** Resolves when the file may have changed, or it is time to look anyway. */
function change(
  watch: { on(name: string, changed: () => void): () => void },
  name: string,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      off();
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const off = watch.on(name, done);
    const timer = setTimeout(done, LOOK_EVERY);
    signal.addEventListener('abort', done);
  });
}

/** A run-info that cannot be read says nothing of an end to wait for. */
function isActive(run: string): boolean {
  try {
    const info = readRunInfo(runFile.info(run));
    return info !== null && isRunActive(info);
  } catch (error) {
    if (error instanceof RalphError) return false;
    throw error;
  }
}

function offsetFor(path: string, tail: number): number {
  const fd = openSync(path, 'r');
  try {
    return beginning(fd, tail);
  } finally {
    closeSync(fd);
  }
}

function beginning(fd: number, tail: number): number {
  return tail > 0 ? offsetOfLastLines(fd, fstatSync(fd).size, tail) : 0;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
