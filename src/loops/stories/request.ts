/** What a stories loop is started with: flags, the seed's defaults for them, and the agents that follow from them. */
import { AGENTS, DEFAULT_AGENT, profileFor } from '../../agents/index.ts';
import type { AgentChoice } from '../../core/action.ts';
import type { LoopTerms } from '../../core/budget/terms.ts';
import { RalphError } from '../../core/error.ts';
import { OUTAGE_BUDGET, type OutagePolicy } from '../../core/faults/outage.ts';
import type { ProofTerms } from '../../core/proof/proof.ts';
import type { ProveRequest } from '../../core/proof/terms.ts';
import type { OnBlocked } from '../../core/rules.ts';
import { formatDuration } from '../../core/text/duration.ts';
import { quoteWord } from '../../core/text/quote-word.ts';
import type { Duration } from '../../core/time.ts';
import { type FallbackSpec, termsWith } from '../../engine/fallbacks.ts';
import type { SandboxRequest } from '../../runners/sandbox/request.ts';
import { DEFAULT_REVIEW_CAP } from './list/active-file.ts';
import type { IterationMode } from './list/allowed-changes.ts';

export interface StoriesRequest {
  readonly ralphDir: string;
  readonly maxIterations: number;
  readonly agent: string;
  readonly model: string | null;
  /** Ends an agent that runs longer; null: never. */
  readonly agentTimeoutMs: Duration | null;
  /** The agent for reviews; null: the one that implements, with a fresh context. */
  readonly reviewAgent: string | null;
  readonly reviewModel: string | null;
  readonly skipReview: boolean;
  readonly reviewCap: number;
  readonly backoffUnitMs: Duration;
  /** Ends the loop after this many iterations in a row without a commit; null: never. */
  readonly stuckAfter: number | null;
  /** False: only the agents run `verifyCommands`, as in the seed. */
  readonly verify: boolean;
  readonly verifyTimeoutMs: Duration;
  readonly answer: string | null;
  /** Resolved when the loop begins; null before that if no flag was given. */
  readonly sandbox: SandboxRequest | null;
  /** The agents that work while one of the loop's own is limited. */
  readonly fallbacks?: readonly FallbackSpec[];
  /** How faults from outside are waited out; absent in loops of older releases. */
  readonly outages?: Omit<OutagePolicy, 'unitMs'>;
  /** Prove approved work in a clean checkout; absent if green commands in the work tree are enough. */
  readonly proof?: ProofTerms;
  /** No proof was asked for, but one seems possible: if it cannot be made, the loop continues without. */
  readonly provesIfPossible?: true;
  /** The same as given by flags, until `resolveStories` has combined it with the settings. */
  readonly prove?: ProveRequest;
  /** What to do if an agent needs a person; absent: end the loop, as in the seed. */
  readonly onBlocked?: OnBlocked;
}

const DEFAULTS: StoriesRequest = {
  ralphDir: 'ralph',
  maxIterations: 15,
  agent: DEFAULT_AGENT,
  model: null,
  agentTimeoutMs: null,
  reviewAgent: null,
  reviewModel: null,
  skipReview: false,
  reviewCap: DEFAULT_REVIEW_CAP,
  backoffUnitMs: 1000,
  stuckAfter: null,
  verify: true,
  // Longer than most test suites take, but a command that waits for input must not block the loop for ever.
  verifyTimeoutMs: 30 * 60_000,
  answer: null,
  sandbox: null,
  outages: { waits: true, budgetMs: OUTAGE_BUDGET },
};

export function storiesRequest(given: Partial<StoriesRequest>): StoriesRequest {
  const request = { ...DEFAULTS, ...given };
  refuseBelowOne('--max-iterations', request.maxIterations);
  refuseBelowOne('--review-cap', request.reviewCap);
  if (request.stuckAfter !== null) refuseBelowOne('--stuck-after', request.stuckAfter);
  return request;
}

export function sandboxOf({ sandbox }: StoriesRequest): 'none' | 'os' | 'docker' {
  return sandbox?.kind === 'os' || sandbox?.kind === 'docker' ? sandbox.kind : 'none';
}

export function isSandboxed(request: StoriesRequest): boolean {
  return sandboxOf(request) !== 'none';
}

const FLAGS = [
  ['--ralph-dir', 'ralphDir'],
  ['-n', 'maxIterations'],
  ['-m', 'model'],
  ['--agent', 'agent'],
  ['--timeout', 'agentTimeoutMs'],
  ['--review-agent', 'reviewAgent'],
  ['--review-model', 'reviewModel'],
  ['--skip-review', 'skipReview'],
  ['--review-cap', 'reviewCap'],
  ['--no-verify', 'verify'],
  ['--verify-timeout', 'verifyTimeoutMs'],
  ['--failure-backoff', 'backoffUnitMs'],
  ['--stuck-after', 'stuckAfter'],
] as const;

