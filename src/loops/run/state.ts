/** What a run is made of: what it reads, what it knows, and the steps of its own. */
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
  /** The prompt ends with how the agent says that it is done: it was given in a way that seed 001 does not know. */
  readonly asksForResponse?: true;
  readonly maximumIterations: number;
  readonly completionResponse: string;
  readonly outputTruncateChars: number;
  readonly includeIterationCountInPrompt: boolean;
  readonly agent: Omit<AgentChoice, 'mode'>;
  /** The same with flags by which it changes nothing, where it has some and they may be needed. */
  readonly pivotAgent?: Omit<AgentChoice, 'mode'>;
  /** Who reviews what is claimed to be done, and how often; absent where no agent does. */
  readonly review?: ReviewTerms;
  readonly agentTimeoutMs: number | null;
  readonly streamAgentOutput: boolean;
  readonly guardrails: readonly Guardrail[];
  readonly scm:
    | (CommitScope & {
        readonly tasks: readonly string[];
        /** Who writes commit messages; absent in loops of older releases, whose agents did. */
        readonly message?: 'agent' | 'template';
      })
    | null;
  readonly backoffUnitMs: number;
  readonly display: Display;
}

/** How the loop is shown. Decides nothing. */
export interface Display {
  readonly emoji: boolean;
  /** Null: where the terminal shows it. */
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
  /** How often the loop has stood still: a person may have changed the settings since. */
  readonly standstills: number;
  readonly tally: Tally;
  /** The guardrails that could not be run in the last iteration that reached them, and in this one so far. */
  readonly unrunnable: { readonly before: readonly Unrunnable[]; readonly now: readonly Unrunnable[] };
  /** What this iteration made should be committed or pushed, and is not. The task that failed; null for none of them. */
  readonly unpublished: { readonly reason: string; readonly index: number | null } | null;
  readonly baseline: Baseline;
  readonly proof: ProofState;
  readonly reviews: Reviews;
  /** What is published next once a claim is accepted; null where nothing is left. */
  readonly toPublish: number | null;
}

export type RunSteps = ReviewSteps & ProofSteps;

export function inputsOf(data: RunData): RunInputs {
  if (data.inputs === null) throw new Error('the rules were asked before the inputs were read');
  return data.inputs;
}
