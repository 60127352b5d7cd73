/** `ralph task output`: shows what a run has written: all of it, its last lines, or as it comes. */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { RalphError } from '../../core/error.ts';
import { maskAcrossLines } from '../../core/text/mask.ts';
import { isFolder, runFile, type ScopeFlags, scopeOf, taskPlace } from '../../loops/tasks/folder/task-folder.ts';
import { isRunActive } from '../../loops/tasks/runs/liveness.ts';
import { readRunInfo, surveyRuns } from '../../loops/tasks/runs/run-info.ts';
import { closing } from '../../process/files.ts';
import { watchFolder } from '../../process/folder-watch.ts';
import { alwaysReady, type Followed, type Follower, follow, type Readiness } from '../../process/follow.ts';
import { printable } from '../../stream/printable.ts';
import { textSplitter } from '../../stream/text-lines.ts';
import { notFound, type Terminal, untilInterrupted, usage } from './terminal.ts';

interface OutputFlags extends ScopeFlags {
  readonly run?: string;
  readonly runDir?: string;
  readonly file: string;
  readonly follow?: boolean;
  /** How many of the last lines; 0 for all. */
  readonly tail: number;
}

const KINDS = ['output', 'stdout', 'stderr', 'prompt'] as const;
type Kind = (typeof KINDS)[number];

const CHUNK_BYTES = 256 * 1024;
const LF = 0x0a;
/** Polls as well, because a process that was killed with its supervisor changes no file. */
const LOOK_EVERY_MS = 250;

export async function outputCommand(flags: OutputFlags, terminal: Terminal): Promise<number> {
  const run = flags.runDir ? resolve(terminal.cwd, flags.runDir) : runInScope(flags, terminal);
  if (!isFolder(run)) throw notFound(`run directory ${run} does not exist`);
  const kind = KINDS.find((one) => one === (flags.file.toLowerCase() || 'output'));
  if (kind === undefined) {
    throw usage(`unknown --file value ${JSON.stringify(flags.file)}: must be output, stdout, stderr, or prompt`);
  }
  // output.md is written at the end; until then, there is only the agent's stdout.
  if (flags.follow === true && isActive(run)) {
    await followRun(run, runFile[kind === 'output' ? 'stdout' : kind](run), flags.tail, terminal);
  } else await printFile(existingFile(run, kind), flags.tail, terminal);
  return 0;
}

function runInScope(flags: OutputFlags, { environment, cwd }: Terminal): string {
  const { root, project, task } = scopeOf(flags, environment.variables, cwd);
  if (project === null) throw usage('--project is required when --run-dir is not specified');
  if (task === null) throw usage('--task is required when --run-dir is not specified');
  const runs = surveyRuns(taskPlace(root, project, task).folder);
  const run = flags.run ? runs.find(({ id }) => id === flags.run) : runs.at(-1);
  if (run !== undefined) return run.folder;
  const what = flags.run && runs.length > 0 ? `run ${flags.run} not found` : 'no runs found';
  throw notFound(`${what} for project ${project} task ${task}`);
}

/** The file to show; without an output.md, that is the agent's stdout. */
function existingFile(run: string, kind: Kind): string {
  const first = runFile[kind](run);
  const path = [first, ...(kind === 'output' ? [runFile.stdout(run)] : [])].find(isFile);
  if (path !== undefined) return path;
  const also = kind === 'output' ? ` (also tried ${basename(runFile.stdout(run))})` : '';
  throw notFound(`file not found: ${first}${also}`);
}

async function printFile(path: string, tail: number, terminal: Terminal): Promise<void> {
  const shown = shownBytes(terminal);
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let position = offsetOfLastLines(path, tail);
  const fd = openSync(path, 'r');
  try {
    for (let bytes = 1; bytes > 0 && !terminal.isDeserted(); position += bytes) {
      bytes = readSync(fd, buffer, 0, buffer.length, position);
      shown.push(buffer.subarray(0, bytes));
      await shown.ready();
    }
  } finally {
    closeSync(fd);
  }
  await shown.end();
}

/** Shows what a run writes as it comes, until the run has ended, the reader has gone, or Ctrl-C. */
async function followRun(run: string, path: string, tail: number, terminal: Terminal): Promise<void> {
  const signal = untilInterrupted();
  const shown = shownBytes(terminal);
  const goesOn = (): boolean => !terminal.isDeserted() && isActive(run);
  const from = (): number => offsetOfLastLines(path, tail);
  const file = { name: basename(path), from, onChunk: shown.push, ready: shown.ready };
  await watchRun(run, { goesOn, signal, file });
  if (!isFile(path) && !signal.aborted) throw notFound(`output file not found: ${path}`);
  await shown.end();
}

