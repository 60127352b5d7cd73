/** Gives an agent in a pane its prompt, and watches its exit, its screen, its output, and control commands. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { profileFor } from '../../../agents/index.ts';
import { paneAgent } from '../../../agents/pane.ts';
import type { Exit } from '../../../core/outcome.ts';
import type { Duration, Instant } from '../../../core/time.ts';
import { isToldToStopNow } from '../../../engine/control.ts';
import type { PerformAt } from '../../../engine/performers/perform.ts';
import { writeFile } from '../../../process/files.ts';
import { alwaysReady, follow } from '../../../process/follow.ts';
import { describeRefusal, parseRefusal } from '../../../runners/sandbox/refusals.ts';
import { outputFile } from '../../../state/run-files.ts';
import { lineSplitter } from '../../../stream/lines.ts';
import { parseDonePattern } from '../../../tmux/done-pattern/done-pattern.ts';
import { doneMatcher } from '../../../tmux/done-pattern/match.ts';
import { type Pane, type ScreenLook, watchScreen } from '../../../tmux/pane.ts';
import { submitPrompt, waitUntilReady } from '../../../tmux/ready.ts';
import { exitOf, isAlive, logIsWhole, paneOfWindow, type Window } from '../../../tmux/window.ts';
import { refusalsFile } from './find.ts';
import type { PaneRuns } from './pane-run.ts';
import type { PromptVia, RalphRequest } from './rules.ts';

/** Pasted if the agent is interactive, otherwise on stdin. A Docker Sandbox does not pass stdin on. */
export function promptVia(request: Pick<RalphRequest, 'command' | 'promptVia' | 'sandbox'>): PromptVia {
  if (request.promptVia !== null) return request.promptVia;
  const [program, ...args] = request.command;
  const { flags = [], words = [] } = profileFor(program).readsStdin ?? {};
  const firstWord = args.find((arg) => !arg.startsWith('-'));
  const reads = args.some((arg) => flags.includes(arg)) || (firstWord !== undefined && words.includes(firstWord));
  if (!reads) return 'paste';
  return request.sandbox?.kind === 'docker' ? 'arg' : 'stdin';
}

/** The command to start: with the prompt as its last argument, or on its stdin, or without it. */
export function commandWith(argv: readonly string[], via: PromptVia, prompt: { text: string; file: string }) {
  if (via === 'arg') return [...argv, prompt.text];
  return via === 'stdin' ? ['sh', '-c', 'exec "$@" <"$0"', prompt.file, ...argv] : argv;
}

type Ended = 'exit' | 'inactivity' | 'command';

interface PaneWatch {
  readonly runs: PaneRuns;
  readonly window: Window;
  readonly promptFile: string;
  readonly inactivityMs: Duration;
  readonly output: ReturnType<typeof followOutput>;
}

export async function seeToEnd(watch: PaneWatch, at: PerformAt) {
  const { runs, window, promptFile, inactivityMs, output } = watch;
  const { request, host } = runs;
  const over = new AbortController();
  const { signal } = over;
  const pane = paneOfWindow(window, host.env);
  const isRunning = (): boolean => isAlive(window);
  const warn = (text: string): void => at.progress({ type: 'notice', text });
  const startedAt = statSync(promptFile).mtimeMs;
  /** Null until the agent has its prompt: before that, it does not count as inactive. */
  let promptedAt = promptVia(request) === 'paste' ? null : startedAt;
  const deliver = async (): Promise<void> => {
    try {
      promptedAt = await deliverPrompt(pane, request, promptFile, { signal, warn });
    } catch (error) {
      promptedAt = Date.now();
      // If the agent ended before it got its prompt, that is reported as a short iteration, without a warning.
      if (!signal.aborted && isRunning()) warn(`the prompt could not be typed: ${String(error)}`);
    }
  };
  const exited = async (): Promise<Ended> => {
    // Cheap: reads the process table, and starts no process.
    while (isRunning() && !signal.aborted) await sleep(100);
    return 'exit';
  };
  const stoodStill = async (): Promise<Ended> => {
    // The seed's two seconds. Waits before the first look: a quick agent needs none.
    const every = 2 * request.secondMs;
    await sleep(every, undefined, { signal }).catch(() => undefined);
    const isEnough = ({ captured, stableFor }: ScreenLook): boolean => {
      output.look(captured);
      return promptedAt !== null && Math.min(stableFor, Date.now() - promptedAt) >= inactivityMs;
    };
    await watchScreen({ capture: () => pane.capture(), printed: output.bytes, every, startedAt, isEnough, signal });
    return 'inactivity';
  };
  try {
    if (promptedAt === null) void deliver();
    const by = await Promise.race([exited(), cutOff(at.signal, signal), stoodStill()]);
    const seen = await conclude(by, watch);
    if (output.isTooSlow()) warn('the done pattern took too long on some of the output, which then counts as no match');
    return seen;
  } finally {
    over.abort();
  }
}

