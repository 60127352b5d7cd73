/** Maintains the folder of each run of a task (prompt, report, output), and posts the messages about the run. */
import { existsSync, fstatSync, lstatSync, readSync, statSync } from 'node:fs';
import type { Message } from '../../../bus/message.ts';
import type { Handle } from '../../../core/action.ts';
import { WAIT_EXIT_CODE } from '../../../core/ending.ts';
import { errnoOf, handled } from '../../../core/error.ts';
import { exitNumber } from '../../../core/outcome.ts';
import { REVIEW } from '../../../core/review/review.ts';
import { faultMessage } from '../../../core/system-fault.ts';
import { formatGoDuration } from '../../../core/text/duration.ts';
import { quoteWord } from '../../../core/text/quote-word.ts';
import type { ArtifactsOfRun, RunArtifacts, RunEnd } from '../../../engine/performers/perform.ts';
import { closing, readPlain, writeFile } from '../../../process/files.ts';
import type { Host } from '../../../process/host.ts';
import { agentEnvironment, withPreamble } from '../agent-environment.ts';
import { STDERR_NAME, STDOUT_NAME } from '../folder/output-names.ts';
import { busSize, saidSince, waitSignal } from '../folder/signals.ts';
import { makeFolder, makeRunFolder, runFile, runFolder, taskFile } from '../folder/task-folder.ts';
import { SANDBOX_VARIABLE } from '../jobs/broker-client.ts';
import type { JobBroker } from '../jobs/job-broker.ts';
import { post, type Say } from '../post.ts';
import { isInMachine, isSandboxed, type TaskRequest } from '../request.ts';
import { checkRunFolder } from '../sandbox.ts';
import { type RunSpan, spanOf } from '../state.ts';
import { completeOutput, lendOutput, openTranscript, takeOutput } from './output-file.ts';
import { type RunAhead, type RunEnding, readAhead, writeAhead } from './run-ahead.ts';
import type { RunInfo } from './run-info.ts';
import { beginning, clearCutOff, errorSummary, isAsWritten, readRunInfo, reportRun, writeRunInfo } from './run-info.ts';

interface ArtifactsContext {
  readonly request: TaskRequest;
  /** The id of the run before the first one that is opened here. */
  readonly previousRunId: string | null;
  readonly loop: string;
  readonly host: Host;
  readonly tools: string;
  readonly broker: JobBroker['open'];
  readonly say: Say;
  readonly agentVersion: () => string;
  /** Where agents write their output.md; null if they write it into the run's folder. */
  readonly outputs: string | null;
}

const STDERR_LINES = 50;
const STDERR_BYTES = 64 * 1024;
/** How often to try again if an agent removes its run's folder while something is written there. */
const MOST_TRIES = 5;

