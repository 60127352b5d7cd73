/** `ralph run` and `ralph resume`: the loop in a terminal. */
import { readEnvironment } from '../config/environment.ts';
import { defined } from '../core/defined.ts';
import { EXIT_INTERRUPTED } from '../core/ending.ts';
import type { Finding } from '../core/finding.ts';
import type { Recorded } from '../core/record.ts';
import { quoteWords } from '../core/text/quote-word.ts';
import type { Driven } from '../engine/drive.ts';
import { withKeptPrompt } from '../loops/run/inputs.ts';
import { type RunOptions, runLoop } from '../loops/run/loop.ts';
import { type RunRequest, runRequest } from '../loops/run/request.ts';
import { resumeRun } from '../loops/run/resume.ts';
import { preflightOf } from '../preflight/before-loop.ts';
import { type SandboxFlags, sandboxFromFlags } from '../runners/sandbox/request.ts';
import { attachWords, hasPane } from '../runners/tmux.ts';
import { loopFolder, type StateRoot } from '../state/paths.ts';
import { runsFolder } from '../state/run-files.ts';
import { unfinishedLoop } from './loops/unfinished.ts';
import { type OutageFlags, outagesFrom } from './program/flags/outages.ts';
import { type ProgressFlags, progressFrom } from './program/flags/progress.ts';
import { type ProofChangeFlags, type ProofFlags, proofChangeFrom, proveFrom } from './program/flags/proof.ts';
import { type ReviewFlags, reviewFrom } from './program/flags/review.ts';
import { type TermFlags, termOptions } from './program/flags/terms.ts';
import { askUnprotected } from './run/ask-unprotected.ts';
import { runConsole } from './run/console.ts';
import { type PromptGiven, promptOf } from './run/prompt.ts';
import type { OutputFlags } from './terminal/live-output.ts';
import { handleCancel, handleSignals } from './terminal/signals.ts';
import { inTerminal, thisTerminal } from './terminal.ts';

export interface ResumeFlags extends OutputFlags, TermFlags, ProofChangeFlags, Pick<ReviewFlags, 'reviewAgent'> {
  readonly verbose?: boolean;
  readonly maximumIterations?: number;
  readonly detach?: boolean;
}

export interface RunFlags extends ResumeFlags, SandboxFlags, OutageFlags, ProgressFlags, ProofFlags, ReviewFlags {
  readonly agent?: string;
  readonly model?: string;
  readonly check?: readonly string[];
  readonly prompt?: string;
  readonly promptFile?: string;
  readonly completionResponse?: string;
  readonly streamAgentOutput?: boolean;
  /** In milliseconds. */
  readonly agentTimeout?: number;
  readonly liveSettings?: boolean;
  readonly worktree?: boolean;
  readonly branch?: string;
  readonly dryRun?: boolean;
  readonly runner: 'direct' | 'tmux';
}

type Self = NonNullable<RunOptions['self']>;
/** Handles signals until the loop does. */
type Before = ReturnType<typeof handleCancel>;

/** `words`: the arguments that are not flags. There can be one, the prompt. */
export async function runCommand(words: readonly string[], flags: RunFlags, self: Self): Promise<number> {
  const before = handleCancel(sayOnStderr);
  try {
    const prompt = await promptOf(words, flags, process.cwd(), before.cancel);
    const request = await withKeptPrompt(requestOf(prompt, flags), process.cwd(), before.cancel);
    if (flags.dryRun === true)
      return await (await import('./dry-run.ts')).dryRun(request, process.cwd(), self, flags.fallback);
    if (flags.detach === true) return await detached(flags, prompt, request, before);
    const unfinished = flags.quiet === true ? null : await unfinishedLoop('run');
    const found = unfinished === null ? [] : [unfinished];
    const task = request.prompt ?? request.promptFile;
    const { worktree = false, branch } = flags;
    const where = worktree || branch !== undefined ? { worktree: { branch } } : {};
    const begin = (options: RunOptions) => {
      return runLoop(request, {
        ...options,
        ...termOptions(flags),
        ...where,
        ...defined({ allow: askUnprotected(options.stop) }),
      });
    };
    return await hosted(flags, self, begin, { task, before, found });
  } catch (error) {
    if (before.cancel.aborted) return EXIT_INTERRUPTED;
    throw error;
  } finally {
    before.release();
  }
}