/**
 * Gives an interactive agent its prompt once it is ready, and resolves with the time when that was done or given up. A
 * file notes that the prompt was typed: if the supervisor dies, the next one does not type it again.
 */
async function deliverPrompt(
  pane: Pane,
  request: RalphRequest,
  promptFile: string,
  { signal, warn }: { readonly signal: AbortSignal; warn(text: string): void },
): Promise<Instant> {
  const note = `${promptFile}ed`;
  const noted = statSync(note, { throwIfNoEntry: false });
  if (noted !== undefined) return noted.mtimeMs;
  const prompt = readFileSync(promptFile, 'utf8');
  const agent = paneAgent(request.command);
  if (agent.screen !== null) {
    const timeout = request.readyTimeout * request.secondMs;
    const readiness = await waitUntilReady({ pane, agent, timeout, signal, onDialog: ({ message }) => warn(message) });
    if (readiness.is === 'timed-out') {
      warn(`agent '${request.name}' did not become ready within ${request.readyTimeout}s`);
      // Pressing Enter would answer the dialog, and some have "No, exit" selected.
      if (readiness.dialog !== null) return Date.now();
    }
  }
  writeFile(note, '', { mode: 0o600 });
  const submission = await submitPrompt({ pane, prompt, agent, signal });
  if (submission.is === 'asking') warn(submission.dialog.message);
  if (submission.is === 'unproved') warn('the prompt was typed, but the agent did not react to it');
  return Date.now();
}

/** A matched done pattern does not end a run: the agent may still be working. If it then fails, it does not count. */
async function conclude(by: Ended, { runs, window, output }: PaneWatch) {
  const { loop, windowFolder: folder } = runs;
  const unseen: Exit = { by: 'unseen' };
  // If the agent was killed together with its loop, its exit says nothing about its work.
  if (by === 'command' || isToldToStopNow(loop.folder)) return { by: 'command', exit: unseen } as const;
  if (by === 'exit') await logIsWhole(folder, window);
  await output.drain();
  const exit = by === 'exit' ? (exitOf(folder, window) ?? unseen) : unseen;
  const hasFailed = by === 'exit' && !(exit.by === 'code' && exit.code === 0);
  return { by: !hasFailed && output.isDone() ? 'done-pattern' : by, exit } as const;
}

/** Resolves when a command, or the end of the supervisor, cuts the run off. */
function cutOff(cancel: AbortSignal, over: AbortSignal): Promise<Ended> {
  return new Promise((resolve) => {
    const end = (): void => resolve('command');
    if (cancel.aborted) end();
    else cancel.addEventListener('abort', end, { once: true, signal: over });
  });
}

/** Follows what a run writes: its output, in which it looks for the done pattern, and its sandbox's refusals. */
export function followOutput(
  { folder, run, promptFile }: { readonly folder: string; readonly run: string; readonly promptFile: string },
  donePattern: string | null,
  { progress }: Pick<PerformAt, 'progress'>,
) {
  const done =
    donePattern === null ? null : doneMatcher(parseDonePattern(donePattern), readFileSync(promptFile, 'utf8'));
  let bytes = 0;
  let refusals = 0;
  let lastScreen = '';
  const lines = lineSplitter({
    onLine: (line) => {
      for (const refusal of parseRefusal(line.toString('utf8'))) {
        refusals++;
        progress({ type: 'refusal', text: describeRefusal(refusal) });
      }
    },
  });
  const onChunk = (chunk: Buffer): void => {
    bytes += chunk.length;
    done?.push(chunk);
  };
  const refused = { name: refusalsFile(run), onChunk: (chunk: Buffer) => lines.push(chunk) };
  // A run without a sandbox has no such file.
  const files = [{ name: outputFile(run), onChunk }, ...(existsSync(join(folder, refused.name)) ? [refused] : [])];
  const follower = follow(folder, files, alwaysReady);
  return {
    isTooSlow: () => done?.isTooSlow === true,
    /** To be called when no more output follows: whether the done pattern has matched. */
    isDone: () => done?.end() === true,
    look(screen: string): void {
      lastScreen = screen;
      done?.look(screen);
    },
    lastScreen: () => lastScreen,
    bytes: () => bytes,
    drain: follower.drain,
    /** To be called when the run is over: reads the rest, and returns how often the sandbox refused something. */
    async end() {
      await follower.drain();
      lines.end();
      return refusals;
    },
    close: () => follower.close(),
  };
}
