/** Decides what flags and settings leave open (agent, sandbox, checks), once, when a run begins; the loop keeps it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { missingAgent, rootProblem, versionOf } from '../../agents/command.ts';
import { profileFor } from '../../agents/index.ts';
import { installedAgent, noAgentInstalled, unattendedFlags } from '../../agents/installed.ts';
import { detectChecksIn } from '../../checks/detect.ts';
import { CHECK_KINDS } from '../../checks/index.ts';
import {
  agentIn,
  effectiveSettings,
  hasProjectSettings,
  parseLayers,
  readTexts,
  type Settings,
  type SettingsLayers,
  userSettingsFile,
} from '../../config/settings.ts';
import { RalphError } from '../../core/error.ts';
import { proofTerms, whyIdle } from '../../core/proof/terms.ts';
import { isFields } from '../../core/text/json.ts';
import { orProblem } from '../../engine/loop-plan.ts';
import { chooseSandbox } from '../../engine/sandbox.ts';
import { findProgram } from '../../process/which.ts';
import { whyNoProof } from '../../proof/why-no-proof.ts';
import { NO_SANDBOX, type SandboxRequest } from '../../runners/sandbox/request.ts';
import { guardrailOf, type TakenSettings } from './inputs.ts';
import { CHOOSING_HINT } from './loop-plan.ts';
import { type Chosen, progressDefaults, type RunRequest } from './request.ts';

export interface ResolvedRun {
  readonly request: RunRequest;
  readonly taken: TakenSettings;
  /** Why there is no sandbox, if the strongest available one was wanted. */
  readonly noSandbox: string | null;
  /** Set if a person must agree first: the agent would work unattended and without a sandbox. */
  readonly unprotected: Unprotected | null;
  /** Everything that prevents the loop from beginning. */
  readonly problems: readonly RalphError[];
}

export interface Unprotected {
  readonly agent: string;
  readonly flags: readonly string[];
  readonly reason: string;
  readonly hint: string;
}

export interface ResolvePlace {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly self: readonly [string, ...string[]] | null;
  /** The agents that work while the loop's own is limited; the sandbox is made for them, too. */
  readonly fallbacks?: readonly { readonly agent: string }[];
}

/** `asksVersion`: start the agent to ask for its version, which a dry run does not. */
export async function resolveRun(given: RunRequest, place: ResolvePlace, asksVersion = true): Promise<ResolvedRun> {
  const { cwd, env, self, fallbacks = [] } = place;
  const texts = readTexts(cwd, userSettingsFile(env));
  const layers = parseLayers(texts);
  const hasSettings = hasProjectSettings(layers);
  const named = given.agent ?? agentIn(layers);
  const command = named ?? (hasSettings ? undefined : (installedAgent(env.PATH, cwd) ?? noAgent()).name);
  const settings = effectiveSettings(layers, CHECK_KINDS, command);
  const missing = given.agent === null ? null : whyMissing(given.agent, place);
  const agent = command ?? settings.agent.command;

  const alsoStarted = [...fallbacks, ...(given.review === undefined ? [] : [given.review])].map((one) => one.agent);
  const wanted = { env, agents: [agent, ...alsoStarted], cwd, self };
  const otherwise = hasSettings ? 'none' : 'auto';
  const version = hasSettings || !asksVersion ? null : versionSoon(agent, place);
  const had = await orProblem(chooseSandbox(given.sandbox, settings.sandbox, { ...wanted, otherwise }));
  const isRefused = had instanceof RalphError;
  const { sandbox, noSandbox = null } = isRefused ? { sandbox: refusedSandbox(given, settings) } : had;
  const isFree = !isRefused && sandbox.kind === 'none';

  const own = settings.agent.command === agent ? settings.agent.flags : [];
  const added = hasSettings ? [] : unattendedFlags(agent, own);
  const asksNothing = added.length > 0 || profileFor(agent).asksNothing === true;
  const root = isFree && added.length > 0 ? rootProblem(agent, env) : null;
  const isSaid = given.sandbox?.kind === 'none' || settings.sandbox?.kind === 'none';
  const isUnprotected = !hasSettings && isFree && asksNothing && !isSaid;

  const checks = checksFor(given, settings, layers, cwd);
  const isOther = given.agent !== null && own !== settings.agent.flags;
  const chosen: Chosen = {
    agent: hasSettings && !isOther ? null : { command: agent, flags: [...added, ...own] },
    version: await version,
    ...(hasSettings ? {} : { isUnattended: asksNothing }),
    checks: checks?.guardrails ?? null,
    origins: { agent: agentOrigin(given, named, layers), checks: checks?.origin ?? '' },
  };
  const isAsSet = chosen.agent === null && chosen.checks === null;
  const { prove, ...others } = given;
  const proof = given.proof ?? proofTerms(prove, settings.proof);
  const proving = proof === undefined ? {} : { proof, baseline: given.baseline ?? ('show' as const) };
  return {
    request: { ...others, ...progressDefaults(given), ...proving, sandbox, chosen: isAsSet ? null : chosen },
    taken: { settings, texts },
    noSandbox,
    unprotected: isUnprotected ? await unprotected(agent, added, wanted) : null,
    problems: [
      missing,
      isRefused ? had : null,
      root,
      proof === undefined ? whyIdle(prove, settings.proof) : whyNoProof(cwd, sandbox.kind),
      prove?.isOn === true && (checks ?? settings).guardrails.length === 0 ? nothingToProve() : null,
    ].filter((problem) => problem !== null),
  };
}

