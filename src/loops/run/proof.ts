/** When a run proves its work, and what it makes of the proof. Pure. */
import { codeOfOutcome, describeOutcome, hasPassed } from '../../core/check.ts';
import { sameResponse } from '../../core/claims/tag.ts';
import { defined } from '../../core/defined.ts';
import type { Ending } from '../../core/ending.ts';
import type { Feedback } from '../../core/prompt/prompt.ts';
import {
  type AskedProofCheck,
  type BaseAsked,
  type BaseGave,
  type BaseProof,
  type ClaimAsked,
  commandOfFinding,
  type Proof,
  type ProofFinding,
  wordsOfFinding,
} from '../../core/proof/proof.ts';
import type { LoopState } from '../../core/state.ts';
import { excusedOf } from './baseline.ts';
import { checkOf, type Guardrail } from './guardrails.ts';
import type { RunData, RunInputs } from './rules.ts';

export interface ProofState {
  /** Of the tree that the loop began with; null where it was not made yet. */
  readonly base: BaseProof | null;
  /** Of the last claim; null for none. */
  readonly last: Proof | null;
  /** The claim of this iteration is being proved: which task is to be published next, and whether the work is committed. */
  readonly claim: { readonly next: number | null; readonly isCommitted: boolean } | null;
  /** How many claims in a row would not have come through with the tests of the start. */
  readonly tampered: number;
  /** Which checks have failed on which trees; the last ones. */
  readonly red: readonly { readonly command: string; readonly tree: string }[];
}

export const NO_PROOF: ProofState = { base: null, last: null, claim: null, tampered: 0, red: [] };

type State = LoopState<RunData>;

const isDone = ({ response, inputs }: RunData): boolean =>
  inputs !== null && sameResponse(response, inputs.completionResponse);

/** Once, before the first agent is started. */
export function needsBase({ data, startedIn }: State): boolean {
  return data.request.proof !== undefined && startedIn === 0 && data.proof.base === null;
}

/** A claim stands, and this iteration has not proved it yet. */
export function needsProof(data: RunData): boolean {
  return data.request.proof !== undefined && isDone(data) && data.proof.claim === null;
}

export function baseAsked({ data }: State, inputs: RunInputs): BaseAsked {
  return { terms: termsOf(data), checks: inputs.guardrails.map((guardrail) => askedCheck(guardrail, inputs)) };
}

