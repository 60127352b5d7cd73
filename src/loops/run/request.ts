/** What a run was asked to do: by flags, by a program, and by what was found in the project when it began. */
import type { AgentChoice } from '../../core/action.ts';
import { RalphError } from '../../core/error.ts';
import { OUTAGE_BUDGET, type OutagePolicy } from '../../core/faults/outage.ts';
import type { OnStuck } from '../../core/progress/progress.ts';
import type { ProofTerms } from '../../core/proof/proof.ts';
import type { ProveRequest } from '../../core/proof/terms.ts';
import type { OnBlocked } from '../../core/rules.ts';
import type { ReviewSpec } from '../../engine/reviewer.ts';
import type { SandboxRequest } from '../../runners/sandbox/request.ts';
import type { BaselineUse } from './baseline.ts';
import type { Guardrail } from './guardrails.ts';
import type { RunWorktree } from './worktree.ts';

/** What the loop was started with. It overrides the settings, also in later iterations. */
export interface RunRequest {
  readonly prompt: string | null;
  readonly promptFile: string | null;
  /** Tell the agent at the end of the prompt how to say that it is done. */
  readonly asksForResponse: boolean;
  /** The agent's command. */
  readonly agent: string | null;
  readonly model: string | null;
  /** Commands in place of the settings' guardrails. */
  readonly checks: readonly string[] | null;
  readonly maximumIterations: number | null;
  readonly completionResponse: string | null;
  readonly streamAgentOutput: boolean | null;
  readonly agentTimeoutMs: number | null;
  /** Read the settings again for every iteration, not only at the start and on resume. */
  readonly liveSettings: boolean;
  readonly runner: 'direct' | 'tmux';
  /** Null if no flag was given; `resolveRun` decides it with the settings before the loop begins. */
  readonly sandbox: SandboxRequest | null;
  /** Null if agent and checks come from the settings. */
  readonly chosen: Chosen | null;
  /** Where it was started, if it works in a worktree made for it. */
  readonly worktree?: RunWorktree;
  /** How faults from outside are waited out; absent in loops of older releases. */
  readonly outages?: Omit<OutagePolicy, 'unitMs'>;
  /** If the agent cannot continue without a person: wait for the answer, or end the loop (the default). */
  readonly onBlocked?: OnBlocked;
  /** What to do when iterations make no progress; absent for a warning. */
  readonly onStuck?: OnStuck;
  /** Run the guardrails once before the first iteration; absent in loops of older releases, which did not. */
  readonly baseline?: BaselineUse | 'off';
  /** Prove claims in a clean checkout; absent if green checks in the work tree are enough. */
  readonly proof?: ProofTerms;
  /** The same as given by flags, until `resolveRun` has combined it with the settings. */
  readonly prove?: ProveRequest;
  /** Who reviews claims; absent if no agent does. */
  readonly review?: ReviewSpec;
  /** Put notes about the last iterations into each prompt. */
  readonly carryNotes?: boolean;
}

/** Defaults for prompts given in a way that seed 001 does not know; with the seed's own flags, nothing is added. */
export function progressDefaults(given: RunRequest): Partial<RunRequest> {
  const { baseline = 'show', onStuck = 'pivot' } = given;
  return given.asksForResponse ? { baseline, onStuck } : {};
}

/** What was chosen at the start instead of by the settings. It is fixed: an agent that edits files cannot change it. */
export interface Chosen {
  readonly agent: Omit<AgentChoice, 'mode'> | null;
  readonly version: string | null;
  /** The agent works without asking for permission; absent if the project's settings decide that. */
  readonly isUnattended?: boolean;
  readonly checks: readonly Guardrail[] | null;
  /** Where they come from, for people: `installed`, `--check`, `package.json`. */
  readonly origins: { readonly agent: string; readonly checks: string };
}

/** What is not given comes from the settings. Journals of earlier releases lack some of the fields. */
export function runRequest(given: Partial<RunRequest>): RunRequest {
  const limit = given.maximumIterations ?? null;
  if (limit !== null && (!Number.isSafeInteger(limit) || limit < 1)) {
    throw new RalphError('LIMIT', `maximumIterations must be a positive integer, got ${limit}`);
  }
  return {
    prompt: null,
    promptFile: null,
    asksForResponse: false,
    agent: null,
    model: null,
    checks: null,
    maximumIterations: null,
    completionResponse: null,
    streamAgentOutput: null,
    agentTimeoutMs: null,
    liveSettings: false,
    runner: 'direct',
    sandbox: null,
    chosen: null,
    outages: { waits: true, budgetMs: OUTAGE_BUDGET },
    ...given,
  };
}
