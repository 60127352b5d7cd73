/** Composes `ralph run`: its rules, its inputs and the performers of this machine around one loop. */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../config/environment.ts';
import { effectiveSettings, parseLayers, readTexts, type Settings, type SettingsTexts } from '../../config/settings.ts';
import type { WorkState } from '../../core/closing-summary.ts';
import { canContinue } from '../../core/ending.ts';
import { RalphError } from '../../core/error.ts';
import { loopMachine } from '../../core/machine.ts';
import { isOver, type LoopState } from '../../core/state.ts';
import { reasonOf } from '../../core/system-fault.ts';
import { type Driven, drive } from '../../engine/drive.ts';
import type { LoopEvent } from '../../engine/events.ts';
import { continueLoop, createLoop, type LoopHome, type OpenLoop, reopenLoop } from '../../engine/loop.ts';
import { endOrphans } from '../../engine/orphans.ts';
import type { Perform } from '../../engine/perform.ts';
import { localPerformers, performerOf } from '../../engine/performers.ts';
import type { Readiness } from '../../process/follow.ts';
import { type Host, thisHost } from '../../process/host.ts';
import { type Isolation, isolate, resolveSandbox } from '../../runners/choose.ts';
import type { Runner } from '../../runners/runner.ts';
import { excludeFromGit } from '../../scm/exclude.ts';
import { workState } from '../../scm/work-state.ts';
import { newLoopId } from '../../state/loop-id.ts';
import { findLoop, refuseReached, resumingLine } from './find-loop.ts';
import { inputsReader } from './inputs.ts';
import { refuseUncheckable, scmWarning } from './preflight.ts';
import { withKeptPrompt } from './prompt.ts';
import { type RunData, type RunRequest, runRules } from './rules.ts';

export interface RunOptions {
  readonly cwd: string;
  readonly environment: Environment;
  readonly release: string;
  readonly emit: (event: LoopEvent<RunData>) => void;
  readonly ready?: Readiness;
  readonly stop: AbortSignal;
  readonly cancel: AbortSignal;
  /** The command line that starts this program; a sandbox needs it. */
  readonly self?: readonly [string, ...string[]];
  /** Says something about the loop before it turns. */
  readonly tell?: (line: string) => void;
  /** Gets what is there at the end, however the loop was left. */
  readonly left?: (state: LoopState<RunData>, work: WorkState) => void;
}

/** With what else than before a loop is continued. */
export type ContinueWith = Partial<Pick<RunRequest, 'maximumIterations'>>;

export interface RunPlace {
  readonly id: string;
  readonly cwd: string;
  /** Where the runs' folders go. */
  readonly folder: string;
  readonly request: RunRequest;
}

/** How long a program has between SIGTERM and SIGKILL. */
export const GRACE_MS = 5000;
export const runMachine = loopMachine(runRules);

export async function runLoop(given: RunRequest, options: RunOptions): Promise<Driven> {
  const { environment, release } = options;
  const cwd = workTree(options.cwd);
  // A mistake in the settings or the prompt's path shows before anything is made.
  const asked = await withKeptPrompt(given, cwd, AbortSignal.any([options.stop, options.cancel]));
  const taken = takeSettings(cwd);
  inputsReader(asked, cwd, taken.texts)(null);
  const { settings } = taken;
  const now = Date.now();
  const host = hostOf(environment);
  refuseUncheckable(settings, cwd, host.env);
  const agent = settings.agent.command;
  const wanted = { env: host.env, agent, cwd, self: options.self ?? null };
  const { request: sandbox, passedOver } = await resolveSandbox(asked.sandbox, settings.sandbox, wanted);
  if (passedOver.os !== null) options.tell?.(`No sandbox: ${passedOver.docker}; ${passedOver.os}`);
  const request = { ...asked, sandbox };
  const created = { id: newLoopId(now), loopKind: 'run', cwd, release, options: request };
  const loop = createLoop(runMachine, created, now, homeOf(environment, host));
  await endOrphans(environment.root, { cwd, except: loop.state.id }, GRACE_MS);
  return turn(loop, host, taken, options);
}

/**
 * Continues a loop where its records end, also after an ending whose reason may be gone (a limit, a login, a missing
 * program); without an id, the newest one of the directory that is not done.
 */
