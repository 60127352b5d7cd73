/** Keeps the folder of each run of a task: its prompt, its report, its output, and the messages about it. */
import { existsSync, lstatSync } from 'node:fs';
import { errnoOf } from '../../../core/error.ts';
import { formatGoDuration } from '../../../core/text/duration.ts';
import { quoteWord } from '../../../core/text/quote-word.ts';
import type { ArtifactsOfRun, RunArtifacts, RunEnd } from '../../../engine/performers/perform.ts';
import { writeFile } from '../../../process/files.ts';
import type { Host } from '../../../process/host.ts';
import type { Self } from '../../../state/lock.ts';
import { readPlain } from '../../../state/plain-file.ts';
import { agentEnvironment, withPreamble } from '../agent-environment.ts';
import { busSize, type RunSpan, saidSince, waitSignal } from '../folder/signals.ts';
import { runFile, STDERR_NAME, STDOUT_NAME, taskFile } from '../folder/task-folder.ts';
import { SANDBOX_VARIABLE } from '../jobs/broker-client.ts';
import type { JobBroker } from '../jobs/job-broker.ts';
import { busOptions, post, type Say } from '../post.ts';
import { isInMachine, isSandboxed, type TaskRequest } from '../rules.ts';
import { checkRunFolder, checkRunsFolder } from '../sandbox.ts';
import { completeOutput, lendOutput, takeOutput } from './output-file.ts';
import { makeFolder, makeRunFolder, type RunFolder, runFolder } from './run-folder.ts';
import { clearCutOff, isAsWritten, type RunInfo, reportRun } from './run-info.ts';
import { lastSpan, type RunEnding, readMemo, writeMemo } from './run-memo.ts';
import { beginning, endingOf, ownReport, STDERR_LINES, stderrTail } from './run-report.ts';

export interface ArtifactsContext {
  readonly request: TaskRequest;
  /** The loop's own folder. */
  readonly loop: string;
  readonly host: Host;
  /** A folder for the agents' path. */
  readonly tools: string;
  readonly broker: JobBroker['open'];
  readonly say: Say;
  readonly self: Self;
  /** What the agent calls itself. */
  readonly agentVersion: () => string;
  /** Where agents write their output.md; null where that is the run's folder. */
  readonly outputs: string | null;
}

export function taskRunArtifacts(context: ArtifactsContext): RunArtifacts {
  const { request, loop, say, outputs, self, agentVersion } = context;
  const { mask } = context.host;
  const { folder: task } = request;
  // In a machine the folders of runs are the agent's, too.
  const ownFolder = (runId: string): string => {
    if (isSandboxed(request)) checkRunFolder(task, runId);
    return runFolder(task, runId);
  };
  let written: RunInfo | null = null;
  const reportOf = async (runId: string): Promise<RunInfo> => {
    if (written?.runId === runId && isAsWritten(runFile.info(ownFolder(runId)), written)) return written;
    const { info, fault } = await inFolder(ownFolder(runId), () => ownReport(request, runId, Date.now()));
    if (fault !== null) await say('WARNING', `the report of this run was written again: ${fault}`, runId);
    return info;
  };
  const report = (runId: string, info: RunInfo) => {
    const folder = ownFolder(runId);
    written = info;
    return inFolder(folder, () => reportRun(runFile.info(folder), info, self));
  };
  const tellEnd = async (name: string, runId: string, ending: RunEnding, { cutOff }: RunEnd): Promise<void> => {
    const folder = ownFolder(runId);
    if (cutOff === 'idle' && request.idleTimeoutMs !== null) {
      const idle = formatGoDuration(request.idleTimeoutMs);
      await say('WARN', `agent job timed out after ${idle} of idle output`, runId);
    }
    const isCrash = ending.status === 'failed';
    const lines = [
      `run stopped with code ${ending.exitCode}`,
      `run_dir: ${folder}`,
      `output: ${runFile.output(folder)}`,
    ];
    const words = isCrash ? stderrTail(runFile.stderr(folder)) : '';
    if (words !== '') lines.push('', `## stderr (last ${STDERR_LINES} lines)`, mask(words));
    await say(isCrash ? 'RUN_CRASH' : 'RUN_STOP', lines.join('\n'), runId);
    if (isCrash && request.kind === 'task') {
      const attempt = Number(name.split('-')[0]) - 1;
      await say('WARNING', `root agent failed on restart #${attempt}: ${ending.errorSummary}`, runId);
    }
  };

  return {
    async open(run, name, prompt) {
      const attempt = run.iteration - 1;
      const starting = `starting root agent (restart #${attempt})`;
      // A bus that takes not even the first message is a mistake that shows before anything runs.
      if (request.kind === 'task')
        await (attempt === 0 ? post(request, 'INFO', starting, undefined, busOptions(request)) : say('INFO', starting));
      const previous = lastSpan(loop)?.runId ?? request.previousRunId;
      if (isSandboxed(request)) checkRunsFolder(task);
      const made = reservedFolder(request, loop) ?? makeRunFolder(task, new Date());
      const span: RunSpan = { runId: made.runId, busOffset: busSize(request.bus) };
      writeMemo(loop, name, span, { isReported: false });
      const whole = withPreamble(request, made.runId, !isInMachine(request), prompt);
      writeFile(runFile.prompt(made.folder), whole, { mode: 0o644 });
      if (outputs !== null) lendOutput(made.folder, outputs);
      await report(made.runId, beginning(request, made.runId, previous, Date.now()));
      return kept(context, made.runId, whole);
    },
    async started(name, pid, argv) {
      const runId = readMemo(loop, name)?.runId ?? '';
      const folder = ownFolder(runId);
      const agent = pid === null ? {} : { pid, pgid: pid };
      await report(runId, {
        ...(await reportOf(runId)),
        ...agent,
        commandLine: mask(argv.map(quoteWord).join(' ')),
        agentVersion: agentVersion(),
      });
      const lines = ['run started', `run_dir: ${folder}`, `prompt: ${runFile.prompt(folder)}`];
      lines.push(`stdout: ${runFile.stdout(folder)}`, `stderr: ${runFile.stderr(folder)}`);
      await say('RUN_START', [...lines, `output: ${runFile.output(folder)}`].join('\n'), runId);
    },
    async refused(name, reason) {
      const runId = readMemo(loop, name)?.runId ?? '';
      if (outputs !== null) takeOutput(ownFolder(runId), outputs);
      const ending = { exitCode: -1, status: 'failed', errorSummary: reason, endTime: Date.now() } as const;
      await report(runId, { ...(await reportOf(runId)), ...ending });
      await say('RUN_CRASH', reason, runId);
    },
    find(name) {
      const span = readMemo(loop, name);
      if (span === null) return null;
      replaceTranscript(ownFolder(span.runId));
      return kept(context, span.runId, readPlain(runFile.prompt(ownFolder(span.runId))) ?? '');
    },
    async ended(name, end) {
      const span = readMemo(loop, name);
      if (span === null) return;
      const folder = ownFolder(span.runId);
      // Already reported, by a supervisor that died before it could record it. What the report says of that is no proof.
      if (span.isReported) return;
      const info = await reportOf(span.runId);
      const agent = { command: request.agent, flags: request.flags, mode: 'stream' } as const;
      if (outputs !== null) takeOutput(folder, outputs);
      await completeOutput(folder, agent);
      const ending = span.toldBus ?? endingOf(end, isWaiting(request, span));
      if (span.toldBus === undefined && !isTold(request.bus, span, end)) await tellEnd(name, span.runId, ending, end);
      clearCutOff(runFile.info(folder));
      // Last: what is cut off before it is done again.
      try {
        await report(span.runId, {
          ...withoutSummary(info),
          ...ending,
          ...(end.refusals === 0 ? {} : { refusals: end.refusals }),
          agentVersion: agentVersion(),
          endTime: Date.now(),
        });
      } catch (error) {
        rememberTold(loop, name, span, ending);
        throw error;
      }
      writeMemo(loop, name, span, { isReported: true });
    },
  };
}

