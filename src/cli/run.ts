/** `ralph run` and `ralph resume`: the loop in a terminal. */
import { readEnvironment } from '../config/environment.ts';
import { EXIT_CODES, EXIT_INTERRUPTED } from '../core/ending.ts';
import { RalphError } from '../core/error.ts';
import { maskFor } from '../core/mask.ts';
import { type RunOptions, resumeRun, runLoop } from '../doors/run/loop.ts';
import { type RunRequest, runRequest } from '../doors/run/rules.ts';
import type { Driven } from '../engine/drive.ts';
import { sandboxFromFlags } from '../runners/sandbox/request.ts';
import type { RunFlags } from './main.ts';
import { runConsole } from './run-console.ts';
import { handleSignals } from './signals.ts';

export interface ResumeFlags {
  readonly verbose?: boolean;
  readonly maximumIterations?: number;
}

type Self = NonNullable<RunOptions['self']>;

export async function runCommand(flags: RunFlags, release: string, self: Self): Promise<number> {
  const request = requestOf(flags);
  if (flags.dryRun === true) return (await import('./dry-run.ts')).dryRun(request, process.cwd(), process.stdout);
  return inTerminal(flags.verbose === true, release, (options) => runLoop(request, { ...options, self }));
}

export async function resumeCommand(
  loop: string | null,
  { verbose = false, maximumIterations }: ResumeFlags,
  release: string,
  self: Self,
): Promise<number> {
  const change = maximumIterations === undefined ? {} : { maximumIterations };
  return inTerminal(verbose, release, (options) => resumeRun(loop, { ...options, self }, change));
}

function requestOf(flags: RunFlags): RunRequest {
  const { maximumIterations = null, completionResponse = null } = flags;
  // An empty prompt is none.
  const prompt = flags.prompt || null;
  const promptFile = flags.promptFile || null;
  const { streamAgentOutput = null, agentTimeout: agentTimeoutMs = null, runner } = flags;
  if (prompt !== null && promptFile !== null) throw wrongPrompt('cannot specify both --prompt and --prompt-file');
  if (prompt === null && promptFile === null) throw wrongPrompt('must specify prompt (--prompt or --prompt-file)');
  const limits = { maximumIterations, completionResponse, agentTimeoutMs };
  return runRequest({ prompt, promptFile, ...limits, streamAgentOutput, runner, sandbox: sandboxFromFlags(flags) });
}

async function inTerminal(
  verbose: boolean,
  release: string,
  turn: (options: RunOptions) => Promise<Driven>,
): Promise<number> {
  const cwd = process.cwd();
  const environment = readEnvironment();
  const mask = maskFor(environment.variables);
  const color = process.stdout.isTTY && environment.color;
  const console_ = runConsole({
    stdout: process.stdout,
    stderr: process.stderr,
    color,
    mask,
    verbose,
    env: environment.variables,
  });
  const signals = handleSignals((message) => process.stderr.write(`${message}\n`));
  const { stop, cancel } = signals;
  try {
    const { show: emit, tell, ready } = console_;
    let atEnd: Parameters<NonNullable<RunOptions['left']>> | null = null;
    const left: RunOptions['left'] = (...seen) => {
      atEnd = seen;
    };
    const driven = await turn({ cwd, environment, release, emit, tell, ready, stop, cancel, left });
    if (atEnd !== null) console_.close(atEnd[0], driven, atEnd[1]);
    return driven.kind === 'stopped' ? EXIT_INTERRUPTED : EXIT_CODES[driven.ending.kind];
  } finally {
    signals.release();
  }
}

function wrongPrompt(message: string): RalphError {
  return new RalphError('PROMPT', message, { hint: 'For example: ralph run -p "Fix the failing tests"', exitCode: 2 });
}
