/** Decides when a run proves its work, and what follows from the proof. Pure. */
import type { Checked, CheckOutcome } from '../../core/check.ts';
import { sameResponse } from '../../core/claims/tag.ts';
import type { Ending } from '../../core/ending.ts';
import type { Feedback } from '../../core/prompt/prompt.ts';
import {
  adviceFor,
  afterClaim,
  beganWith,
  NO_PROOFS,
  type Proofs,
  problemOfBase,
  whyTampered,
  withBaseProof,
  withEverRed,
} from '../../core/proof/claims.ts';
import {
  type AskedProofCheck,
  type BaseAsked,
  type BaseGave,
  type BaseProof,
  type ClaimAsked,
  commandOfFinding,
  holds,
  type Proof,
  type ProofFinding,
  type ProofRun,
  type ProofTerms,
  wordsOfFinding,
} from '../../core/proof/proof.ts';
import type { LoopState } from '../../core/state.ts';
import { excusedOf } from './baseline.ts';
import { checkOf, type Guardrail } from './guardrails.ts';
import type { RunData, RunInputs } from './state.ts';

export interface ProofState extends Proofs {
  /** Set once this iteration's claim goes to a proof: the task to publish next, and whether the work is committed. */
  readonly claim: { readonly next: number | null; readonly isCommitted: boolean } | null;
  /** The latest failures: which check failed on which tree. */
  readonly red: readonly { readonly command: string; readonly tree: string }[];
  /** The last claim is proved again, because a person has continued the loop with other terms since it was rejected. */
  readonly isAgain: boolean;
}

export const NO_PROOF: ProofState = { ...NO_PROOFS, claim: null, red: [], isAgain: false };

type State = LoopState<RunData>;

const isDone = ({ response, inputs }: RunData): boolean =>
  inputs !== null && sameResponse(response, inputs.completionResponse);

/** The last claim went to a proof, which did not hold. */
export const isRejected = ({ proof: { claim, last } }: RunData): boolean =>
  claim !== null && last !== null && !holds(last);

/** A person has continued the loop with other terms, which may let the last claim through. */
export function withTerms(data: RunData, terms: ProofTerms | undefined): ProofState {
  return terms === undefined ? data.proof : { ...data.proof, isAgain: isRejected(data) && isDone(data) };
}

/** The base proof is made once, before the first agent starts. */
export function needsBase({ data, startedIn }: State): boolean {
  return data.request.proof !== undefined && startedIn === 0 && data.proof.base === null;
}

/** There is a claim, and this iteration has not sent it to a proof yet. */
export function needsProof(data: RunData): boolean {
  return data.request.proof !== undefined && isDone(data) && data.proof.claim === null;
}

export function baseAsked({ data }: State, inputs: RunInputs): BaseAsked {
  const checks = inputs.guardrails.map((guardrail) => askedCheck(guardrail, inputs));
  return { terms: termsOf(data), checks, ...(inputs.scm?.tasks.includes('commit') === true ? { commits: true } : {}) };
}

export function claimAsked({ data, iteration, progress }: State, inputs: RunInputs): ClaimAsked {
  const { claim, red } = data.proof;
  const excused = excusedOf(data);
  // A person may have edited the rejected work since, so the agent's last snapshot does not count.
  const { tree = null, snapshot = null } = (data.proof.isAgain ? null : progress.notes.at(-1)) ?? {};
  const checks = inputs.guardrails.map((guardrail): AskedProofCheck => {
    const { command } = guardrail;
    const isExcused = excused.some((one) => one.command === command);
    const isSuspect = red.some((one) => one.command === command && one.tree === tree);
    return {
      ...askedCheck(guardrail, inputs),
      ...(isExcused ? { isExcused } : {}),
      ...(isSuspect ? { isSuspect } : {}),
    };
  });
  const isCommitted = claim?.isCommitted === true;
  return { terms: termsOf(data), checks, base: beganWith(data.proof), isCommitted, iteration, snapshot };
}

function termsOf({ request }: RunData): BaseAsked['terms'] {
  if (request.proof === undefined) throw new Error('a loop that proves nothing was asked for a proof');
  return request.proof;
}

function askedCheck(guardrail: Guardrail, { outputTruncateChars, asksForResponse }: RunInputs): AskedProofCheck {
  const { command, timeoutMs, isWitness } = guardrail;
  const keeps = asksForResponse === true ? { keeps: 'end' as const } : {};
  const witness = isWitness === true ? { isWitness } : {};
  return { command, ...checkOf(guardrail), keepChars: outputTruncateChars, timeoutMs, ...keeps, ...witness };
}

/** Why the loop cannot begin; null if it can. */
export function whyNotBegun(gave: BaseGave, { guardrails }: RunInputs, { baseline }: RunData): Ending | null {
  return problemOf(gave, guardrails, (index, command): CheckOutcome | null => {
    if (index >= baseline.checked) return null;
    return baseline.red.find((one) => one.command === command)?.outcome ?? { is: 'passed' };
  });
}

/** The same, after one more check has run in the work tree. */
export function whyOnlyThere(base: BaseProof, { guardrails }: RunInputs, { index: at, outcome }: Checked) {
  return problemOf(base, guardrails, (index) => (index === at ? outcome : null));
}

function problemOf(
  gave: BaseGave,
  guardrails: readonly Guardrail[],
  inTree: (index: number, command: string) => CheckOutcome | null,
): Ending | null {
  return problemOfBase(gave, (index, command) => {
    return { isWitness: guardrails[index]?.isWitness === true, inTree: inTree(index, command) };
  });
}

export function withBase(data: RunData, base: BaseProof): RunData {
  return { ...data, proof: withBaseProof(data.proof, base) };
}

export function withRed(before: ProofState, command: string, { progress }: Pick<State, 'progress'>): ProofState {
  const tree = progress.notes.at(-1)?.tree ?? null;
  const proof = withEverRed(before, [command]);
  return tree === null ? proof : { ...proof, red: [...proof.red, { command, tree }].slice(-KEPT_RED) };
}

const KEPT_RED = 50;

export function withProof(data: RunData, proof: Proof): { readonly data: RunData; readonly ending: Ending | null } {
  const proofs = { ...afterClaim(data.proof, proof), isAgain: false };
  const feedback = proof.findings.map((finding) => feedbackOf(finding, proof));
  return { data: { ...data, feedback, proof: proofs }, ending: whyTampered(proofs) };
}

/** Reported like a failed guardrail: the agent already knows that form. */
function feedbackOf(finding: ProofFinding, { at }: Proof): Feedback {
  const command = commandOfFinding(finding) ?? 'proof in a clean checkout';
  const { output = '', truncated = false }: Partial<ProofRun> = 'output' in finding ? finding : {};
  const said = { log: logOf(finding), output, truncated, exitCode: null, how: wordsOfFinding(finding, at) };
  return { command, ...said, failAction: 'APPEND', hint: adviceFor(finding, at) };
}

const logOf = (finding: ProofFinding): string => ('log' in finding ? finding.log : 'none');