/** Only for `--prove`. If just the settings ask for a proof, the loop itself says that nothing is proved. */
function nothingToProve(): RalphError {
  const hint = 'Add --check, or guardrails to .ralph/settings.json, or leave out --prove.';
  return new RalphError('NO_PROOF', '--prove runs your checks in a clean checkout, and there are none', { hint });
}

/** The error if no person agrees to run without a sandbox. */
export function notBegun({ agent, reason, hint }: Unprotected): RalphError {
  return new RalphError('NO_SANDBOX', `${agent} would work unattended without a sandbox: ${reason}`, { hint });
}

async function unprotected(agent: string, flags: readonly string[], wanted: Parameters<typeof chooseSandbox>[2]) {
  try {
    await chooseSandbox({ ...NO_SANDBOX, kind: 'os' }, undefined, wanted);
    throw new Error('a sandbox is available, but was not chosen');
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    return { agent, flags, reason: error.message, hint: error.advice.hint ?? 'To run without one: --no-sandbox' };
  }
}

/** Flags first, then settings; checks are detected from the project's files only if it has no settings. */
function checksFor(given: RunRequest, { guardrails }: Settings, layers: SettingsLayers, cwd: string) {
  if (given.checks !== null) return { guardrails: given.checks.map(guardrailOfCommand), origin: '--check' };
  if (hasProjectSettings(layers)) return null;
  const { user } = layers;
  const isOfUser = isFields(user?.layer) && 'guardrails' in user.layer;
  if (isOfUser) return { guardrails: guardrails.map(guardrailOf), origin: user?.file ?? '' };
  const found = detectChecksIn(cwd);
  return { guardrails: (found?.commands ?? []).map(guardrailOfCommand), origin: found?.file ?? '' };
}

const guardrailOfCommand = (command: string) => guardrailOf({ command, failAction: 'APPEND' });

function agentOrigin({ agent }: RunRequest, named: string | undefined, { user }: SettingsLayers): string {
  if (agent !== null) return '--agent';
  return named === undefined ? 'installed' : (user?.file ?? '');
}

function noAgent(): never {
  throw noAgentInstalled();
}

function whyMissing(command: string, { cwd, env }: ResolvePlace): RalphError | null {
  if (findProgram(command, env.PATH, cwd) !== null) return null;
  const { reason, hint } = missingAgent(command, { path: env.PATH, cwd, choosingHint: CHOOSING_HINT });
  return new RalphError('NO_AGENT', reason, { hint });
}

/** The sandbox that was asked for, although it is not available. */
function refusedSandbox({ sandbox }: RunRequest, settings: Settings): SandboxRequest {
  const { kind = null } = settings.sandbox ?? {};
  return { ...NO_SANDBOX, ...sandbox, kind: sandbox?.kind ?? kind };
}

/** How long the first lines of a loop wait for the agent's version. */
const VERSION_WITHIN_MS = 1000;

async function versionSoon(command: string, { cwd, env }: ResolvePlace): Promise<string | null> {
  const profile = profileFor(command);
  const path = profile.install === null ? null : findProgram(command, env.PATH, cwd);
  if (path === null) return null;
  const asking = new AbortController();
  const late = sleep(VERSION_WITHIN_MS, null, { signal: asking.signal }).catch(() => null);
  const version = await Promise.race([versionOf(profile, path, env, asking.signal), late]);
  asking.abort();
  return version;
}
