/** The performers that front doors share: runs, checks, publishing and waiting on this machine. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { judgeRun } from '../agents/adapter.ts';
import { adapterFor } from '../agents/find.ts';
import { hear } from '../agents/hearing.ts';
import { runGuardrail } from '../checks/guardrail.ts';
import type { Action } from '../core/action.ts';
import { runName } from '../core/keys.ts';
import type { Exit } from '../core/outcome.ts';
import type { Ran, Result } from '../core/record.ts';
import type { Duration, Instant } from '../core/time.ts';
import { endCutOff } from '../process/command.ts';
import type { Host } from '../process/host.ts';
import { LaunchError } from '../process/launch.ts';
import { findProgram } from '../process/which.ts';
import { OUTPUT_FILE, type Runner } from '../runners/runner.ts';
import { publish } from '../scm/publish.ts';
import { claimAttempt, claimRun, runFolderName } from '../state/run-folder.ts';
import { lineSplitter } from '../stream/lines.ts';
import type { Perform, PerformAt, Performed } from './perform.ts';

export interface LocalPerformers {
  readonly loop: { readonly id: string; readonly folder: string };
  readonly cwd: string;
  readonly host: Host;
  readonly runner: Runner;
  /** How long a program has between SIGTERM and SIGKILL. */
  readonly grace: Duration;
  readonly now: () => Instant;
  readInputs(known: string | null): Result;
}

const PROMPT_FILE = 'prompt.txt';
const INTERRUPTED: Result = { kind: 'interrupted', reason: 'cancelled' };

type Of<Do extends Action['do']> = Extract<Action, { do: Do }>;

export function localPerformers(local: LocalPerformers): Perform {
  return async (action, at) => {
    switch (action.do) {
      case 'read-inputs':
        return { result: local.readInputs(action.known), attempt: 1 };
      case 'start':
        return { result: await start(local, action), attempt: 1 };
      case 'await':
        return { result: await awaitRun(local, action, at), attempt: 1 };
      case 'check':
        return check(local, action, at);
      case 'publish':
        return publishStep(local, action, at);
      case 'wait':
        return { result: await wait(local, action, at), attempt: 1 };
      case 'end':
        throw new Error('a loop ends in its driver, not in a performer');
    }
  };
}

/** Finds or starts: a claimed folder means that this key was started, or was about to be, by somebody who died. */
async function start(local: LocalPerformers, { run, agent, prompt }: Of<'start'>): Promise<Result> {
  const { cwd, host, runner } = local;
  const program = findProgram(agent.command, host.env.PATH, cwd);
  if (program === null) {
    return {
      kind: 'unstartable',
      reason: `agent command not found: ${agent.command}`,
      hint: installHint(agent.command),
    };
  }
  const name = runName(run);
  const { folder, isNew } = claimRun(local.loop.folder, name);
  const handle = { runner: runner.name, folder: runFolderName(name) };
  if (!isNew) return { kind: 'started', handle };

  const adapter = adapterFor(agent.command);
  const { argv, promptOnStdin } = adapter.commandLine({ ...agent, prompt });
  // An agent whose output is plain text may echo its prompt; whoever listens must know it, also after a crash.
  if (promptOnStdin || !adapter.parser(agent).hasStructure)
    writeFileSync(join(folder, PROMPT_FILE), prompt, { mode: 0o600 });
  const env = { ...host.env, ...keyEnvironment(local.loop.id, name, 1) };
  const stdin = promptOnStdin ? { stdin: PROMPT_FILE } : {};
  try {
    await runner.start({ folder, mark: markOf(local.loop.id, name, 1), argv, cwd, env, ...stdin });
  } catch (error) {
    if (!(error instanceof LaunchError)) throw error;
    return { kind: 'unstartable', reason: error.message, hint: installHint(agent.command) };
  }
  return { kind: 'started', handle };
}

function installHint(command: string): string {
  const { install } = adapterFor(command);
  const how = install === null ? 'Install it' : `Install it (${install})`;
  return `${how}, or set agent.command in .ralph/settings.json to the program you use.`;
}

