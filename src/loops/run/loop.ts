/** Composes `ralph run`: its rules, its inputs and the performers of this machine around one loop. */
import { accessSync, constants, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { LOCAL_FILE, SETTINGS_FILE, type Settings } from '../../config/settings.ts';
import { canContinue } from '../../core/ending.ts';
import { RalphError } from '../../core/error.ts';
import { loopMachine } from '../../core/machine.ts';
import { isOver, type LoopState } from '../../core/state.ts';
import { reasonOf } from '../../core/system-fault.ts';
import { voidEarlierCommands } from '../../engine/control.ts';
import type { Driven } from '../../engine/drive.ts';
import type { Closing, HostOptions, LoopWorld } from '../../engine/host.ts';
import { beginLoop, hostLoop, hostOf } from '../../engine/host.ts';
import { continueLoop, type OpenLoop, reopenLoop } from '../../engine/loop.ts';
import { endOrphans } from '../../engine/orphans.ts';
import type { LocalPerformers, Perform } from '../../engine/performers/perform.ts';
import { localPerformers, performerOf } from '../../engine/performers/performers.ts';
import { chooseSandbox, openSandbox } from '../../engine/sandbox.ts';
import { makeFolders } from '../../process/files.ts';
import type { Host } from '../../process/host.ts';
import { findProgram } from '../../process/which.ts';
import type { Runner } from '../../runners/runner.ts';
import { excludeFromGit, workState } from '../../scm/git.ts';
import { findGit } from '../../state/git-place.ts';
import { findLoop, refuseReached, resumingLine } from './find-loop.ts';
import { inputsReader, type TakenSettings, takeSettings, withKeptPrompt } from './inputs.ts';
import { type RunData, type RunRequest, runRules } from './rules.ts';

export type RunOptions = Omit<HostOptions<RunData>, 'self' | 'tell'> &
  Partial<Pick<HostOptions<RunData>, 'self' | 'tell'>> & { readonly cwd: string };

/** With what else than before a loop is continued. */
export type ContinueWith = Partial<Pick<RunRequest, 'maximumIterations'>>;

type RunState = LoopState<RunData>;

export const GRACE_MS = 5000;
export const runMachine = loopMachine(runRules);

export async function runLoop(given: RunRequest, options: RunOptions): Promise<Driven> {
  const { environment } = options;
  const cwd = workTree(options.cwd);
  // A mistake in the settings or the prompt's path shows before anything is made.
  const asked = await withKeptPrompt(given, cwd, AbortSignal.any([options.stop, options.cancel]));
  const taken = takeSettings(cwd);
  inputsReader(asked, cwd, taken)(null);
  const { settings } = taken;
  const host = hostOf(environment);
  refuseUncheckable(settings, cwd, host.env);
  const wanted = { env: host.env, agents: [settings.agent.command], cwd, self: options.self ?? null };
  const { sandbox, noSandbox } = await chooseSandbox(asked.sandbox, settings.sandbox, wanted);
  if (noSandbox !== undefined) options.tell?.(`No sandbox: ${noSandbox}`);
  const pins = [SETTINGS_FILE, LOCAL_FILE];
  const created = { loopKind: 'run', cwd, pins, options: { ...asked, sandbox } };
  const loop = beginLoop(runMachine, created, environment);
  await endOrphans(environment.root, { cwd, except: loop.state.id }, GRACE_MS);
  return hostRun(loop, host, taken, options);
}

/** Continues a loop where its records end, also after an ending whose reason may be gone: a limit, a login … */
export async function resumeRun(id: string | null, options: RunOptions, change: ContinueWith = {}): Promise<Driven> {
  const { environment } = options;
  const found = findLoop(id, workTree(options.cwd), environment.root);
  const host = hostOf(environment);
  const readAgain = (request: RunRequest) => inputsReader(request, found.cwd)(null).inputs;
  workTree(found.cwd);
  const taken = takeSettings(found.cwd);
  const loop = reopenLoop(runMachine, found.id, found.cwd, environment, readAgain);
  voidEarlierCommands(loop.folder);
  return hostRun(continued(loop, change), host, taken, options, resumingLine);
}

function continued(loop: OpenLoop<RunData>, change: ContinueWith): OpenLoop<RunData> {
  const { phase } = loop.state;
  const isChanged = Object.keys(change).length > 0;
  if (phase.at === 'over' ? !canContinue(phase.ending) : !isChanged) return loop;
  try {
    refuseReached(loop.state, change.maximumIterations);
    return continueLoop(runMachine, loop, isChanged ? { ...change } : undefined);
  } catch (error) {
    loop.close();
    throw error;
  }
}

function workTree(cwd: string): string {
  try {
    return realpathSync(cwd);
  } catch (error) {
    const hint = 'Change to a directory that exists, or make it again.';
    throw new RalphError('WORK_TREE', `cannot work in ${cwd}: ${reasonOf(error)}`, { hint });
  }
}

function hostRun(
  loop: OpenLoop<RunData>,
  host: Host,
  taken: TakenSettings,
  { self = null, ...options }: RunOptions,
  opening?: (state: RunState) => string,
): Promise<Driven> {
  const { state, folder } = loop;
  const { id, cwd, data } = state;
  const { settings } = taken;
  const { tell, environment } = options;
  const open = async (closing: Closing): Promise<LoopWorld> => {
    // A loop that is begun was looked at before.
    if (!isOver(state) && opening !== undefined) {
      tell?.(opening(state));
      refuseUncheckable(settings, cwd, host.env);
    }
    const { request } = data;
    const where = { loop: { id, folder }, cwd, stateRoot: environment.root.path, self, runner: request.runner };
    const agents = [settings.agent.command];
    const isolation = await openSandbox(request.sandbox, { ...where, agents, host, grace: GRACE_MS });
    closing.add(() => isolation.runner.close());
    if (!isOver(state)) {
      tell?.(isolation.says);
      const warning = scmWarning(settings, cwd, host.env);
      if (warning !== null) tell?.(warning);
    }
    excludeFromGit(cwd, '**/.ralph/*.log');
    return {
      perform: runPerformers({ ...where, request }, isolation.host, isolation.runner, taken),
      work: () => workState(cwd, isolation.host, join(folder, 'refused-looks')),
      snapshots: { cwd, env: isolation.host.env, tell },
    };
  };
  return hostLoop(loop, { machine: runMachine, resume: `ralph resume ${id}`, open }, options);
}

/** What guardrails need: a pipe for their output, and a folder for their logs. */
function refuseUncheckable({ guardrails }: Settings, cwd: string, env: NodeJS.ProcessEnv): void {
  if (guardrails.length === 0) return;
  if (findProgram('mkfifo', env.PATH, cwd) === null) {
    throw new RalphError('MKFIFO', 'guardrails cannot be run: mkfifo is not installed', {
      hint: 'Install it (it is part of coreutils), or add its folder to PATH.',
    });
  }
  const folder = join(cwd, '.ralph');
  try {
    makeFolders(folder);
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new RalphError('LOG_FOLDER', `cannot write the logs of guardrails to ${folder}: ${reasonOf(error)}`, {
      hint: 'Make it writable, then run the command again.',
    });
  }
}

/** An agent may still make the repository, so the loop begins all the same. */
function scmWarning({ scm }: Settings, cwd: string, env: NodeJS.ProcessEnv): string | null {
  if (scm === undefined || scm.tasks.length === 0) return null;
  const { command } = scm;
  const tasks = scm.tasks.map((task) => `${command} ${task}`).join(', ');
  if (findProgram(command, env.PATH, cwd) === null) {
    return `warning: scm.command is not installed: ${command} (${tasks} will fail)`;
  }
  if (basename(command) !== 'git' || findGit(cwd) !== null) return null;
  return `warning: ${cwd} is not in a git repository (${tasks} will fail); to make it one, run: git init`;
}

/** What this machine does for a `run` loop; the fleet's worker uses it, too. */
export function runPerformers(run: RunPlace, host: Host, runner: Runner, taken?: TakenSettings): Perform {
  const { loop, cwd, request } = run;
  const read = inputsReader(request, cwd, taken);
  const local = localPerformers({ loop, cwd, host, runner, grace: GRACE_MS });
  // What is given comes from this loop kind's own rules.
  return performerOf({ ...local, readInputs: ({ known, given }) => read(known, given as number) });
}

type RunPlace = Pick<LocalPerformers, 'loop' | 'cwd'> & { readonly request: RunRequest };
