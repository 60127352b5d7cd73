/** The types of a run: its inputs, the state of its rules, and its own steps. */
import type { AgentChoice, CommitScope } from '../../core/action.ts';
import type { Feedback } from '../../core/prompt/prompt.ts';
import type { ProofSteps } from '../../core/proof/proof.ts';
import type { ReviewSteps, Reviews, ReviewTerms } from '../../core/review/review.ts';
import type { Baseline } from './baseline.ts';
import type { Guardrail, Unrunnable } from './guardrails.ts';
import type { ProofState } from './proof.ts';
import type { RunRequest } from './request.ts';
import type { Tally } from './tally.ts';

export interface RunInputs {
  readonly prompt: string;
  /** The prompt ends with how to say that the work is done: it was given in a way that seed 001 does not know. */
  readonly asksForResponse?: true;
  readonly maximumIterations: number;
  readonly completionResponse: string;
  readonly outputTruncateChars: number;
  readonly includeIterationCountInPrompt: boolean;
  readonly agent: Omit<AgentChoice, 'mode'>;
  /** The agent with read-only flags; absent if it has none, or if the loop does not pivot. */
  readonly pivotAgent?: Omit<AgentChoice, 'mode'>;
  /** Who reviews claims, and after how many rejections the loop ends; absent if no agent does. */
  readonly review?: ReviewTerms;
  readonly agentTimeoutMs: number | null;
  readonly streamAgentOutput: boolean;
  readonly guardrails: readonly Guardrail[];
  readonly scm:
    | (CommitScope & {
        readonly tasks: readonly string[];
        /** Who writes commit messages; absent in loops of older releases, where the agent did. */
        readonly message?: 'agent' | 'template';
      })
    | null;
  readonly backoffUnitMs: number;
  readonly display: Display;
}

/** How the loop is shown. No rule depends on it. */
export interface Display {
  readonly emoji: boolean;
  /** Null: if the terminal supports it. */
  readonly color: boolean | null;
  readonly timestamps: boolean;
  readonly maxOutputLines: number;
  readonly maxOutputChars: number;
}

export interface RunData {
  readonly request: RunRequest;
  readonly inputs: RunInputs | null;
  /** What the guardrails said about the last iteration that reached them. */
  readonly feedback: readonly Feedback[];
  readonly failures: readonly Feedback[];
  readonly response: string | null;
  readonly message: string;
  /** How often the loop was paused or without a supervisor: each time a person may have changed the settings. */
  readonly standstills: number;
  readonly tally: Tally;
  /** The guardrails that could not be run in the last iteration that reached them, and in this one so far. */
  readonly unrunnable: { readonly before: readonly Unrunnable[]; readonly now: readonly Unrunnable[] };
  /** Why this iteration's work was not committed or pushed. `index`: the task that failed; null if none was tried. */
  readonly unpublished: { readonly reason: string; readonly index: number | null } | null;
  readonly baseline: Baseline;
  readonly proof: ProofState;
  readonly reviews: Reviews;
  /** The index of the task to publish once the claim is accepted; null if none is left. */
  readonly toPublish: number | null;
}

export type RunSteps = ReviewSteps & ProofSteps;

export function inputsOf(data: RunData): RunInputs {
  if (data.inputs === null) throw new Error('the rules were asked before the inputs were read');
  return data.inputs;
}