interface RunWatch {
  /** Called whenever run-info.yaml may have changed. */
  readonly goesOn: () => boolean;
  readonly signal?: AbortSignal;
  /** A file of the run to read as it grows, from the moment it is there. */
  readonly file?: Omit<Followed, 'from'> & { readonly from?: () => number; readonly ready?: Readiness };
}

/** Waits for the end of a run that another process supervises, and follows a file of it in the meantime. */
export async function watchRun(run: string, { goesOn, signal, file }: RunWatch): Promise<void> {
  const watch = watchFolder(run);
  const isThere = (): boolean => file !== undefined && isFile(join(run, file.name));
  const mayGoOn = (): boolean => signal?.aborted !== true && goesOn();
  /** Resolves when the file may have changed, or when it is time to look anyway. */
  const change = (name: string): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        off();
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const off = watch.on(name, done);
      const timer = setTimeout(done, LOOK_EVERY_MS);
      signal?.addEventListener('abort', done);
    });
  let follower: Follower | null = null;
  try {
    if (file !== undefined) {
      while (!isThere() && mayGoOn()) await change(file.name);
      if (isThere()) {
        const followed = { name: file.name, from: file.from?.() ?? 0, onChunk: file.onChunk };
        follower = follow(run, [followed], file.ready ?? alwaysReady);
      }
    }
    while (mayGoOn()) await change('run-info.yaml');
    if (signal?.aborted !== true) await follower?.drain();
  } finally {
    follower?.close();
    watch.close();
  }
}

/** False if run-info.yaml cannot be read, as there is no end to wait for then. */
function isActive(run: string): boolean {
  try {
    const info = readRunInfo(runFile.info(run));
    return info !== null && isRunActive(info);
  } catch (error) {
    if (error instanceof RalphError) return false;
    throw error;
  }
}

/** The offset of the last `count` lines; 0 lines means all. Searches from the end; an unfinished line counts as one. */
export function offsetOfLastLines(path: string, count: number): number {
  if (count === 0) return 0;
  return closing(openSync(path, 'r'), (fd) => {
    const { size } = fstatSync(fd);
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    let ends = 0;
    for (let end = size; end > 0; end = Math.max(0, end - CHUNK_BYTES)) {
      const start = Math.max(0, end - CHUNK_BYTES);
      const block = buffer.subarray(0, readSync(fd, buffer, 0, end - start, start));
      for (let at = block.lastIndexOf(LF); at >= 0; at = at === 0 ? -1 : block.lastIndexOf(LF, at - 1)) {
        // The file's last byte ends the last line; it does not begin another.
        if (start + at !== size - 1 && ++ends === count) return start + at + 1;
      }
    }
    return 0;
  });
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Shows what an agent wrote: byte for byte to a program, line by line and made safe on a terminal. */
function shownBytes({ isWatched, mask, write }: Terminal) {
  let pending: Promise<void> | null = null;
  const show = (bytes: string | Uint8Array): void => {
    const written = write(bytes).finally(() => {
      if (pending === written) pending = null;
    });
    pending = written;
  };
  let last = LF;
  let safe = '';
  const hide = maskAcrossLines(mask);
  const onLine = (line: string): void => {
    const shown = hide(line);
    if (shown !== null) safe += `${printable(shown)}\n`;
  };
  const lines = textSplitter({ onLine, onLongLine: (head) => onLine(head.toString('utf8')) });
  const flush = (): void => {
    if (safe !== '') show(safe);
    safe = '';
  };
  return {
    /** Does not use the chunk after it returns. */
    push(chunk: Buffer): void {
      last = chunk.at(-1) ?? last;
      if (isWatched) {
        lines.push(chunk);
        flush();
        // A copy, because the chunk's memory is reused before the reader has it.
      } else if (chunk.length > 0) show(Buffer.from(chunk));
    },
    /** Null if the reader has kept up, otherwise what to wait for. */
    ready: () => pending,
    /** Ends the last line if it is unfinished. */
    async end(): Promise<void> {
      if (isWatched) {
        lines.end();
        flush();
      } else if (last !== LF) show('\n');
      await pending;
    },
  };
}