export function taskRunArtifacts(context: ArtifactsContext): RunArtifacts {
  const { request, loop, say, outputs, agentVersion } = context;
  const { mask } = context.host;
  const { folder: task } = request;
  // In a Docker sandbox, the agent can write to the folders of runs.
  const ownFolder = (runId: string): string => {
    if (isSandboxed(request)) checkRunFolder(task, runId);
    return runFolder(task, runId);
  };
  // A loop does one thing at a time, so only its last run matters.
  const aheadOf = (name: string): RunAhead | null => {
    const ahead = readAhead(loop);
    return ahead?.name === name ? ahead : null;
  };
  // The previous release recorded only the name.
  const spanIn = ({ kept, name }: Handle): RunSpan | null => spanOf(kept) ?? spanOf(aheadOf(name));
  let { previousRunId } = context;
  let written: { readonly info: RunInfo; readonly text: string } | null = null;
  let opened: { readonly runId: string; readonly artifacts: ArtifactsOfRun } | null = null;
  const reportOf = async (runId: string): Promise<RunInfo> => {
    const folder = ownFolder(runId);
    if (written?.info.runId === runId && isAsWritten(runFile.info(folder), written.text)) return written.info;
    const { info, fault } = await inFolder(folder, () => ownReport(request, runId));
    if (fault !== null) await say('WARNING', `the report of this run was written again: ${fault}`, runId);
    return info;
  };
  const report = async (runId: string, info: RunInfo): Promise<void> => {
    const folder = ownFolder(runId);
    written = { info, text: await inFolder(folder, () => reportRun(runFile.info(folder), info)) };
  };
  const tellEnd = async (name: string, runId: string, ending: RunEnding, { cutOff }: RunEnd): Promise<void> => {
    const folder = ownFolder(runId);
    if (cutOff === 'idle' && request.idleTimeoutMs !== null) {
      const idle = formatGoDuration(request.idleTimeoutMs);
      await say('WARN', `agent job timed out after ${idle} of idle output`, runId);
    }
    const isCrash = ending.status === 'failed';
    const lines = [`run stopped with code ${ending.exitCode}`, `run_dir: ${folder}`];
    lines.push(`output: ${runFile.output(folder)}`);
    const words = isCrash ? stderrTail(runFile.stderr(folder)) : '';
    if (words !== '') lines.push('', `## stderr (last ${STDERR_LINES} lines)`, mask(words));
    await say(isCrash ? 'RUN_CRASH' : 'RUN_STOP', lines.join('\n'), runId);
    if (isCrash && request.kind === 'task') {
      const who = isReviewName(name)
        ? 'reviewer failed'
        : `root agent failed on restart #${Number(name.split('-')[0]) - 1}`;
      await say('WARNING', `${who}: ${ending.errorSummary}`, runId);
    }
  };

  return {
    async open(run, name, prompt, agent) {
      const attempt = run.iteration - 1;
      const isWork = run.purpose === 'work';
      const looking = run.purpose === REVIEW ? `starting reviewer ${agent}` : 'asking the agent for a different plan';
      const starting = isWork ? `starting root agent (restart #${attempt})` : looking;
      // If even the first message cannot be posted, the bus is wrong: that must show before anything runs.
      if (request.kind === 'task') await (attempt === 0 ? post(request, 'INFO', starting) : say('INFO', starting));
      if (isSandboxed(request)) checkRunFolder(task);
      // A folder that was created before the loop belongs to its first run.
      const isFirst = attempt === 0 && isWork && run.try === 1;
      const runId = (isFirst ? request.runId : null) ?? makeRunFolder(task, new Date()).runId;
      const folder = runFolder(task, runId);
      const span = { runId, busOffset: busSize(request.bus) };
      writeAhead(loop, { ...span, name, isReported: false });
      const whole = isWork ? withPreamble(request, runId, !isInMachine(request), prompt) : prompt;
      writeFile(runFile.prompt(folder), whole, { mode: 0o644 });
      if (outputs !== null) lendOutput(folder, outputs);
      await report(runId, beginning({ ...request, agent }, runId, previousRunId, Date.now()));
      previousRunId = runId;
      opened = { runId, artifacts: artifactsOf({ ...context, request: { ...request, agent } }, span, whole) };
      return opened.artifacts;
    },
    keptOf(name) {
      const span = spanOf(aheadOf(name));
      previousRunId = span?.runId ?? previousRunId;
      return span ?? undefined;
    },
    async started(handle, pid, argv) {
      const runId = spanIn(handle)?.runId ?? '';
      const folder = ownFolder(runId);
      const agent = pid === null ? {} : { pid, pgid: pid };
      const commandLine = mask(argv.map(quoteWord).join(' '));
      const own = { commandLine, agentVersion: isReviewName(handle.name) ? '' : agentVersion() };
      await report(runId, { ...(await reportOf(runId)), ...agent, ...own });
      const lines = ['run started', `run_dir: ${folder}`, `prompt: ${runFile.prompt(folder)}`];
      lines.push(`stdout: ${runFile.stdout(folder)}`, `stderr: ${runFile.stderr(folder)}`);
      await say('RUN_START', [...lines, `output: ${runFile.output(folder)}`].join('\n'), runId);
    },
    async refused(handle, reason) {
      const runId = spanIn(handle)?.runId ?? '';
      if (outputs !== null) takeOutput(ownFolder(runId), outputs);
      const ending = { exitCode: -1, status: 'failed', errorSummary: reason, endTime: Date.now() } as const;
      await report(runId, { ...(await reportOf(runId)), ...ending });
      await say('RUN_CRASH', reason, runId);
    },
    find(handle) {
      const span = spanIn(handle);
      if (span === null) return null;
      const folder = ownFolder(span.runId);
      replaceTranscript(folder);
      if (opened?.runId === span.runId) return opened.artifacts;
      return artifactsOf(context, span, readPlain(runFile.prompt(folder)) ?? '');
    },
    async ended(handle, end) {
      const span = spanIn(handle);
      if (span === null) return;
      const { name } = handle;
      const { runId } = span;
      const folder = ownFolder(runId);
      const { isReported = false, toldBus } = aheadOf(name) ?? {};
      // Reported by a supervisor that died before it could record the end. The report alone would be no proof of that.
      if (isReported) return;
      // The run may have been marked as dead, or its agent may have forged the report: drop what it says about the end.
      const { errorSummary: _summary, ...info } = await reportOf(runId);
      if (outputs !== null) takeOutput(folder, outputs);
      const isReview = isReviewName(name);
      completeOutput(folder, end.words);
      const ending = toldBus ?? endingOf(end, request, span);
      if (toldBus === undefined && !isTold(request.bus, span, end)) await tellEnd(name, runId, ending, end);
      clearCutOff(folder);
      const refusals = end.refusals === 0 ? {} : { refusals: end.refusals };
      // Last: if the supervisor dies before this, the next one does it all again.
      try {
        const version = isReview ? '' : agentVersion();
        await report(runId, { ...info, ...ending, ...refusals, agentVersion: version, endTime: Date.now() });
      } catch (error) {
        // Perhaps a full disk: the next supervisor writes the report, and posts nothing twice. If this fails, too, it
        // looks at the bus instead.
        const rememberEnding = (): void => writeAhead(loop, { ...span, name, isReported: false, toldBus: ending });
        handled(rememberEnding, () => null);
        throw error;
      }
      writeAhead(loop, { ...span, name, isReported: true });
    },
  };
}

