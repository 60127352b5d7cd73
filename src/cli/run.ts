/** `ralph run` and `ralph resume`: the loop in a terminal. */
import { fstatSync } from 'node:fs';
import { readEnvironment } from '../config/environment.ts';
import { EXIT_INTERRUPTED } from '../core/ending.ts';
import { RalphError } from '../core/error.ts';
import type { Recorded } from '../core/record.ts';
import { quoteWords } from '../core/text/quote-word.ts';
import type { Driven } from '../engine/drive.ts';
import { refuseEmpty, withKeptPrompt } from '../loops/run/inputs.ts';
import { type RunOptions, resumeRun, runLoop } from '../loops/run/loop.ts';
import { type RunRequest, runRequest } from '../loops/run/rules.ts';
import { readToEnd } from '../process/read-once.ts';
import { type SandboxFlags, sandboxFromFlags } from '../runners/sandbox/request.ts';
import { attachWords, hasPane } from '../runners/tmux.ts';
import { loopFolder, type StateRoot } from '../state/paths.ts';
import { runsFolder } from '../state/run-files.ts';
import { unfinishedLine } from './loops/unfinished.ts';
import { runConsole } from './run-console.ts';
import type { OutputFlags } from './terminal/live-output.ts';
import { handleCancel, handleSignals } from './terminal/signals.ts';
import { inTerminal, thisTerminal } from './terminal.ts';

export interface ResumeFlags extends OutputFlags {
  readonly verbose?: boolean;
  readonly maximumIterations?: number;
  readonly detach?: boolean;
}

export interface RunFlags extends ResumeFlags, SandboxFlags {
  readonly prompt?: string;
  readonly promptFile?: string;
  readonly completionResponse?: string;
  readonly streamAgentOutput?: boolean;
  /** In milliseconds. */
  readonly agentTimeout?: number;
  readonly liveSettings?: boolean;
  readonly dryRun?: boolean;
  readonly runner: 'direct' | 'tmux';
}

type Self = NonNullable<RunOptions['self']>;
/** Who listens to signals until the loop does. */
type Before = ReturnType<typeof handleCancel>;

export async function runCommand(flags: RunFlags, self: Self): Promise<number> {
  const before = handleCancel(sayOnStderr);
  try {
    const request = await withKeptPrompt(await requestOf(flags, before.cancel), process.cwd(), before.cancel);
    if (flags.dryRun === true) return await (await import('./dry-run.ts')).dryRun(request, process.cwd());
    const unfinished = flags.quiet === true ? null : await unfinishedLine('run');
    if (unfinished !== null) sayOnStderr(unfinished);
    if (flags.detach === true) return await detached(flags, request, before);
    const task = request.prompt ?? request.promptFile;
    return await hosted(flags, self, (options) => runLoop(request, options), { task, before });
  } catch (error) {
    if (before.cancel.aborted) return EXIT_INTERRUPTED;
    throw error;
  } finally {
    before.release();
  }
}

async function detached(flags: RunFlags, request: RunRequest, before: Before) {
  const { prompt: text, promptFile } = request;
  const wasRead = !flags.prompt && promptFile === null && text !== null;
  const { detach } = await import('./terminal/detach.ts');
  before.release();
  return detach(wasRead ? { text, file: flags.promptFile ?? null } : undefined);
}

export async function resumeCommand(loop: string | null, flags: ResumeFlags, self: Self): Promise<number> {
  const change = flags.maximumIterations === undefined ? {} : { maximumIterations: flags.maximumIterations };
  return hosted(flags, self, (options) => resumeRun(loop, options, change));
}

async function requestOf(flags: RunFlags, cancel: AbortSignal): Promise<RunRequest> {
  const { maximumIterations = null, completionResponse = null, streamAgentOutput = null } = flags;
  const { agentTimeout: agentTimeoutMs = null, liveSettings = false, runner } = flags;
  // An empty prompt is none.
  const [words, file] = [flags.prompt || null, flags.promptFile || null];
  if (words !== null && file !== null) throw wrongPrompt('cannot specify both --prompt and --prompt-file');
  const prompt = words ?? (await promptFromStdin(file, cancel));
  const promptFile = prompt === null ? file : null;
  if (prompt === null && promptFile === null) throw wrongPrompt('must specify prompt (--prompt or --prompt-file)');
  const limits = { maximumIterations, completionResponse, agentTimeoutMs };
  const where = { runner, sandbox: sandboxFromFlags(flags) };
  return runRequest({ prompt, promptFile, ...limits, streamAgentOutput, liveSettings, ...where });
}

const STDIN = new Set(['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0']);

/** Null where stdin is not meant: `-f -` asks for it, and so does a pipe or a file there without any other prompt. */
async function promptFromStdin(promptFile: string | null, cancel: AbortSignal): Promise<string | null> {
  if (promptFile === null ? !hasStdin() : !STDIN.has(promptFile)) return null;
  if (process.stdin.isTTY)
    sayOnStderr('Reading the prompt from the terminal; press Ctrl-D on an empty line to end it.');
  const prompt = await readToEnd(process.stdin, 'stdin', cancel);
  if (promptFile === null && prompt === '') return null;
  refuseEmpty(prompt, 'the prompt from stdin');
  return prompt;
}

function hasStdin(): boolean {
  try {
    const stat = fstatSync(0);
    return stat.isFIFO() || stat.isFile() || stat.isSocket();
  } catch {
    // Closed.
    return false;
  }
}

function sayOnStderr(message: string): void {
  process.stderr.write(`${message}\n`);
}

async function hosted(
  flags: ResumeFlags,
  self: Self,
  host: (options: RunOptions) => Promise<Driven>,
  { task = null, before }: { readonly task?: string | null; readonly before?: Before } = {},
): Promise<number> {
  const environment = readEnvironment();
  const { verbose = false } = flags;
  const console = runConsole({ ...thisTerminal(environment, flags), verbose, env: environment.variables, task });
  const around = { cwd: process.cwd(), environment, self };
  const signals = handleSignals(console.tell);
  // Not before the loop listens itself: a signal in between would be lost.
  before?.release();
  if (before?.cancel.aborted === true) {
    signals.release();
    return EXIT_INTERRUPTED;
  }
  return inTerminal('run', console, signals, (ports) => {
    const emit: typeof ports.emit = (event) => {
      ports.emit(event);
      if (event.type === 'record') sayPane(event, environment.root, console.tell);
    };
    return host({ ...around, ...ports, emit });
  });
}

/** Every run has a pane of its own. */
function sayPane({ record, state }: { record: Recorded; state: { readonly id: string } }, root: StateRoot, tell: Tell) {
  if (record.result.kind !== 'started' || !hasPane(record.result.handle)) return;
  const words = attachWords(runsFolder(loopFolder(root, state.id)));
  if (words !== null) tell(`To attach to its pane: ${quoteWords(words)}`);
}

type Tell = (line: string) => void;

function wrongPrompt(message: string): RalphError {
  return new RalphError('PROMPT', message, { hint: 'For example: ralph run -p "Fix the failing tests"' });
}
