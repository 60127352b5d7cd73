/** Runs a loop of any kind in this terminal: shows it, stops it on a signal, and turns its ending into an exit code. */
import { statSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { type Environment, isRehearsed, readEnvironment } from '../config/environment.ts';
import { notifyingSettings } from '../config/user-file.ts';
import { budgetWarning, type WorkState } from '../core/closing/closing-summary.ts';
import { type Ending, EXIT_CODES, EXIT_INTERRUPTED, WAIT_EXIT_CODE } from '../core/ending.ts';
import { RalphError } from '../core/error.ts';
import type { LoopState } from '../core/state.ts';
import { systemFault } from '../core/system-fault.ts';
import type { Mask } from '../core/text/mask.ts';
import type { Driven, LoopEvent } from '../engine/drive.ts';
import type { HostOptions } from '../engine/host.ts';
import { EMPTY_REPLIES } from '../loops/stories/state.ts';
import type { LoopObserver } from '../notify/observer.ts';
import { startSender } from '../notify/start-sender.ts';
import { ifThere } from '../process/files.ts';
import type { Readiness } from '../process/follow.ts';
import { keepAwake } from '../process/keep-awake.ts';
import { collectedStamp, type StateRoot } from '../state/paths.ts';
import { RUNS_BEFORE_OPTIMIZING } from './runs-before-optimizing.ts';
import type { LoopEnd } from './terminal/json-events.ts';
import { type LiveOutput, type OutputFlags, type Verbosity, verbosityOf } from './terminal/live-output.ts';
import type { StatusWords } from './terminal/live-status.ts';
import type { Signals, StopSignals } from './terminal/signals.ts';
import { turnLines } from './terminal/turn-lines.ts';
import { clockTime } from './terminal/words.ts';

export interface LoopConsole<Data> {
  /** Not called for budget warnings, which `tell` shows like any other warning. */
  show(event: Exclude<LoopEvent<Data>, { type: 'budget' }>): void;
  tell(line: string): void;
  /** Whether the reader of the output has kept up. */
  readonly ready: Readiness;
  close(driven: Driven, state: LoopState<Data>, work: WorkState): void;
  readonly live: LiveOutput;
  /** For the status line. */
  readonly words: StatusWords<Data>;
}

export interface TerminalOptions {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly mask: Mask;
  /** Whether stdout shows colours. */
  readonly color: boolean;
  readonly stderrColor: boolean;
  readonly verbosity: Verbosity;
  readonly isDumb: boolean;
  readonly heartbeatMs: number;
  /** The state folder, which contains the loop's journal. */
  readonly root: StateRoot;
}

export function thisTerminal(environment: Environment, flags: OutputFlags = {}): TerminalOptions {
  const { mask, isDumbTerminal: isDumb, heartbeatMs, root } = environment;
  const { stdout, stderr } = process;
  const [color, stderrColor] = [stdout, stderr].map(({ isTTY }) => isTTY && environment.color) as [boolean, boolean];
  return { stdout, stderr, color, mask, verbosity: verbosityOf(flags), stderrColor, isDumb, heartbeatMs, root };
}

export type TerminalPorts<Data> = Required<
  Pick<HostOptions<Data>, 'emit' | 'tell' | 'ready' | keyof StopSignals | 'left'>
>;

export async function inTerminal<Data>(
  loopKind: 'run' | 'swarm' | 'task' | 'job' | 'stories',
  { show, tell, ready, close, live, words }: LoopConsole<Data>,
  { release, ...signals }: Signals,
  host: (ports: TerminalPorts<Data>) => Promise<Driven>,
  { keepAwake: isWanted = true }: AwakeFlags = {},
): Promise<number> {
  // The code of a loop runs only a few times for each agent, and what V8's threads leave in memory makes each start of
  // a program slower. Code that reads an agent's output runs so often that it is optimized anyway.
  setFlagsFromString(RUNS_BEFORE_OPTIMIZING);
  const letSleep = isWanted ? awakeSoon() : null;
  const ends: Parameters<TerminalPorts<Data>['left']>[] = [];
  const follow = live.follow(words);
  let hasBegun = false;
  let isStuck = false;
  /** Warns once, if the loop does nothing else about it. */
  const tellStuck = ({ progress: { stuck }, phase }: LoopState<Data>): void => {
    if (stuck !== null && !isStuck && phase.at === 'wait') tell(`warning: no progress: ${stuck}`);
    isStuck = stuck !== null;
  };
  const observer = await observerFor(tell);
  const emit = (event: LoopEvent<Data>): void => {
    observer?.see(event);
    if (!hasBegun && 'state' in event) tellStarter(event.state.id);
    hasBegun = true;
    follow(event);
    if (event.type === 'budget') tell(`warning: ${budgetWarning(event.use)}`);
    else show(event);
    if (event.type === 'action') for (const line of turnLines(event)) tell(line);
    if (event.type === 'record') {
      tellStuck(event.state);
      const { result } = event.record;
      if (result.kind === 'inputs' && result.unreadPrompt !== undefined)
        tell(`warning: ${result.unreadPrompt}; the loop continues with the text that it read last`);
    }
  };
  try {
    const driven = await host({ emit, tell, ready, ...signals, left: (...end) => void ends.push(end) });
    const code = exitCodeOf(driven, loopKind);
    live.close({ code, driven });
    for (const end of ends) close(driven, ...end);
    await collectGarbage(tell);
    return code;
  } catch (error) {
    observer?.failed(error);
    live.close(endByError(error));
    throw error;
  } finally {
    letSleep?.();
    release();
  }
}

/** Sends notifications about this loop; only loaded if the settings may name receivers. A rehearsal notifies no one. */
async function observerFor(tell: (line: string) => void): Promise<LoopObserver | null> {
  const environment = readEnvironment();
  if (notifyingSettings(environment.variables) === null || isRehearsed(environment.variables)) return null;
  const { loopObserver } = await import('../notify/observer.ts');
  const { stderr } = process;
  return loopObserver({
    environment,
    clock: clockTime,
    tell,
    startSender: () => startSender(environment.variables, import.meta.dirname),
    toTerminal: stderr.isTTY ? (text) => void stderr.write(text) : undefined,
  });
}

export interface AwakeFlags {
  readonly keepAwake?: boolean;
}

/** Keeps the machine awake, but only once the loop has run for a minute: a short one does not need it. */
function awakeSoon(): () => void {
  const { variables, heartbeatMs } = readEnvironment();
  let letSleep = (): void => undefined;
  const timer = setTimeout(() => {
    letSleep = keepAwake(variables, process.cwd());
  }, heartbeatMs);
  return () => {
    clearTimeout(timer);
    letSleep();
  };
}

function endByError(thrown: unknown): LoopEnd {
  const error = thrown instanceof RalphError ? thrown : systemFault(thrown);
  return { error, code: error?.advice.exitCode ?? EXIT_BUG };
}

const EXIT_BUG = 70;

const DAY_MS = 24 * 60 * 60_000;

/** Deletes old loops, once a day. */
async function collectGarbage(tell: (line: string) => void): Promise<void> {
  const environment = readEnvironment();
  const now = Date.now();
  const last = ifThere(() => statSync(collectedStamp(environment.root)).mtimeMs) ?? 0;
  if (Math.abs(now - last) > DAY_MS) await (await import('./loops/gc.ts')).gcAfterLoop({ environment, now }, tell);
}

/** Tells `--detach`, if it still waits, that the loop has begun. No other parent process opens a channel to us. */
function tellStarter(loop: string): void {
  if (process.connected) process.send?.({ loop }, undefined, {}, () => process.disconnect?.());
}

/** Exit codes that seeds prescribe; undefined means the code of the common table. */
const SEED_CODES: Readonly<Record<string, (ending: Ending) => number | undefined>> = {
  swarm: ({ kind }) => (kind === 'done' || kind === 'iteration-limit' ? 0 : 1),
  stories: (ending) => (ending.kind === 'infrastructure' && ending.reason === EMPTY_REPLIES ? 1 : undefined),
  // A job that waits has no result yet, so its caller must not rely on one.
  job: ({ kind }) => (kind === 'waiting' ? WAIT_EXIT_CODE : kind === 'kept-failing' ? 1 : undefined),
};

export function exitCodeOf(driven: Driven, loopKind: string): number {
  if (driven.kind === 'stopped') return EXIT_INTERRUPTED;
  return SEED_CODES[loopKind]?.(driven.ending) ?? EXIT_CODES[driven.ending.kind];
}
