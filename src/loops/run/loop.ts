/**
 * Begins and hosts a `ralph run` loop: connects its rules and inputs with the performers of this machine. `resume.ts`
 * continues one.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../config/schema.ts';
import { LOCAL_FILE, SETTINGS_FILE, userSettingsFile } from '../../config/settings.ts';
import type { LoopTerms } from '../../core/budget/terms.ts';
import { defined } from '../../core/defined.ts';
import { RalphError } from '../../core/error.ts';
import { type Finding, warning } from '../../core/finding.ts';
import type { ProofChange } from '../../core/proof/terms.ts';
import { isOver } from '../../core/state.ts';
import type { Driven } from '../../engine/drive.ts';
import { type FallbackSpec, type StartedAgent, termsWith } from '../../engine/fallbacks.ts';
import type { Closing, HostOptions, LoopWorld } from '../../engine/host.ts';
import { beginLoop, hostLoop, hostOf } from '../../engine/host.ts';
import type { OpenLoop } from '../../engine/loop.ts';
import { checkPlan } from '../../engine/loop-plan.ts';
import type { LocalPerformers, Perform, StepPerformers } from '../../engine/performers/perform.ts';
import { localPerformers, performerOf } from '../../engine/performers/performers.ts';
import { proofSteps, warnOfUnmatched } from '../../engine/performers/proof-steps.ts';
import type { ProofPlace } from '../../engine/performers/prove.ts';
import { reviewDiff } from '../../engine/reviewer.ts';
import { openSandbox } from '../../engine/sandbox.ts';
import { realWorkFolder } from '../../process/files.ts';
import type { Host } from '../../process/host.ts';
import type { Runner } from '../../runners/runner.ts';
import { excludeFromGit, LOGS, workState } from '../../scm/git.ts';
import { unmakeWorktree } from '../../scm/worktree.ts';
import { loopFolder, newLoopId, refusedLooks, rootOf } from '../../state/paths.ts';
import { shortName } from '../../state/short-names.ts';
import { resumingLine } from './find-loop.ts';
import {
  inputsFrom,
  inputsReader,
  otherFlags,
  readPrompt,
  type SettingsPlace,
  type TakenSettings,
  withKeptPrompt,
} from './inputs.ts';
import { loopPlan, warnOfUncommitted, whyUncheckable } from './loop-plan.ts';
import type { RunRequest } from './request.ts';
import { notBegun, resolveRun, type Unprotected } from './resolve.ts';
import { runMachine } from './rules.ts';
import type { RunData, RunInputs, RunSteps } from './state.ts';
import { mentionsResponse } from './work-prompt.ts';
import { INCLUDE_FILE, newWorktree } from './worktree.ts';

export type RunOptions = Omit<HostOptions<RunData>, 'self' | 'tell'> &
  Partial<Pick<HostOptions<RunData>, 'self' | 'tell'>> & {
    readonly cwd: string;
    /** Work in a new git worktree, on a new branch, which is named after the task unless `branch` is given. */
    readonly worktree?: { readonly branch?: string | undefined } | undefined;
    /** Asks a person whether an agent may work unattended without a sandbox; absent if no person can be asked. */
    readonly allow?: (unprotected: Unprotected) => Promise<boolean>;
  };

/** What a person changes when continuing a loop. */
export type ContinueWith = Partial<Pick<RunRequest, 'maximumIterations'>> &
  ProofChange & {
    /** The reviewer from now on. */
    readonly reviewer?: FallbackSpec;
  };

export const GRACE_MS = 5000;

