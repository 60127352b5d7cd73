/** `ralph job`: one run of an agent for a task. Inside another run, that run's supervisor starts it. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { DEFAULT_AGENT } from '../agents/index.ts';
import { type Environment, readEnvironment } from '../config/environment.ts';
import type { Ending } from '../core/ending.ts';
import { checkRunId } from '../core/text/task-ids.ts';
import { STDOUT_NAME } from '../loops/tasks/folder/output-names.ts';
import { runFile } from '../loops/tasks/folder/task-folder.ts';
import { askForJob, JOBS_VARIABLE } from '../loops/tasks/jobs/broker-client.ts';
import { freeJob, type JobSpec, refuseLinks } from '../loops/tasks/jobs/job-spec.ts';
import { runTask } from '../loops/tasks/loop.ts';
import { NEW_TASK, type TaskRequest } from '../loops/tasks/request.ts';
import { readRunInfo } from '../loops/tasks/runs/run-info.ts';
import { sandboxFromFlags } from '../runners/sandbox/request.ts';
import { hostedTask } from './task/console.ts';
import { watchRun } from './task/output.ts';
import { givenPrompt } from './task/prompt.ts';
import { agentFlagsOf, type Program, type TaskRunFlags } from './task/request.ts';
import { placeOf, usage } from './task/terminal.ts';
import { exitCodeOf } from './terminal.ts';

export interface JobFlags extends TaskRunFlags {
  readonly parentRunId?: string;
  readonly previousRunId?: string;
  readonly follow?: boolean;
  /** The file with the request, written by a job broker; for supervisors only. */
  readonly supervise?: string;
}

export async function jobCommand(flags: JobFlags, program: Program): Promise<number> {
  const environment = readEnvironment();
  const inForeground = (request: TaskRequest): Promise<number> =>
    hostedTask('job', { environment, ...program }, {}, (options) => runTask(request, options));
  if (flags.supervise !== undefined) {
    // Trusted: a broker of ours wrote it, in a folder that is private to the user.
    const request = JSON.parse(readFileSync(flags.supervise, 'utf8')) as TaskRequest;
    refuseLinks(request);
    return inForeground(request);
  }
  const spec = await specOf(flags, environment);
  const broker = environment.variables[JOBS_VARIABLE];
  return broker ? asChild(broker, spec, flags.follow === true) : inForeground(await freeJob(spec, environment));
}

async function specOf(flags: JobFlags, environment: Environment): Promise<JobSpec> {
  const { variables } = environment;
  const inside = variables.JRUN_ID ?? '';
  const place = placeOf(flags, environment, flags.task === undefined && inside === '');
  const prompt = await givenPrompt(flags);
  if (prompt === null) throw usage('a job needs a prompt', 'Give --prompt or --prompt-file.');
  const agent = flags.agent ?? DEFAULT_AGENT;
  return {
    ...place,
    agent,
    flags: agentFlagsOf(agent, flags),
    prompt,
    cwd: resolve(flags.cwd ?? '.'),
    parentRunId: runId(flags.parentRunId || inside),
    previousRunId: runId(flags.previousRunId ?? ''),
    idleTimeoutMs: flags.timeout || null,
    totalTimeoutMs: flags.totalTimeout || null,
    graceMs: flags.grace ?? NEW_TASK.graceMs,
    sandbox: sandboxFromFlags(flags),
  };
}

const runId = (given: string): string | null => (given === '' ? null : checkRunId(given));

/** The supervisor of the surrounding run starts the job; this process only watches it. */
async function asChild(broker: string, spec: JobSpec, follows: boolean): Promise<number> {
  const { runFolder: folder, noSandbox } = await askForJob(broker, spec);
  if (noSandbox !== undefined) process.stderr.write(`No sandbox: ${noSandbox}\n`);
  process.stderr.write(`run: ${basename(folder)}\n`);
  // Its processes may be invisible from inside our sandbox, so only the file of the run counts.
  const goesOn = (): boolean => readRunInfo(runFile.info(folder))?.endTime === null;
  const onChunk = (chunk: Buffer): unknown => process.stdout.write(Buffer.from(chunk));
  await watchRun(folder, { goesOn, ...(follows ? { file: { name: STDOUT_NAME, onChunk } } : {}) });
  const output = runFile.output(folder);
  if (!follows && existsSync(output)) process.stdout.write(readFileSync(output));
  const info = readRunInfo(runFile.info(folder));
  const codeOf = (ending: Ending): number => exitCodeOf({ kind: 'ended', ending }, 'job');
  const { status, errorSummary: reason } = info ?? {};
  if (status === 'failed') {
    process.stderr.write(`error: ${reason ?? 'the run failed'} (${folder})\n`);
    return codeOf({ kind: 'kept-failing', failures: 1 });
  }
  if (status !== 'stopped') return codeOf({ kind: 'done' });
  process.stderr.write(reason === undefined ? `The child waits (${folder})\n` : `Stopped: ${reason} (${folder})\n`);
  return codeOf(reason === undefined ? { kind: 'waiting', reason: '' } : { kind: 'stopped', reason });
}
