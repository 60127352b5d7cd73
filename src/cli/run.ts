/** `ralph run` and `ralph resume`: the loop in a terminal. */
import { readEnvironment } from '../config/environment.ts';
import { EXIT_CODES, EXIT_INTERRUPTED } from '../core/ending.ts';
import { RalphError } from '../core/error.ts';
import { type RunOptions, resumeRun, runLoop } from '../doors/run/loop.ts';
import type { Driven } from '../engine/drive.ts';
import type { RunFlags } from './main.ts';
import { runConsole } from './run-console.ts';
import { handleSignals } from './signals.ts';

export async function runCommand(flags: RunFlags, release: string): Promise<number> {
  if (flags.prompt === undefined && flags.promptFile === undefined) {
    throw new RalphError('NO_PROMPT', 'must specify prompt (--prompt or --prompt-file)', {
      hint: 'For example: ralph run -p "Fix the failing tests"',
      exitCode: 2,
    });
  }
  const { prompt = null, promptFile = null, maximumIterations = null, completionResponse = null } = flags;
  const { streamAgentOutput = null, agentTimeout: agentTimeoutMs = null, runner } = flags;
  const given = {
    prompt,
    promptFile,
    maximumIterations,
    completionResponse,
    streamAgentOutput,
    agentTimeoutMs,
    runner,
  };
  return inTerminal(release, (options) => runLoop(given, options));
}

export async function resumeCommand(loop: string | null, release: string): Promise<number> {
  return inTerminal(release, (options) => resumeRun(loop, options));
}

async function inTerminal(release: string, turn: (options: RunOptions) => Promise<Driven>): Promise<number> {
  const console_ = runConsole(process.stdout, process.stderr);
  const signals = handleSignals((message) => process.stderr.write(`${message}\n`));
  try {
    const driven = await turn({
      cwd: process.cwd(),
      environment: readEnvironment(),
      release,
      emit: console_.show,
      stop: signals.stop,
      cancel: signals.cancel,
    });
    console_.close(driven);
    return driven.kind === 'stopped' ? EXIT_INTERRUPTED : EXIT_CODES[driven.ending.kind];
  } finally {
    signals.release();
  }
}