export async function runLoop(given: RunRequest, options: RunOptions): Promise<Driven> {
  const { environment } = options;
  const cwd = realWorkFolder(options.cwd);
  // Mistakes in the settings or the prompt's path must show before anything is created.
  const asked = await withKeptPrompt(given, cwd, AbortSignal.any([options.stop, options.cancel]));
  const host = hostOf(environment);
  const { env } = host;
  const resolvePlace = { cwd, env, self: options.self ?? null, fallbacks: options.fallbacks ?? [] };
  const { request, taken, noSandbox, unprotected, problems } = await resolveRun(asked, resolvePlace);
  const inputs = unlessProblem(problems, () => inputsFrom(taken.settings, request, readPrompt(request, cwd)));
  const terms = withPrices(runTerms(options, inputs.agent, request), taken.settings);
  const planned = { cwd, env, request, inWorktree: options.worktree !== undefined, ...defined({ terms }) };
  checkPlan(options.preflight, loopPlan(inputs, planned, problems));
  if (unprotected !== null && (await options.allow?.(unprotected)) !== true) throw notBegun(unprotected);
  if (noSandbox !== null && request.chosen?.isUnattended !== true) options.tell?.(`No sandbox: ${noSandbox}`);
  const id = newLoopId(Date.now());
  const worktree = options.worktree === undefined ? null : await worktreeFor(id, asked, { ...options, cwd });
  const place = worktree?.cwd ?? cwd;
  const files = [SETTINGS_FILE, LOCAL_FILE].map((file) => (worktree === null ? file : join(cwd, file)));
  const userFile = userSettingsFile(host.env);
  const pins = userFile === null ? files : [...files, userFile];
  const own = worktree === null ? {} : { worktree: { from: cwd, branch: worktree.made.branch } };
  const created = {
    id,
    loopKind: 'run',
    cwd: place,
    pins,
    options: { ...request, ...own },
    ...defined({ terms }),
  };
  try {
    const uncheckable = worktree === null ? null : whyUncheckable(inputs, place, env);
    if (uncheckable !== null) throw uncheckable;
    const loop = beginLoop(runMachine, created, environment);
    const unasked = unaskedWarning(inputs);
    if (unasked !== null) options.preflight?.warn(unasked);
    const idle = idleWitnesses(inputs, request);
    if (idle !== null) options.preflight?.warn(idle);
    return await hostRun(loop, host, taken, options);
  } catch (error) {
    // A loop that never began leaves nothing behind.
    if (worktree !== null && !existsSync(loopFolder(environment.root, id))) {
      await unmakeWorktree(worktree.made, environment.variables);
    }
    throw error;
  }
}

export function runTerms(options: Pick<RunOptions, 'terms' | 'fallbacks'>, own: StartedAgent, request: RunRequest) {
  return termsWith(options, own, otherFlags(own, request));
}

/** The settings can switch off costs in dollars, but then a budget in dollars (`--max-cost`) cannot work. */
function withPrices(terms: LoopTerms | undefined, { prices = true }: Pick<Settings, 'prices'>): LoopTerms | undefined {
  if (prices) return terms;
  if (terms?.budget?.costUsd === undefined) return { ...terms, prices: false };
  throw new RalphError('NO_PRICES', '--max-cost needs dollars, and the settings say "prices": false', {
    hint: 'Use --max-tokens, or remove "prices" from the settings.',
  });
}

/** Reports a known problem, such as a missing agent, rather than an error in the flags for that agent. */
function unlessProblem<Gives>([problem]: readonly RalphError[], make: () => Gives): Gives {
  try {
    return make();
  } catch (error) {
    throw problem ?? error;
  }
}

async function worktreeFor(
  id: string,
  request: RunRequest,
  { cwd, worktree, environment, tell, preflight }: RunOptions,
) {
  const asked = { branch: worktree?.branch ?? null, task: readPrompt(request, cwd), name: id.slice(-8, -4) };
  const made = await newWorktree(cwd, asked, environment.variables);
  tell?.(`Worktree: ${made.made.path}`);
  tell?.(`Branch: ${made.made.branch}`);
  const [first, ...more] = made.leftBehind;
  if (first !== undefined) {
    const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
    const what = `ignored files are not in the worktree: ${first}${others}`;
    preflight?.warn(warning(what, `name those you need in ${INCLUDE_FILE}`));
  }
  return made;
}

/** The commands of all agents that the loop may start; its sandbox is made for them. */
export function agentCommands(own: StartedAgent, others: readonly StartedAgent[], { review }: RunRequest): string[] {
  return [...[own, ...others].map(({ command }) => command), ...(review === undefined ? [] : [review.agent])];
}

/** A loop in a worktree still reads settings and prompt files from the directory where it was started. */
export function settingsPlace(
  { worktree }: RunRequest,
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): SettingsPlace {
  return { cwd: worktree?.from ?? cwd, userFile: userSettingsFile(env) };
}

