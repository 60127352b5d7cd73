/** What a run was asked: by the command line, by a program, and by what was found in the project when it began. */
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

/** What the loop was started with; these win over the settings, also in later iterations. */
export interface RunRequest {
  readonly prompt: string | null;
  readonly promptFile: string | null;
  /** Say at the end of the prompt how the agent says that it is done. */
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
  /** Null where nothing was said about it; before the loop begins it is decided with the settings. */
  readonly sandbox: SandboxRequest | null;
  /** Null where everything is as the settings say. */
  readonly chosen: Chosen | null;
  /** Where it was started, if it works in a worktree that was made for it. */
  readonly worktree?: RunWorktree;
  /** How faults that are not the work's are waited out; absent in loops of older releases. */
  readonly outages?: Omit<OutagePolicy, 'unitMs'>;
  /** An agent that cannot go on without a person: wait for the answer, or end the loop, which is the default. */
  readonly onBlocked?: OnBlocked;
  /** When nothing new comes of its iterations; absent for a warning. */
  readonly onStuck?: OnStuck;
  /** Run the guardrails once before the first iteration; absent in loops of older releases, which did not. */
  readonly baseline?: BaselineUse | 'off';
  /** Prove in a clean checkout what the agent calls done; absent where its work tree is enough. */
  readonly proof?: ProofTerms;
  /** The same as the command line has it, until the settings have been asked as well. */
  readonly prove?: ProveRequest;
  /** Who reviews what is claimed to be done; absent where no agent does. */
  readonly review?: ReviewSpec;
  /** Tell each agent what came of the last iterations. */
  readonly carryNotes?: boolean;
}

/** What is on by itself where the prompt was given in a way that no seed knows; those of seed 001 stay as they are. */
export function progressDefaults(given: RunRequest): Partial<RunRequest> {
  const { baseline = 'show', onStuck = 'pivot' } = given;
  return given.asksForResponse ? { baseline, onStuck } : {};
}

/** What a loop begins with instead of by its settings. It stays so: no file that an agent writes later changes it. */
export interface Chosen {
  readonly agent: Omit<AgentChoice, 'mode'> | null;
  readonly version: string | null;
  /** Works without asking for permission; absent where the project's settings decide about that. */
  readonly isUnattended?: boolean;
  readonly checks: readonly Guardrail[] | null;
  /** Where they come from, for people: `installed`, `--check`, `package.json`. */
  readonly origins: { readonly agent: string; readonly checks: string };
}

/** Whatever is not given comes from the settings. Journals of earlier releases do not have all of it. */
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