export async function resumeRun(id: string | null, options: RunOptions, change: ContinueWith = {}): Promise<Driven> {
  const { environment } = options;
  const found = findLoop(id, workTree(options.cwd), environment.root);
  const host = hostOf(environment);
  const readAgain = (request: RunRequest) => inputsReader(request, found.cwd)(null).inputs;
  const taken = takeSettings(found.cwd);
  const loop = reopenLoop(runMachine, found.id, found.cwd, homeOf(environment, host), readAgain);
  return turn(continued(loop, change), host, taken, options, resumingLine);
}

/** The settings as the loop was started or resumed with them: whatever asks about them from here on gets these. */
interface TakenSettings {
  readonly settings: Settings;
  readonly texts: SettingsTexts;
}

function takeSettings(cwd: string): TakenSettings {
  const texts = readTexts(cwd);
  return { settings: effectiveSettings(parseLayers(texts)), texts };
}

function continued(loop: OpenLoop<RunData>, change: ContinueWith): OpenLoop<RunData> {
  const { phase } = loop.state;
  const isChanged = Object.keys(change).length > 0;
  if (phase.at === 'over' ? !canContinue(phase.ending) : !isChanged) return loop;
  try {
    refuseReached(loop.state, change.maximumIterations);
  } catch (error) {
    loop.close();
    throw error;
  }
  return continueLoop(runMachine, loop, isChanged ? { ...change } : undefined, Date.now());
}

function workTree(cwd: string): string {
  try {
    return realpathSync(cwd);
  } catch (error) {
    throw new RalphError('WORK_TREE', `cannot work in ${cwd}: ${reasonOf(error)}`, { exitCode: 2 });
  }
}

async function turn(
  loop: OpenLoop<RunData>,
  host: Host,
  { settings, texts }: TakenSettings,
  options: RunOptions,
  opening?: (state: LoopState<RunData>) => string,
): Promise<Driven> {
  const { state, folder } = loop;
  const { id, cwd } = state;
  const { request } = state.data;
  let isolation: Isolation | null = null;
  let last = state;
  const emit = (event: LoopEvent<RunData>): void => {
    if (event.type === 'record') last = event.state;
    options.emit(event);
  };
  try {
    if (!isOver(state)) {
      if (opening !== undefined) options.tell?.(opening(state));
      refuseUncheckable(settings, cwd, host.env);
    }
    isolation = await isolationOf(loop, host, settings, options);
    if (!isOver(state)) {
      options.tell?.(isolation.says);
      const warning = scmWarning(settings, cwd, host.env);
      if (warning !== null) options.tell?.(warning);
    }
    const perform = runPerformers({ id, cwd, folder, request }, isolation.host, isolation.runner, texts);
    excludeFromGit(state.cwd, '**/.ralph/*.log');
    const driven = await drive(runMachine, loop, {
      ...options,
      perform,
      now: Date.now,
      emit,
      resume: `ralph resume ${id}`,
    });
    options.left?.(last, await workState(cwd, isolation.host, join(folder, 'refused-looks')));
    return driven;
  } finally {
    await isolation?.runner.close();
    loop.close();
  }
}

function isolationOf(
  { state, folder }: OpenLoop<RunData>,
  host: Host,
  settings: Settings,
  options: RunOptions,
): Promise<Isolation> {
  const { id, cwd, data } = state;
  const { runner, sandbox } = data.request;
  const { command: agent } = settings.agent;
  const { environment, self = null } = options;
  const where = { loop: { id, folder }, cwd, stateRoot: environment.root.path, agent, self };
  return isolate(sandbox, { ...where, host, grace: GRACE_MS, runner });
}

/** What this machine does for a `run` loop, whoever turns its machine. */
export function runPerformers(loop: RunPlace, host: Host, runner: Runner, taken?: SettingsTexts): Perform {
  const { id, cwd, folder, request } = loop;
  const read = inputsReader(request, cwd, taken);
  const local = localPerformers({ loop: { id, folder }, cwd, host, runner, grace: GRACE_MS, now: Date.now });
  return performerOf({ ...local, readInputs: ({ known }) => read(known) });
}

function homeOf({ root }: Environment, { place, mask }: Host): LoopHome {
  return { root, place, mask };
}

function hostOf({ variables, containment }: Environment): Host {
  return thisHost(variables, containment);
}
