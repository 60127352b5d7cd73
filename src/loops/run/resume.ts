/** `ralph resume` of a run: what a person can change when continuing it, and what prevents that. */
import type { Settings } from '../../config/schema.ts';
import type { LoopTerms } from '../../core/budget/terms.ts';
import { refuseSpent } from '../../core/closing/used-up.ts';
import { defined } from '../../core/defined.ts';
import { canContinue } from '../../core/ending.ts';
import { RalphError } from '../../core/error.ts';
import { continuedProof, placeOf } from '../../core/proof/terms.ts';
import { DEFAULT_ROUNDS } from '../../core/review/review.ts';
import { isOver, type LoopState } from '../../core/state.ts';
import { maskData } from '../../core/text/mask.ts';
import type { Driven } from '../../engine/drive.ts';
import { refuseOutsiders } from '../../engine/fallbacks.ts';
import { type Continuation, hostOf, resumeLoop } from '../../engine/host.ts';
import { endLeftRun } from '../../engine/left-behind/orphans.ts';
import type { OpenLoop } from '../../engine/loop.ts';
import { realWorkFolder } from '../../process/files.ts';
import type { StateRoot } from '../../state/paths.ts';
import { shortName } from '../../state/short-names.ts';
import { isSameChecks, keepsChecks, refuseOtherChecks } from './checks-of-start.ts';
import { findLoop, refuseReached } from './find-loop.ts';
import { inputsFrom, inputsReader, type TakenSettings, takeSettings } from './inputs.ts';
import { agentCommands, type ContinueWith, hostRun, type RunOptions, runTerms, settingsPlace } from './loop.ts';
import type { RunRequest } from './request.ts';
import { runMachine } from './rules.ts';
import type { RunData, RunInputs } from './state.ts';

/** Continues a loop where its records end, also after an ending whose cause may be gone, such as a limit or a login. */
export async function resumeRun(id: string | null, options: RunOptions, change: ContinueWith = {}): Promise<Driven> {
  const { environment } = options;
  const found = findLoop(id, realWorkFolder(options.cwd), environment.root);
  const host = hostOf(environment);
  const place = { cwd: found.cwd, env: host.env };
  const readAgain = (request: RunRequest, masked: RunInputs): RunInputs | undefined => {
    const { inputs } = inputsReader(request, settingsPlace(request, place))(null) as { readonly inputs?: RunInputs };
    if (inputs === undefined || !keepsChecks(request)) return inputs;
    const isSame = isSameChecks(masked, maskData(inputs, environment.mask));
    return isSame ? inputs : { ...inputs, guardrails: masked.guardrails };
  };
  realWorkFolder(found.cwd);
  const prepare = ({ state }: OpenLoop<RunData>) => {
    const { request } = state.data;
    const taken = takeSettings(settingsPlace(request, place), request);
    // A loop that is done only shows again how it ended.
    if (!isOver(state) || canContinue(state.phase.ending)) {
      const asked = { name: shortName(environment.root, found.id), change };
      refuseOtherChecks(state.data, inputsFrom(taken.settings, request, ''), asked);
    }
    const terms = continuedTerms(state, taken, options, change);
    return {
      taken,
      terms,
      change: changeOf(state, change, { settings: taken.settings, terms, root: environment.root }),
    };
  };
  const { loop, taken } = await resumeLoop(runMachine, found, environment, { readAgain, prepare }).catch(
    async (error: unknown) => {
      // If the supervisor was killed, its agent would keep working, with no loop to judge it.
      if (error instanceof RalphError && error.code === 'OTHER_CHECKS') await endLeftRun(environment.root, found);
      throw error;
    },
  );
  return hostRun(loop, host, taken, options, change);
}

function continuedTerms(
  { data: { request }, terms }: LoopState<RunData>,
  { settings }: TakenSettings,
  options: RunOptions,
  { reviewer }: ContinueWith,
): LoopTerms | undefined {
  const own = () => inputsFrom(settings, request, '').agent;
  const known = () => agentCommands(own(), terms.fallbacks ?? [], request);
  if (reviewer !== undefined) refuseOutsiders(request.sandbox?.kind, known(), [reviewer], '--review-agent');
  if (options.fallbacks === undefined) return options.terms;
  refuseOutsiders(request.sandbox?.kind, known(), options.fallbacks);
  return runTerms(options, own(), request);
}

interface Continuing {
  readonly settings: Settings;
  readonly terms: LoopTerms | undefined;
  readonly root: StateRoot;
}

function changeOf(
  state: LoopState<RunData>,
  change: ContinueWith,
  { settings, terms, root }: Continuing,
): Continuation['change'] {
  const { phase, data } = state;
  const isChanged = Object.keys(change).length > 0;
  if (phase.at === 'over' ? !canContinue(phase.ending) : !isChanged) return null;
  const { maximumIterations, reviewer, ...more } = change;
  const name = shortName(root, state.id);
  refuseSpent(state, terms, { at: Date.now(), name, resume: `ralph resume ${name}` });
  // Another reviewer, or other terms of the proof, may let the last claim through without a further iteration.
  const mayJudgeAgain = reviewer !== undefined || Object.keys(more).length > 0;
  const limit = data.request.maximumIterations ?? settings.maximumIterations;
  const otherwise = phase.at === 'over' && !mayJudgeAgain ? limit : Number.POSITIVE_INFINITY;
  refuseReached(state, { given: maximumIterations, otherwise }, root);
  const { proof: known } = data.request;
  // Until the base proof is made, the settings can still correct what a clean checkout needs.
  const isSetAgain = known !== undefined && data.proof.base === null;
  const set = isSetAgain ? placeOf(known, settings.proof) : known;
  const proof = continuedProof(set, more) ?? (set === known ? undefined : set);
  const rounds = data.request.review?.rounds ?? DEFAULT_ROUNDS;
  const review = reviewer === undefined ? undefined : { ...reviewer, rounds };
  const options = defined({ maximumIterations, proof, review });
  return Object.keys(options).length > 0 ? { options } : {};
}