export function hostRun(
  loop: OpenLoop<RunData>,
  host: Host,
  taken: TakenSettings,
  { self = null, ...options }: RunOptions,
  change?: ContinueWith,
): Promise<Driven> {
  const { state, folder } = loop;
  const { id, cwd, data } = state;
  const { settings } = taken;
  const { tell, environment } = options;
  const { fallbacks = [] } = state.terms;
  const open = async (closing: Closing): Promise<LoopWorld> => {
    // For a new loop, `runLoop` has already checked the plan.
    if (!isOver(state) && change !== undefined) {
      tell?.(resumingLine(state, environment.root));
      const place = { cwd, env: host.env, request: data.request, terms: { fallbacks } };
      checkPlan(options.preflight, loopPlan(inputsFrom(settings, data.request, ''), place));
    }
    const { request } = data;
    const where = { loop: { id, folder }, cwd, stateRoot: environment.root.path, self, runner: request.runner };
    const agents = agentCommands(request.chosen?.agent ?? settings.agent, fallbacks, request);
    const isolation = await openSandbox(request.sandbox, {
      ...where,
      ...defined({ warn: tell }),
      agents,
      host,
      grace: GRACE_MS,
    });
    closing.add(() => isolation.runner.close());
    // Otherwise the first lines name the sandbox together with the agent.
    if (!isOver(state) && request.chosen?.isUnattended === undefined) tell?.(isolation.says);
    const paths = change === undefined ? request.proof : { pins: [], allowEdit: change.allowEdit ?? [] };
    await warnOfUnmatched(paths, { ...where, ...options, host });
    // In a continued loop, uncommitted files are its own.
    const beginning = { cwd, proves: request.proof !== undefined };
    if (change === undefined) await warnOfUncommitted(settings, beginning, isolation.host, options.preflight);
    excludeFromGit(cwd, LOGS);
    return {
      perform: runPerformers(
        { ...where, request, proving: { ...where, host, ...defined({ warn: tell }) } },
        isolation.host,
        isolation.runner,
        taken,
      ),
      work: () => workState(cwd, isolation.host, refusedLooks(folder)),
      snapshots: { cwd, env: isolation.host.env, tell },
    };
  };
  const resume = `ralph resume ${shortName(environment.root, id)}`;
  return hostLoop(loop, { machine: runMachine, resume, orphans: { grace: GRACE_MS }, open }, options);
}

/** With seed 001's flags, the prompt is sent unchanged; if it asks for no response, the loop runs to its limit. */
function unaskedWarning({ prompt, asksForResponse, completionResponse }: RunInputs): Finding | null {
  if (asksForResponse === true || mentionsResponse(prompt)) return null;
  const what = `the prompt does not ask for <response>${completionResponse}</response>`;
  return warning(what, 'without that answer the loop continues to its limit');
}

/** Only a loop with proofs tests that its witnesses fail before the work. */
function idleWitnesses({ guardrails }: RunInputs, { proof }: RunRequest): Finding | null {
  const witnesses = proof === undefined ? guardrails.filter(({ isWitness }) => isWitness === true) : [];
  if (witnesses.length === 0) return null;
  const names = witnesses.map(({ command }) => command).join(', ');
  return warning(`"witness" has no effect without a proof: ${names}`, 'add --prove, or "proof": {} to the settings');
}

/** The performers of a `run` loop on this machine; the fleet's worker uses them, too. */
export function runPerformers(run: RunPlace, host: Host, runner: Runner, taken?: TakenSettings): Perform {
  const { loop, cwd, request, proving } = run;
  const read = inputsReader(request, settingsPlace(request, { cwd, env: host.env }), taken);
  const local = localPerformers({ loop, cwd, host, runner, grace: GRACE_MS });
  const around = { host, self: null, stateRoot: rootOf(loop.folder).path, ...proving };
  const place = { ...around, loop, cwd, sandbox: request.sandbox, grace: GRACE_MS };
  const steps: StepPerformers<RunSteps> = { ...proofSteps(place), diff: reviewDiff(loop.folder, host.env) };
  // `given` is what `inputsGiven` of these rules returns: a number.
  return performerOf({ ...local, readInputs: ({ known, given }) => read(known, given as number), steps });
}

type RunPlace = Pick<LocalPerformers, 'loop' | 'cwd'> & {
  readonly request: RunRequest;
  /** Where proofs are made: outside the agent's sandbox. */
  readonly proving?: Pick<ProofPlace, 'host' | 'self' | 'stateRoot' | 'warn'>;
};