async function awaitRun(local: LocalPerformers, action: Of<'await'>, at: PerformAt): Promise<Result> {
  const { agent, handle, listen, timeoutMs } = action;
  const limit = timeLimit(timeoutMs, at.signal);
  const parser = adapterFor(agent.command).parser(agent);
  const folder = join(local.loop.folder, handle.folder);
  const prompt = parser.hasStructure ? '' : readPrompt(folder);
  const hearing = hear(parser, listen, prompt, at.progress);
  const stderr = lineSplitter({ onLine: (line) => at.progress({ type: 'stderr', text: line.toString('utf8') }) });
  let bytes = 0;
  const exit = await local.runner.await(folder, {
    onOutput: (chunk) => {
      bytes += chunk.length;
      hearing.push(chunk);
    },
    onStderr: (chunk) => stderr.push(chunk),
    signal: limit.signal,
  });
  stderr.end();
  const { said, account, brokeOff } = hearing.end();
  if (at.signal.aborted) return INTERRUPTED;
  const ran: Ran = {
    outcome: judgeRun(limit.expired() ?? exit, account, brokeOff),
    said,
    transcript: { path: join(handle.folder, OUTPUT_FILE), bytes },
    ...(account === null ? {} : { account }),
  };
  return { kind: 'ran', ...ran };
}

/** A signal that also fires when the time is up, and the exit that this is. */
function timeLimit(timeoutMs: Duration | null, signal: AbortSignal): { signal: AbortSignal; expired(): Exit | null } {
  if (timeoutMs === null) return { signal, expired: () => null };
  const clock = AbortSignal.timeout(timeoutMs);
  const expired = (): Exit | null => (clock.aborted ? { by: 'timeout', afterMs: timeoutMs } : null);
  return { signal: AbortSignal.any([signal, clock]), expired };
}

async function check(local: LocalPerformers, { key, check }: Of<'check'>, at: PerformAt): Promise<Performed> {
  const claim = claimAttempt(local.loop.folder, key);
  for (const folder of claim.cutOff) await endCutOff(folder, local.grace);
  const limit = timeLimit(check.timeoutMs, at.signal);
  const run = { check, ...commandOf(local, key, claim, at), signal: limit.signal, expired: limit.expired };
  const checked = await runGuardrail(run, local.host);
  return { attempt: claim.attempt, result: checked === null ? INTERRUPTED : { kind: 'checked', ...checked } };
}

async function publishStep(local: LocalPerformers, { key, what }: Of<'publish'>, at: PerformAt): Promise<Performed> {
  const claim = claimAttempt(local.loop.folder, key);
  const done = await publish({ what, cutOff: claim.cutOff, ...commandOf(local, key, claim, at) }, local.host);
  return { attempt: claim.attempt, result: done === null ? INTERRUPTED : { kind: 'published', ...done } };
}

async function wait(local: LocalPerformers, { until }: Of<'wait'>, at: PerformAt): Promise<Result> {
  const rest = until === 'now' ? 0 : until - local.now();
  if (rest <= 0) return { kind: 'waited' };
  try {
    await sleep(rest, undefined, { signal: at.signal });
    return { kind: 'waited' };
  } catch {
    // Only the signal ends a sleep early.
    return { kind: 'interrupted', reason: 'told to stop while waiting' };
  }
}

function commandOf(local: LocalPerformers, key: string, claim: { folder: string; attempt: number }, at: PerformAt) {
  const { cwd, grace } = local;
  const { folder, attempt } = claim;
  const id = local.loop.id;
  return {
    cwd,
    folder,
    grace,
    signal: at.signal,
    mark: markOf(id, key, attempt),
    extraEnv: keyEnvironment(id, key, attempt),
  };
}

/** Tells a program which run of which loop it is. */
function keyEnvironment(loop: string, key: string, attempt: number): Record<string, string> {
  return { RALPH_LOOP: loop, RALPH_KEY: key, RALPH_ATTEMPT: String(attempt) };
}

function markOf(loop: string, key: string, attempt: number): string {
  return `${loop}/${key}#${attempt}`;
}

function readPrompt(folder: string): string {
  const path = join(folder, PROMPT_FILE);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}