/** The command that starts a loop like this one, with flags only for what differs from the defaults. */
export function runAgain(request: StoriesRequest): string {
  const { sandbox, fallbacks = [], prove = {} } = request;
  const others = fallbacks.map(({ agent, model }) => (model === null ? agent : `${agent}:${model}`)).join(',');
  const words = FLAGS.filter(([, name]) => request[name] !== DEFAULTS[name]).flatMap(([flag, name]) => {
    const value = request[name];
    if (typeof value === 'boolean') return [flag];
    return [flag, name.endsWith('Ms') ? formatDuration(Number(value)) : String(value)];
  });
  const allowed = [
    ...proveAgain(prove),
    ...(others === '' ? [] : ['--fallback', others]),
    ...(sandbox?.kind === 'none' ? ['--no-sandbox'] : []),
    ...(sandbox?.allowHosts ?? []).flatMap((host) => ['--allow-host', host]),
    ...(sandbox?.allowWrite ?? []).flatMap((path) => ['--allow-write', path]),
    ...(sandbox?.denyWrite ?? []).flatMap((path) => ['--deny-write', path]),
    ...(sandbox?.denyRead ?? []).flatMap((path) => ['--deny-read', path]),
  ];
  return ['ralph stories run', ...[...words, ...allowed].map(quoteWord)].join(' ');
}

function proveAgain({ isOn, pins = [], allowEdit = [], acceptFlaky }: ProveRequest): string[] {
  return [
    ...(isOn === undefined ? [] : [isOn ? '--prove' : '--no-prove']),
    ...pins.flatMap((path) => ['--pin', path]),
    ...allowEdit.flatMap((path) => ['--allow-edit', path]),
    ...(acceptFlaky === true ? ['--accept-flaky'] : []),
  ];
}

function refuseBelowOne(option: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 1) return;
  throw new RalphError('STORIES_OPTION', `${option} must be a positive integer, got ${value}`);
}

export function agentFor(request: StoriesRequest, mode: IterationMode, pluginDir: string | null): AgentChoice {
  const isReview = mode === 'review';
  const command = (isReview ? request.reviewAgent : null) ?? request.agent;
  // One agent's model name means nothing to another agent.
  const usual = command === request.agent ? request.model : null;
  const model = (isReview ? request.reviewModel : null) ?? usual;
  const flags = [
    ...(profileFor(command).autonomy ?? []),
    ...(loadsPlugin(command) && pluginDir !== null ? ['--plugin-dir', pluginDir] : []),
    ...(sandboxOf(request) === 'docker' ? ['--settings', INSIDE_DOCKER] : []),
    ...(model === null ? [] : ['--model', model]),
  ];
  return { command, flags, mode: 'stream' };
}

/** By default, agents overrule a Stop hook after 8 refusals in a row. These variables raise that limit. */
export const STOP_HOOK_BLOCKS: Readonly<Record<string, string>> = Object.fromEntries(
  AGENTS.flatMap(({ stopHookCap }) => (stopHookCap === undefined ? [] : [[stopHookCap, '30']])),
);

/** Environment variables do not reach a Docker sandbox, in which only agents with the plugin run: so use settings. */
const INSIDE_DOCKER = JSON.stringify({ env: STOP_HOOK_BLOCKS });

/** Only these agents run the plugin's hooks. */
export function loadsPlugin(command: string): boolean {
  return profileFor(command).loadsPlugin === true;
}

export function needsPlugin(request: StoriesRequest): boolean {
  return agentsOf(request).some(loadsPlugin);
}

/** The agent that implements comes first. */
export function agentsOf({ agent, reviewAgent, skipReview, fallbacks = [] }: StoriesRequest): [string, ...string[]] {
  const reviewer = skipReview || reviewAgent === null ? [] : [reviewAgent];
  const others = [...reviewer, ...fallbacks.map((fallback) => fallback.agent)];
  return [agent, ...new Set(others.filter((command) => command !== agent))];
}

/** The terms with which the loop is begun or continued. `pluginDir`: where its agents find the plugin. */
export function storiesTerms(
  { terms, fallbacks }: Parameters<typeof termsWith>[0],
  request: StoriesRequest,
  pluginDir: string | null,
): LoopTerms | undefined {
  const flagsOf = (agent: string) =>
    agentFor({ ...request, agent, model: null, reviewAgent: null }, 'implement', pluginDir).flags;
  return termsWith({ terms, fallbacks }, agentFor(request, 'implement', pluginDir), flagsOf);
}