/** So often an agent may take the folder of its own run away while something is written there. */
const MOST_TRIES = 5;

/** The folder is the agent's, too: where it has taken it away, it is made again. */
async function inFolder<Result>(folder: string, act: () => Result | Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await act();
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT' || tries === MOST_TRIES) throw error;
      makeFolder(folder);
    }
  }
}

/** What the agent has printed may be taken away by it as well: then there is nothing to follow, and nothing else is wrong. */
function replaceTranscript(folder: string): void {
  const missing = [runFile.stdout(folder), runFile.stderr(folder)].filter(
    (path) => lstatSync(path, { throwIfNoEntry: false }) === undefined,
  );
  if (missing.length === 0) return;
  makeFolder(folder);
  for (const path of missing) writeFile(path, '', { mode: 0o644, flag: 'wx' });
}

/** A supervisor that died may have posted it already: an end is posted once. */
function isTold(bus: string, span: RunSpan, { exit }: RunEnd): boolean {
  if (exit.by !== 'unseen') return false;
  return saidSince(bus, span).some(
    ({ type, runId }) => runId === span.runId && (type === 'RUN_STOP' || type === 'RUN_CRASH'),
  );
}

/** A full disk: the next supervisor writes the report, and posts nothing twice. */
function rememberTold(loop: string, name: string, span: RunSpan, ending: RunEnding): void {
  try {
    writeMemo(loop, name, span, { isReported: false, toldBus: ending });
  } catch {
    // As full: then the bus itself is asked.
  }
}

/** A run that says it waits has not failed, whatever its exit code is. */
function isWaiting({ folder, bus }: TaskRequest, span: RunSpan): boolean {
  return !existsSync(taskFile.done(folder)) && waitSignal(folder, bus, span) !== null;
}

/** A run may have been marked as dead, or have forged its own report: what that said of its end does not stay. */
function withoutSummary(info: RunInfo): RunInfo {
  const { errorSummary: _summary, ...rest } = info;
  return rest;
}

function kept({ request, host, tools, broker }: ArtifactsContext, runId: string, prompt: string): ArtifactsOfRun {
  const folder = runFolder(request.folder, runId);
  return {
    transcript: { folder, stdout: STDOUT_NAME, stderr: STDERR_NAME },
    prompt,
    promptFile: runFile.prompt(folder),
    env: {
      ...agentEnvironment(request, runId, host.env, tools),
      ...broker(),
      // So that `ralph` inside knows that it must ask for what it cannot do.
      [SANDBOX_VARIABLE]: isSandboxed(request) ? (request.sandbox?.kind ?? undefined) : undefined,
    },
  };
}

/** The folder that was made before the loop is its first run's. */
function reservedFolder({ folder: task, runId }: TaskRequest, loop: string): RunFolder | null {
  return runId === null || lastSpan(loop) !== null ? null : { runId, folder: runFolder(task, runId) };
}
