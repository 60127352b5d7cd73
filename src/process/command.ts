/** Runs one command that was claimed, to its end: contained, ended when told to, with nothing left behind. */
import { spawnSync } from 'node:child_process';
import { closeSync, constants, lstatSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { RalphError } from '../core/error.ts';
import type { Exit } from '../core/outcome.ts';
import { named, reasonOf } from '../core/system-fault.ts';
import type { Duration } from '../core/time.ts';
import { writeAll } from '../stream/write-all.ts';
import { endOnAbort, endRun, isGone, sweep } from './end.ts';
import { openForWriting } from './files.ts';
import { enclosed, type Host } from './host.ts';
import { type Launch, type Launched, launch } from './launch.ts';
import { readTrace } from './trace.ts';

export interface CommandRun extends Pick<Launch, 'argv' | 'cwd' | 'folder' | 'mark'> {
  /** Gets stdout and stderr, in the order they were written. */
  readonly output: string;
  readonly extraEnv: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly grace: Duration;
  /** Runs outside the loop's sandbox: the command needs what is hidden there. */
  readonly outside?: boolean;
}

/** A process that escaped the weakest level can keep the pipe open; we wait for it no longer than this. */
const LAST_OUTPUT_TAKES_AT_MOST: Duration = 1000;

/** For a command that must survive its supervisor: it writes to the file itself. Null if the signal ended it. */
export async function runToFile(run: CommandRun, host: Host): Promise<Exit | null> {
  return inside(run, host, async (spec) => {
    return seeToEnd(await launch({ ...spec, stdout: run.output, stderr: run.output }), run, host);
  });
}

/** For a command that is ended with its supervisor. A script that writes to /dev/stderr would empty a file. */
export async function runThroughPipe(run: CommandRun, host: Host): Promise<Exit | null> {
  return inside(run, host, (spec) => throughPipe(spec, run, host));
}

async function throughPipe(spec: CommandSpec, run: CommandRun, host: Host): Promise<Exit | null> {
  const file = openOutput(run.output);
  const { writer, reader } = openPipe(fileOf(run, 'pipe'));
  try {
    // The reader ends when the last writer closes: the program has its own copy.
    const launched = await launch({ ...spec, stdout: writer, stderr: writer }).finally(() => closeSync(writer));
    const copied = copyTo(file, reader, launched, run);
    const exit = await seeToEnd(launched, run, host);
    await copied();
    return exit;
  } finally {
    reader.destroy();
    closeSync(file);
  }
}

/** Not the socket that Node makes for a child's output: a script cannot open /dev/stderr on that. */
function openPipe(path: string) {
  const { status, stderr, error } = spawnSync('mkfifo', ['-m', '600', path], { encoding: 'utf8' });
  if (error !== undefined) {
    const hint = 'Install it (it is part of coreutils), or add its folder to PATH.';
    throw new RalphError('PIPE', `mkfifo cannot be run: ${reasonOf(error)}`, { hint });
  }
  if (status !== 0) throw new RalphError('PIPE', `cannot make the pipe ${path}: ${stderr.trim()}`);
  try {
    // Open the reader first, without waiting for a writer; then opening the writer does not block.
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(path, constants.O_WRONLY);
    return { writer, reader: new Socket({ fd: reader, readable: true, writable: false }) };
  } finally {
    rmSync(path, { force: true });
  }
}

/** An agent may have put a link there, to another file of the user's, or a pipe, on which the open would block. */
export function openOutput(path: string): number {
  const there = lstatSync(path, { throwIfNoEntry: false });
  // Only these two: a device must not be removed.
  if (there?.isSymbolicLink() === true || there?.isFIFO() === true) rmSync(path, { force: true });
  return openForWriting(path, 0o600);
}

/** The file that lists what a sandbox has refused to a command. */
export function refusalsOf(run: Pick<CommandRun, 'folder' | 'mark'>): string {
  return fileOf(run, 'refused');
}

function fileOf({ folder, mark }: Pick<CommandRun, 'folder' | 'mark'>, ending: string): string {
  return join(folder, `${mark.replaceAll(/[^\w.-]/g, '-')}.${ending}`);
}

type CommandSpec = Omit<Launch, 'stdin' | 'stdout' | 'stderr' | 'tethered'>;

function inside<Gives>(run: CommandRun, host: Host, start: (spec: CommandSpec) => Promise<Gives>): Promise<Gives> {
  const { cwd, folder, mark, extraEnv, grace } = run;
  const enclosure = run.outside === true ? undefined : host.enclosure;
  const env = { ...host.env, ...enclosure?.env, ...extraEnv };
  const enclose = enclosure && ((argv: CommandRun['argv']) => enclosure.enclose(argv, { refusals: refusalsOf(run) }));
  return enclosed(run.argv, enclose, (argv) =>
    start({ argv, cwd, env, folder, mark, grace, containment: host.containment }),
  );
}

async function seeToEnd({ exited, trace }: Launched, run: CommandRun, { enclosure }: Host): Promise<Exit | null> {
  const exit = await endOnAbort(trace, run, () => exited);
  await sweep(trace, run.grace);
  if (!run.signal.aborted) return exit;
  if (run.outside !== true) await enclosure?.sweep?.();
  return null;
}

/** Copies the output to the file. A full disk ends the command; the returned function then throws the error. */
function copyTo(file: number, reader: Readable, { trace }: Launched, run: CommandRun): () => Promise<void> {
  let problem: { readonly error: unknown } | null = null;
  reader.on('data', (chunk: Buffer) => {
    if (problem !== null) return;
    try {
      writeAll(file, chunk);
    } catch (error) {
      problem = { error: named(error, run.output) };
      void endRun(trace, run.grace);
    }
  });
  // Fails when we destroy the reader because an escaped process holds the pipe: the output until then is in the file.
  const closed = finished(reader, { writable: false }).catch(() => undefined);
  return async () => {
    await Promise.race([closed, sleep(LAST_OUTPUT_TAKES_AT_MOST, undefined, { ref: false })]);
    if (problem !== null) throw problem.error;
  };
}

/** Ends what the last of several attempts left when its supervisor died. `patience`: how long it may finish first. */
export async function endCutOff(folder: string, marks: readonly string[], grace: Duration, patience: Duration = 0) {
  const trace = marks.map((mark) => readTrace(folder, mark)).findLast((found) => found !== null);
  if (trace == null) return;
  for (const deadline = performance.now() + patience; performance.now() < deadline; await sleep(10)) {
    if (isGone(trace)) return;
  }
  await endRun(trace, grace);
}