/** Runs are named by iteration, purpose and try. */
const isReviewName = (name: string): boolean => name.split('-')[1] === REVIEW;

/** The agent can write to the folder, too: if it has removed it, it is created again. */
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

/** The report of one of our own runs. If an agent has damaged or removed it, it is written again from what is known. */
function ownReport(request: TaskRequest, runId: string): { readonly info: RunInfo; readonly fault: string | null } {
  const folder = runFolder(request.folder, runId);
  const path = runFile.info(folder);
  const read = () => ({ info: readRunInfo(path), fault: `${path} was taken away` });
  const { info: kept, fault } = handled(read, (error) => ({ info: null, fault: faultMessage(error) }));
  if (kept !== null) return { info: kept, fault: null };
  const begun = statSync(runFile.prompt(folder), { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  const info = beginning(request, runId, null, Math.round(begun));
  makeFolder(folder);
  writeRunInfo(path, info);
  return { info, fault };
}

/** An agent can remove its own transcript, too. Empty files take its place, so that there is something to follow. */
function replaceTranscript(folder: string): void {
  for (const path of [runFile.stdout(folder), runFile.stderr(folder)]) {
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) continue;
    makeFolder(folder);
    writeFile(path, '', { mode: 0o644, flag: 'wx' });
  }
}

/** Whether a supervisor that died has already posted the end, which must be posted only once. */
function isTold(bus: string, span: RunSpan, { exit }: RunEnd): boolean {
  const ends = (): readonly Message[] => saidSince(bus, span, ['RUN_STOP', 'RUN_CRASH']);
  return exit.by === 'unseen' && ends().some(({ runId }) => runId === span.runId);
}

function endingOf({ exit, cutOff }: RunEnd, { folder, bus }: TaskRequest, span: RunSpan): RunEnding {
  const exitCode = exit.by === 'unseen' ? -1 : exitNumber(exit);
  // A run that waits, by a file or a message, has not failed, whatever its exit code is.
  const saysWait = !existsSync(taskFile.done(folder)) && waitSignal(folder, bus, span) !== null;
  if (cutOff === null && (saysWait || exitCode === WAIT_EXIT_CODE)) return { exitCode, status: 'stopped' };
  if (cutOff === 'idle' || cutOff === 'total') return { exitCode, status: 'failed', errorSummary: 'timed out' };
  if (exitCode === 0 && cutOff === null) return { exitCode, status: 'completed' };
  const status = cutOff === 'cancelled' ? 'stopped' : 'failed';
  if (exit.by !== 'unseen') return { exitCode, status, errorSummary: errorSummary(exitCode) };
  // If it still ran, the next supervisor ended it.
  const summary = exit.wasRunning === true ? 'its supervisor died' : 'ended while no supervisor was running';
  return { exitCode, status, errorSummary: summary };
}

/** The last lines that an agent printed before it ended. */
function stderrTail(path: string): string {
  const fd = openTranscript(path);
  if (fd === null) return '';
  return closing(fd, () => {
    const { size } = fstatSync(fd);
    const buffer = Buffer.alloc(Math.min(size, STDERR_BYTES));
    readSync(fd, buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString('utf8').trimEnd().split('\n').slice(-STDERR_LINES).join('\n');
  });
}

function artifactsOf(
  { request, host, tools, broker }: ArtifactsContext,
  kept: RunSpan,
  prompt: string,
): ArtifactsOfRun {
  const { runId } = kept;
  const folder = runFolder(request.folder, runId);
  const transcript = { folder, stdout: STDOUT_NAME, stderr: STDERR_NAME };
  // Tells `ralph` inside the sandbox to ask the broker for what it cannot do itself.
  const sandbox = { [SANDBOX_VARIABLE]: isSandboxed(request) ? (request.sandbox?.kind ?? undefined) : undefined };
  const env = { ...agentEnvironment(request, runId, host.env, tools), ...broker(), ...sandbox };
  return { kept, transcript, prompt, promptFile: runFile.prompt(folder), env };
}