async function detached(flags: RunFlags, given: PromptGiven, request: RunRequest, before: Before) {
  const { prompt: text, promptFile } = request;
  const wasRead = !given.isOnCommandLine && promptFile === null && text !== null;
  const { detach } = await import('./terminal/detach.ts');
  before.release();
  return detach(wasRead ? { text, file: flags.promptFile ?? null } : undefined);
}

export async function resumeCommand(loop: string | null, flags: ResumeFlags, self: Self): Promise<number> {
  const { maximumIterations, reviewAgent: reviewer } = flags;
  const change = { ...defined({ maximumIterations, reviewer }), ...proofChangeFrom(flags) };
  return hosted(flags, self, (options) => resumeRun(loop, { ...options, ...termOptions(flags) }, change));
}

function requestOf({ prompt, promptFile, asksForResponse }: PromptGiven, flags: RunFlags): RunRequest {
  const { maximumIterations = null, completionResponse = null, streamAgentOutput = null } = flags;
  const { agentTimeout: agentTimeoutMs = null, liveSettings = false, runner } = flags;
  const { agent = null, model = null, check: checks = null } = flags;
  const limits = { maximumIterations, completionResponse, agentTimeoutMs };
  const where = { runner, sandbox: sandboxFromFlags(flags) };
  const work = { prompt, promptFile, asksForResponse, agent, model, checks };
  const nights = { outages: outagesFrom(flags), ...progressFrom(flags), ...reviewFrom(flags) };
  const prove = proveFrom(flags);
  return runRequest({ ...work, ...limits, streamAgentOutput, liveSettings, ...where, ...nights, prove });
}

function sayOnStderr(message: string): void {
  process.stderr.write(`${message}\n`);
}

/** What a new loop has in addition to its flags. */
interface Begun {
  readonly task?: string | null;
  readonly before?: Before;
  readonly found?: readonly Finding[];
}

async function hosted(
  flags: ResumeFlags,
  self: Self,
  host: (options: RunOptions) => Promise<Driven>,
  { task = null, before, found = [] }: Begun = {},
): Promise<number> {
  const environment = readEnvironment();
  const { verbose = false } = flags;
  const console = runConsole({ ...thisTerminal(environment, flags), verbose, env: environment.variables, task });
  const preflight = preflightOf({ stateRoot: environment.root.path, verbose, found, show: console.found });
  const around = { cwd: process.cwd(), environment, self, preflight };
  const signals = handleSignals(console.tell);
  // Only now that the loop handles signals itself: one that came in between would be lost.
  before?.release();
  if (before?.cancel.aborted === true) {
    signals.release();
    return EXIT_INTERRUPTED;
  }
  return inTerminal(
    'run',
    console,
    signals,
    (ports) => {
      const emit: typeof ports.emit = (event) => {
        ports.emit(event);
        if (event.type === 'record') sayPane(event, environment.root, console.tell);
      };
      return host({ ...around, ...ports, emit });
    },
    flags,
  );
}

/** Says how to attach to the pane of a run; every run has its own. */
function sayPane({ record, state }: { record: Recorded; state: { readonly id: string } }, root: StateRoot, tell: Tell) {
  if (record.result.kind !== 'started' || !hasPane(record.result.handle)) return;
  const words = attachWords(runsFolder(loopFolder(root, state.id)));
  if (words !== null) tell(`To attach to its pane: ${quoteWords(words)}`);
}

type Tell = (line: string) => void;