export function claimAsked({ data, iteration, progress }: State, inputs: RunInputs): ClaimAsked {
  const { base, claim, red } = data.proof;
  if (base === null) throw new Error('a claim is proved before the tree that the loop began with');
  const excused = excusedOf(data.request, data.baseline);
  const tree = progress.notes.at(-1)?.tree ?? null;
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
  const { at, tests, head } = base;
  const began = { at, tests, commands: base.checks.map(({ command }) => command), ...defined({ head }) };
  return { terms: termsOf(data), checks, base: began, isCommitted: claim?.isCommitted === true, iteration };
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

/** Why the loop cannot begin; null where it can. */
export function problemOfBase(gave: BaseGave, { guardrails }: RunInputs, { baseline }: RunData): Ending | null {
  if ('impossible' in gave) return configuration(`no clean checkout can be made: ${gave.impossible}`, WITHOUT);
  const { setup, checks } = gave;
  if (setup !== null && !hasPassed(setup)) {
    const how = `${describeOutcome(setup.outcome)}, see ${setup.log}`;
    return configuration(`the setup "${setup.command}" fails in a clean checkout (${how})`, SETUP_HINT);
  }
  for (const [index, { command, outcome, log }] of checks.entries()) {
    const passes = outcome.is === 'passed';
    if (passes && guardrails[index]?.isWitness === true) {
      const what = `the witness "${command}" passes before any work is done: it can show nothing`;
      return configuration(what, 'Choose a check that fails until the work is done, or take out "witness".');
    }
    const wasGreen = index < baseline.checked && !baseline.red.some((one) => one.command === command);
    // Only the report says so, which was not asked for in the work tree: the agent may have to write the first test.
    const isByReport = guardrails[index]?.check === undefined && codeOfOutcome(outcome) === null;
    if (passes || !wasGreen || isByReport) continue;
    const how = `${describeOutcome(outcome)}, see ${log}`;
    return configuration(`"${command}" passes in the work tree, but not in a clean checkout (${how})`, PLACE_HINT);
  }
  return null;
}

const configuration = (reason: string, hint: string): Ending => ({ kind: 'configuration', reason, hint });

const WITHOUT = 'Run without --prove.';
const SETUP_HINT = 'Set proof.setup in .ralph/settings.json to what makes a fresh clone ready, or run with --no-prove.';
const PLACE_HINT =
  'Does it need a file that git ignores, or a step after cloning? Name such files in .worktreeinclude or proof.include, the step in proof.setup; or run with --no-prove.';

export function withBase(data: RunData, base: BaseProof): RunData {
  return { ...data, proof: { ...data.proof, base } };
}

export function withRed(proof: ProofState, command: string, { progress }: Pick<State, 'progress'>): ProofState {
  const tree = progress.notes.at(-1)?.tree ?? null;
  return tree === null ? proof : { ...proof, red: [...proof.red, { command, tree }].slice(-KEPT_RED) };
}

const KEPT_RED = 50;

/** Three are no accident. */
const MOST_TAMPERED = 3;

export function withProof(data: RunData, proof: Proof): { readonly data: RunData; readonly ending: Ending | null } {
  const isTampered = proof.findings.some(({ is }) => is === 'pinned');
  const tampered = isTampered ? data.proof.tampered + 1 : 0;
  const feedback = proof.findings.map((finding) => feedbackOf(finding, proof));
  const after = { ...data, feedback, proof: { ...data.proof, last: proof, tampered } };
  return { data: after, ending: tampered >= MOST_TAMPERED ? tamperedEnding(proof) : null };
}

function tamperedEnding({ findings, at }: Proof): Ending {
  const [first] = findings.filter(({ is }) => is === 'pinned');
  const what = first === undefined ? '' : `"${commandOfFinding(first) ?? ''}": ${wordsOfFinding(first, at)}`;
  return { kind: 'tampered', reason: `${what}. ${MOST_TAMPERED} claims in a row were like that.` };
}

/** As a guardrail that failed: the agent knows what to make of those. */
function feedbackOf(finding: ProofFinding, { at }: Proof): Feedback {
  const command = commandOfFinding(finding) ?? 'proof in a clean checkout';
  const [log, output, truncated] =
    'output' in finding ? [finding.log, finding.output, finding.truncated] : [logOf(finding), '', false];
  const said = { log, output, truncated, exitCode: null, how: wordsOfFinding(finding, at) };
  return { command, ...said, failAction: 'APPEND', hint: hintOf(finding, at) };
}

const logOf = (finding: ProofFinding): string => ('log' in finding ? finding.log : 'none');

function hintOf(finding: ProofFinding, at: Proof['at']): string | null {
  if ('uncommitted' in finding) return 'If one of these files is needed, add it with git add: the commit is proved.';
  if (finding.is === 'red' && at?.commit == null) return NOTHING_IGNORED;
  return HINTS[finding.is] ?? null;
}

const NOTHING_IGNORED = 'A clean checkout has no file that git ignores, but for what the setup installs.';

const HINTS: Readonly<Partial<Record<ProofFinding['is'], string>>> = {
  unchanged: 'Do the work that was asked for. If there is nothing to do, say what keeps you from it.',
  red: 'A fresh clone has only what is committed, and what the setup installs.',
  tests: 'Bring these tests back, and make them pass.',
  flaky: 'Find out what makes it depend on chance, order or time, and fix that.',
  pinned: 'Bring these files back to what they were, and make the checks pass with them.',
};
